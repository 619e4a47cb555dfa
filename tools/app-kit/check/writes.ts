/** Checks of writes. They change the app: each creates a record of its own, and deletes it if the app can. */
import { randomInt } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { ResourceConnector } from '../../../src/definition/connector.ts'
import { recordId } from '../../../src/definition/identity.ts'
import { ApiError } from '../../../src/errors.ts'
import { parseWrite, updatableFields, writableFields } from '../../../src/query/write-request.ts'
import { listResource, remoteIdsIn } from './listing.ts'
import { type CheckResult, resultOf, skipped } from './result.ts'
import type { Connection, Workbench } from './workbench.ts'

/** The input of the writes of a resource, as the API takes it. In texts, `{n}` is another number for each record. */
export interface WriteInputs {
  readonly create: Readonly<Record<string, unknown>>
  /** Absent: updates are not checked. */
  readonly update?: Readonly<Record<string, unknown>>
}

type Shown = Readonly<Record<string, unknown>>

const numbered = (input: Shown): Shown =>
  JSON.parse(JSON.stringify(input).replaceAll('{n}', String(randomInt(1e9))))

const LATEST = { interruptedSince: undefined } as const

/** The input fields that the record shows otherwise. Only plain values are compared: lists gain fields. */
const differing = (input: Shown, record: Shown): readonly string[] =>
  Object.entries(input).flatMap(([name, value]) =>
    name === 'remoteFields' || Array.isArray(value) || isDeepStrictEqual(record[name], value)
      ? []
      : name,
  )

const readBack = (step: string, input: Shown, record: Shown): readonly string[] =>
  differing(input, record).map((name) => `${name} of the ${step} does not read back`)

/** Checks the writes of a resource. The records of both credentials must be stored. */
export const checkWrites = async (
  bench: Workbench,
  topic: string,
  { create, update }: WriteInputs,
  [connection, other]: readonly [Connection, Connection],
): Promise<readonly CheckResult[]> => {
  const resource: ResourceConnector | undefined = bench.connector.resources[topic]
  if (!resource?.write?.create)
    return [skipped('create', `${bench.connector.name} creates no such records`, topic)]
  const unified = resource.mapping.resource
  const { writer, engine, proxy } = bench
  const results: CheckResult[] = []
  const report = (check: string, problems: readonly string[], summary: string): void =>
    void results.push(resultOf(check, { problems, summary }, topic))
  const inserted = (owner: Connection, input: Shown) =>
    writer.create({
      ...{ owner, resource: unified, attempt: LATEST },
      request: parseWrite(writableFields(unified), input),
    })
  const changed = (owner: Connection, id: string) =>
    writer.update({
      ...{ owner, resource: unified, id, attempt: LATEST },
      request: parseWrite(updatableFields(unified), update),
    })
  const read = async (owner: Connection, remoteId: string): Promise<Shown | undefined> => {
    const rows = await bench.database.prisma.$queryRawUnsafe<{ record: Shown }[]>(
      `SELECT document::json AS record FROM ${unified.table} WHERE credential_id = $1::uuid AND id = $2::uuid`,
      ...[owner.credentialId, recordId(owner.credentialId, topic, remoteId)],
    )
    return rows[0]?.record
  }

  const input = numbered(create)
  const created = await inserted(connection, input)
  const record: Shown = JSON.parse(created.json)
  const remoteId = String(record.remoteId)
  report('create', readBack('create', input, record), 'reads back')

  await engine.syncNow(other.credentialId)
  const listed = await read(other, remoteId)
  const isListed = listed !== undefined
  report(
    'create is listed',
    isListed ? readBack('listed record', input, listed) : ['the next sync did not store it'],
    'the next sync stores the same values',
  )

  if (update && resource.write.update && isListed) {
    const id = recordId(other.credentialId, topic, remoteId)
    const after: Shown = JSON.parse((await changed(other, id)).json)
    report('update', readBack('update', update, after), 'reads back')
    // The first credential has not seen that update.
    const stale = await changed(connection, created.id).catch((error: unknown) => error)
    const isRefused = stale instanceof ApiError && stale.code === 'WRITE_CONFLICT'
    report(
      'stale update',
      isRefused
        ? []
        : [`was not rejected: ${stale instanceof Error ? stale.message : 'it was written'}`],
      'rejected as a conflict',
    )
  } else results.push(skipped('update', 'no input, or not supported', topic))

  // The response to the creation is lost; the record must exist once, or not at all.
  const before = remoteIdsIn(resource, (await listResource(bench, topic)).records)
  let isLost = false
  proxy.inject((_, { method }) => {
    if (isLost || method === 'GET') return
    isLost = true
    return { kind: 'lost' }
  })
  const lost = await inserted(connection, numbered(create)).catch((error: unknown) => error)
  proxy.inject(() => undefined)
  const afterLoss = remoteIdsIn(resource, (await listResource(bench, topic)).records)
  const added = [...new Set(afterLoss)].filter((id) => !before.includes(id))
  report(
    'lost response',
    added.length > 1 ? [`the app has ${added.length} new records`] : [],
    `${added.length} new record, ${lost instanceof Error ? 'reported as a failure' : 'found and returned'}`,
  )

  await engine.syncNow(connection.credentialId)
  if (!resource.write.delete) {
    results.push(skipped('delete', `${bench.connector.name} deletes no such records`, topic))
    return results
  }
  const removed: string[] = []
  for (const one of new Set([remoteId, ...added])) {
    const id = recordId(connection.credentialId, topic, one)
    await writer.delete({ owner: connection, resource: unified, id, attempt: LATEST })
    if ((await read(connection, one))?.remoteDeleted !== true) removed.push(one)
  }
  await engine.syncNow(other.credentialId)
  const isDeleted = (await read(other, remoteId))?.remoteDeleted === true
  report(
    'delete',
    [
      ...removed.map((one) => `${one} is not marked as deleted`),
      // Deletions that only a full listing finds are stored later.
      ...(isDeleted || resource.sync.deletions === 'compared'
        ? []
        : ['the next sync did not report the deletion']),
    ],
    'the next sync reports it',
  )
  return results
}
