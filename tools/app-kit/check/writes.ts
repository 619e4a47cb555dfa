/** Checks of writes. They change the app: they create records of their own, and delete them if the app can. */
import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ResourceConnector, ResourceWriter } from '../../../src/definition/connector.ts'
import { recordId } from '../../../src/definition/identity.ts'
import { ApiError } from '../../../src/errors.ts'
import { inputFieldsOf, parseWrite, updatableFields } from '../../../src/query/write-request.ts'
import { readRecord } from '../../../src/store/records/records.ts'
import { isWrite } from './fault-proxy.ts'
import { listResource, remoteIdsIn } from './listing.ts'
import { type CheckResult, type Findings, resultOf, skippedResult } from './result.ts'
import { readStoredRecords } from './stored-records.ts'
import { lagMsOf, retryWithinLimits, untilShown } from './waits.ts'
import type { Connection, Workbench } from './workbench.ts'

type Values = Readonly<Record<string, unknown>>

/** The input of the writes of a resource, as the API takes it. In texts, `{n}` is another number for each record. */
export interface WriteInputs {
  readonly create: Values
  /** Absent: updates are not checked. */
  readonly update?: Values
}

const withNumber = (input: Values): Values =>
  JSON.parse(JSON.stringify(input).replaceAll('{n}', String(randomInt(1_000_000_000))))

/** The input fields that the record shows otherwise. Only plain values are compared: entries of lists gain fields. */
const inputDifferences = (step: string, input: Values, record: Values): readonly string[] =>
  Object.entries(input).flatMap(([name, value]) =>
    name === 'remoteFields' || Array.isArray(value) || isDeepStrictEqual(record[name], value)
      ? []
      : `${name} of the ${step} does not read back`,
  )

/** The writes of one resource, through the service. */
const writesOf = ({ writer, database, waits }: Workbench, { mapping }: ResourceConnector) => {
  const { resource } = mapping
  const attempt = {}
  const keyOf = ({ credentialId }: Connection, remoteId: string) => ({
    credentialId,
    id: recordId(credentialId, resource.topic, remoteId),
  })
  return {
    create: async (owner: Connection, input: Values): Promise<Values> => {
      const request = parseWrite(inputFieldsOf(resource), input)
      const write = () => writer.create({ owner, resource, attempt, request })
      return JSON.parse((await retryWithinLimits(waits, write)).json)
    },
    update: async (owner: Connection, remoteId: string, input: Values): Promise<Values> => {
      const { id } = keyOf(owner, remoteId)
      const request = parseWrite(updatableFields(resource), input)
      const write = () => writer.update({ owner, resource, attempt, id, request })
      return JSON.parse((await retryWithinLimits(waits, write)).json)
    },
    delete: async (owner: Connection, remoteId: string): Promise<void> => {
      const { id } = keyOf(owner, remoteId)
      await retryWithinLimits(waits, () => writer.delete({ owner, resource, attempt, id }))
    },
    /** The stored record. */
    read: async (owner: Connection, remoteId: string): Promise<Values | undefined> => {
      const stored = await readRecord(database, resource, keyOf(owner, remoteId))
      return stored && JSON.parse(stored.json)
    },
  }
}

type Writes = ReturnType<typeof writesOf>

/** A write with a copy of the record that another program has changed in the meantime is rejected. */
const checkStale = async (
  { update }: Writes,
  owner: Connection,
  remoteId: string,
  input: Values,
): Promise<Findings> => {
  const outcome = await update(owner, remoteId, input).catch((error: unknown) => error)
  const isRejected = outcome instanceof ApiError && outcome.code === 'WRITE_CONFLICT'
  const found = outcome instanceof Error ? outcome.message : 'it was written'
  return {
    problems: isRejected ? [] : [`not rejected as a conflict: ${found}`],
    summary: 'rejected as a conflict',
  }
}

/** A creation whose response is lost leads to one record, or none. @returns the remote ids of new records */
const checkLost = async (
  bench: Workbench,
  { mapping: { resource }, sync }: ResourceConnector,
  create: () => Promise<unknown>,
): Promise<Findings & { readonly added: readonly string[] }> => {
  const listIds = async (): Promise<readonly string[]> => {
    const listed = await listResource(bench, resource.topic)
    return remoteIdsIn(listed.resource, listed.records)
  }
  const before = new Set(await listIds())
  let isLost = false
  bench.proxy.inject((_, request) => {
    if (isLost || !isWrite(request)) return
    isLost = true
    return { kind: 'lost' }
  })
  const outcome = await create().catch((error: unknown) => error)
  bench.proxy.inject(() => undefined)
  let added: readonly string[] = []
  await untilShown(bench.waits, lagMsOf(sync), async () => {
    added = [...new Set(await listIds())].filter((id) => !before.has(id))
    return added.length > 0
  })
  const isFailure = outcome instanceof Error
  return {
    added,
    problems: [
      ...(added.length > 1 ? [`the app has ${added.length} new records`] : []),
      ...(added.length === 0 && !isFailure ? ['a record was returned that the app lacks'] : []),
    ],
    summary: `${added.length} new record, ${isFailure ? 'reported as a failure' : 'found and returned'}`,
  }
}

