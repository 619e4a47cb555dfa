/** The QuickBooks connector and a simulated company in memory. */
import { connector } from '../../../src/connectors/quickbooks/manifest.ts'
import {
  type AppRequest,
  type AppResponse,
  type Json,
  type ListPosition,
  type Steps,
  type StoredRecord,
  WriteRejection,
} from '../../../src/definition/connector.ts'
import { recordId } from '../../../src/definition/identity.ts'
import { unifiedField } from '../../../src/definition/mapping/unified-field.ts'
import { createMapper } from '../../../src/definition/mapping.ts'
import { createClient } from '../../simulators/client.ts'
import type { CompanySettings } from '../../simulators/quickbooks/company.ts'
import { createQuickBooks } from '../../simulators/quickbooks/start.ts'
import { runSteps, StepFailure } from '../../support/steps.ts'
import type { Traffic } from '../field-mutations.ts'

const CREDENTIAL = 'b4f1c1de-0000-4000-8000-000000000000'
const REALM = '4620816365'
const START_MS = Date.parse('2026-11-23T17:00:00Z')

/** Traffic that passes unchanged. */
export const unchanged: Traffic = { received: (body) => body, sent: (request) => request }

/** The id of the record that a reference names: `ref('customers', '1')`. */
export const referenceTo = (plural: string, remoteId: string): string =>
  recordId(CREDENTIAL, `accounting/${plural}`, remoteId)

export type Row = Readonly<Record<string, unknown>> & { readonly remoteId: string }

/** A row without its id, its empty fields and its remote fields. */
const withoutEmpty = (row: Row): Row => {
  const { id: _, remoteFields: __, remoteDeleted: ___, ...rest } = row
  const isEmpty = (value: unknown) => value === null || (Array.isArray(value) && value.length === 0)
  return {
    ...Object.fromEntries(Object.entries(rest).filter(([, value]) => !isEmpty(value))),
    remoteId: row.remoteId,
  }
}

export type Fields = Readonly<Record<string, Json>>

export const openHarness = (traffic: Traffic, settings: Partial<CompanySettings> = {}) => {
  const clock = { startMs: START_MS, frozen: true }
  const simulator = createQuickBooks({ limited: false, clock })
  const company = simulator.addCompany(REALM, 'Acme', { multiCurrency: true, ...settings })
  const client = createClient(simulator, simulator.oauth.issue(REALM).accessToken)
  let writes = 0

  const send = async (request: AppRequest): Promise<AppResponse> => {
    const { method, path, body } = traffic.sent(request)
    const headers = { accept: 'application/json' }
    const reply = await client(method, `/v3/company/${REALM}${path}`, {
      headers,
      ...(body !== undefined && { body }),
    })
    return { status: reply.status, headers: reply.headers, body: traffic.received(reply.json) }
  }

  const resourceOf = (plural: string) => {
    const found = connector.resources[`accounting/${plural}`]
    if (!found) throw new Error(`The connector has no ${plural}.`)
    return found
  }

  let known: unknown
  /** The context of the company. */
  const readContext = async (): Promise<unknown> => {
    const steps = connector.context?.read()
    if (!steps) throw new Error('The connector has no context.')
    known ??= await runSteps(connector, steps, send)
    return known
  }

  const mapRecord = async (plural: string, raw: unknown): Promise<{ row: Row; shown: Row }> => {
    const context = await readContext()
    const { row, problems } = createMapper(resourceOf(plural).mapping)(raw, CREDENTIAL, { context })
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
    return { row, shown: withoutEmpty(row) }
  }

  /** Sends a request and reads its response. @throws StepFailure */
  const sendRequest = (request: AppRequest): Promise<AppResponse> =>
    runSteps(
      connector,
      (function* (): Steps<AppResponse> {
        return yield request
      })(),
      send,
    )

  const listRaw = async (plural: string, since?: string): Promise<readonly unknown[]> => {
    const { listRequest, readList } = resourceOf(plural)
    const context = await readContext()
    const records: unknown[] = []
    for (let cursor: Json | undefined, isEnd = false; !isEnd; ) {
      const position: ListPosition = { since, cursor, context }
      const page = readList(await sendRequest(listRequest(position)), position)
      records.push(...page.records)
      cursor = page.next
      isEnd = cursor === undefined
    }
    return records
  }

  const writerOf = (plural: string) => {
    const { write } = resourceOf(plural)
    if (!write) throw new Error(`${plural} cannot be written.`)
    return write
  }

  const createAttempt = async () => ({ key: `attempt-${++writes}`, context: await readContext() })

  const read = async (plural: string, remoteId: string) => {
    const steps = writerOf(plural).get(remoteId, undefined, await readContext())
    const raw = await runSteps(connector, steps, send)
    if (raw === undefined) throw new Error(`${plural} has no ${remoteId}.`)
    return mapRecord(plural, raw)
  }

  /** The record as the service would have stored it. */
  const readStored = async (plural: string, remoteId: string): Promise<StoredRecord> => ({
    remoteId,
    record: (await read(plural, remoteId)).row,
  })

  return {
    simulator,
    company,
    sendRequest,
    readContext,
    map: async (plural: string, raw: unknown) => (await mapRecord(plural, raw)).shown,
    list: async (plural: string, since?: string): Promise<readonly Row[]> =>
      Promise.all(
        (await listRaw(plural, since)).map(async (raw) => (await mapRecord(plural, raw)).shown),
      ),
    get: async (plural: string, remoteId: string): Promise<Row> =>
      (await read(plural, remoteId)).shown,
    create: async (plural: string, fields: Fields, remoteFields: Fields = {}): Promise<Row> => {
      const { create } = writerOf(plural)
      if (!create) throw new Error(`${plural} cannot be created.`)
      const steps = create.steps({ fields, remoteFields }, await createAttempt())
      return (await mapRecord(plural, await runSteps(connector, steps, send))).shown
    },
    update: async (plural: string, remoteId: string, fields: Fields): Promise<Row> => {
      const { update } = writerOf(plural)
      if (!update) throw new Error(`${plural} cannot be updated.`)
      const before = await readStored(plural, remoteId)
      const steps = update.steps({ fields, remoteFields: {} }, before, await createAttempt())
      return (await mapRecord(plural, await runSteps(connector, steps, send))).shown
    },
    /** The unified name of the field that the app rejects in a new record; undefined if it names none. */
    refusedField: async (
      plural: string,
      fields: Fields,
      remoteFields: Fields,
    ): Promise<string | undefined> => {
      const { create } = writerOf(plural)
      if (!create) throw new Error(`${plural} cannot be created.`)
      const steps = create.steps({ fields, remoteFields }, await createAttempt())
      const failure = await runSteps(connector, steps, send).then(
        () => undefined,
        (error: unknown) => error,
      )
      // The connector itself names unified fields.
      if (failure instanceof WriteRejection) return failure.field
      if (!(failure instanceof StepFailure))
        throw failure ?? new Error('The app accepted the record.')
      return failure.field && unifiedField(resourceOf(plural).mapping, failure.field)
    },
    remove: async (plural: string, remoteId: string): Promise<void> => {
      const { delete: remove } = writerOf(plural)
      if (!remove) throw new Error(`${plural} cannot be deleted.`)
      const steps = remove.steps(await readStored(plural, remoteId), await createAttempt())
      await runSteps(connector, steps, send)
    },
  }
}

export type Harness = ReturnType<typeof openHarness>