/** Deleted records are marked as deleted, for other credentials by their next sync. */
const checkDelete = async (
  bench: Workbench,
  writes: Writes,
  remoteIds: readonly string[],
  [owner, other]: readonly [Connection, Connection],
  { mapping: { resource }, sync }: ResourceConnector,
): Promise<Findings> => {
  const isDeleted = async (connection: Connection, id: string): Promise<boolean> =>
    (await writes.read(connection, id))?.remoteDeleted === true
  const storedOf = async (connection: Connection) =>
    (await readStoredRecords(bench, connection)).get(resource.topic)
  const problems: string[] = []
  // The deletion of a record that is not stored is ignored, and that of an earlier version is a conflict.
  await untilShown(bench.waits, lagMsOf(sync), async () => {
    for (const connection of [owner, other]) await bench.sync(connection)
    const [own, others] = [await storedOf(owner), await storedOf(other)]
    return remoteIds.every((id) => own?.has(id) && own.get(id) === others?.get(id))
  })
  for (const id of remoteIds) {
    await writes.delete(owner, id)
    if (!(await isDeleted(owner, id))) problems.push(`${id} is not marked as deleted`)
  }
  // Deletions that only a full listing finds are stored later.
  if (sync.deletions === 'compared') return { problems, summary: 'marked as deleted' }
  const missed = new Set(remoteIds)
  await untilShown(bench.waits, lagMsOf(sync), async () => {
    await bench.sync(other)
    for (const id of missed) if (await isDeleted(other, id)) missed.delete(id)
    return missed.size === 0
  })
  for (const id of missed)
    problems.push(`the next sync of another credential does not report the deletion of ${id}`)
  return { problems, summary: 'marked as deleted, and reported by the next sync' }
}

/** Checks the writes of a resource. The records of both credentials must be stored. */
export const checkWrites = async (
  bench: Workbench,
  topic: string,
  inputs: WriteInputs,
  [owner, other]: readonly [Connection, Connection],
): Promise<readonly CheckResult[]> => {
  const { connector, waits } = bench
  const resource: ResourceConnector | undefined = connector.resources[topic]
  const writer: ResourceWriter | undefined = resource?.write
  if (!resource || !writer?.create)
    return [skippedResult('create', `${connector.name} creates no such records`, topic)]
  const writes = writesOf(bench, resource)
  const results: CheckResult[] = []
  const report = (check: string, findings: Findings): void =>
    void results.push(resultOf(check, findings, topic))

  const input = withNumber(inputs.create)
  const created = await writes.create(owner, input)
  const remoteId = String(created.remoteId)
  report('create', { problems: inputDifferences('create', input, created), summary: 'reads back' })
  let listed: Values | undefined
  await untilShown(waits, lagMsOf(resource.sync), async () => {
    await bench.sync(other)
    listed = await writes.read(other, remoteId)
    return listed !== undefined
  })
  const unlisted = ['the next sync of another credential does not store it']
  report('create is listed', {
    problems: listed ? inputDifferences('listed record', input, listed) : unlisted,
    summary: 'the next sync of another credential stores the same values',
  })

  if (inputs.update && writer.update && listed) {
    const updated = await writes.update(other, remoteId, inputs.update)
    const problems = inputDifferences('update', inputs.update, updated)
    report('update', { problems, summary: 'reads back' })
    // The other credential has not seen that update.
    report('stale update', await checkStale(writes, owner, remoteId, inputs.update))
  } else results.push(skippedResult('update', 'no input, or not supported', topic))

  const lost = await checkLost(bench, resource, () =>
    writes.create(owner, withNumber(inputs.create)),
  )
  report('lost response', lost)
  const ids = [...new Set([remoteId, ...lost.added])]
  if (writer.delete)
    report('delete', await checkDelete(bench, writes, ids, [owner, other], resource))
  else results.push(skippedResult('delete', `${connector.name} deletes no such records`, topic))
  return results
}
