/** The Shopify connector and a simulated shop in memory. */
import { connector } from '../../../src/connectors/shopify/manifest.ts'
import {
  type AppRequest,
  type AppResponse,
  type Json,
  type ListPosition,
  type Steps,
  WriteRejection,
} from '../../../src/definition/connector.ts'
import { recordId } from '../../../src/definition/identity.ts'
import { unifiedField } from '../../../src/definition/mapping/write.ts'
import { createMapper } from '../../../src/definition/mapping.ts'
import { textsAt, type Values, valuesOf } from '../../../src/definition/raw-values.ts'
import { createClient } from '../../simulators/client.ts'
import { createShopify } from '../../simulators/shopify/start.ts'
import { ATTEMPT, runSteps, StepFailure } from '../../support/steps.ts'
import type { Traffic } from '../field-mutations.ts'

const CREDENTIAL = 'b4f1c1de-0000-4000-8000-000000000000'
const SHOP = 'acme.myshopify.com'
const START_MS = Date.parse('2026-11-23T17:00:00Z')

/** Traffic that passes unchanged. */
export const unchanged: Traffic = { received: (body) => body, sent: (request) => request }

/** The id of the record that a reference names: `ref('customers', gid('Customer', 1))`. */
export const ref = (plural: string, remoteId: string): string =>
  recordId(CREDENTIAL, `commerce/${plural}`, remoteId)

/** The id of the simulated shop's first, second, … record of a type. */
export const gid = (type: string, number: number): string =>
  `gid://shopify/${type}/${5_400_000_000_000 + number}`

export type Fields = Readonly<Record<string, Json>>
type Row = Readonly<Record<string, unknown>>

const isEmpty = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0)

/** A row without what is empty, its id and the app's own fields. */
const withoutEmpty = ({ id: _, remoteFields: __, remoteDeleted, ...rest }: Row): Row => ({
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => !isEmpty(value))),
  ...(remoteDeleted === true && { remoteDeleted }),
})

/** Changes a response of the shop before the connector gets it. */
type Change = (body: unknown) => unknown

/** A shop whose number of records is more than pages are for. */
export const isLarge: Change = (body) => {
  const data = valuesOf(valuesOf(body).data)
  const counts = Object.keys(data).filter((name) => name.endsWith('Count'))
  const large = Object.fromEntries(counts.map((name) => [name, { count: 251 }]))
  return counts.length > 0 ? { ...valuesOf(body), data: { ...data, ...large } } : body
}

/** A shop without records, and the connector, whose traffic passes through `traffic`. */
export const openScene = (traffic: Traffic) => {
  const clock = { startMs: START_MS, frozen: true }
  const simulator = createShopify({ limited: false, clock })
  const shop = simulator.addShop(SHOP, 'Acme', { currencyCode: 'EUR' })
  const client = createClient(simulator)
  const { accessToken } = simulator.oauth.issue(SHOP)

  const fetchFile = async (url: string): Promise<AppResponse> => {
    const { status, headers, body } = await client('GET', new URL(url).pathname)
    const lines = body
      .split('\n')
      .filter(Boolean)
      .map((line) => ({ text: JSON.stringify(traffic.received(JSON.parse(line))), end: 0 }))
    return { status, headers, body: { lines, isLast: true } }
  }

  const send = async (request: AppRequest, change: Change = (body) => body) => {
    const { method, path, body, file } = traffic.sent(request)
    if (file) return fetchFile(file.url)
    const headers = { 'x-shopify-access-token': accessToken }
    const reply = await client(method, `/${SHOP}${path}`, { headers, body })
    const { status } = reply
    return { status, headers: reply.headers, body: traffic.received(change(reply.json)) }
  }
  const run = <Result>(steps: Steps<Result>): Promise<Result> => runSteps(connector, steps, send)

  const resourceOf = (plural: string) => {
    const found = connector.resources[`commerce/${plural}`]
    if (!found) throw new Error(`The connector has no ${plural}.`)
    return found
  }

  let known: unknown
  /** The context of the shop. */
  const readContext = async (): Promise<unknown> => {
    if (!connector.context) throw new Error('The connector has no context.')
    known ??= await run(connector.context.read())
    return known
  }

  const mapped = async (plural: string, raw: unknown): Promise<Row> => {
    const context = await readContext()
    const { row, problems } = createMapper(resourceOf(plural).mapping)(raw, CREDENTIAL, { context })
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
    return row
  }
  const shown = async (plural: string, raw: unknown): Promise<Row> =>
    withoutEmpty(await mapped(plural, raw))

  /** Sends a request and reads its response. @throws StepFailure */
  const exchange = (request: AppRequest, change?: Change): Promise<AppResponse> =>
    runSteps(
      connector,
      (function* (): Steps<AppResponse> {
        return yield request
      })(),
      (sent) => send(sent, change),
    )

  const writerOf = (plural: string) => {
    const { write } = resourceOf(plural)
    if (!write?.create || !write.update || !write.delete)
      throw new Error(`${plural} cannot be written.`)
    return { get: write.get, create: write.create, update: write.update, delete: write.delete }
  }
  const attempt = async () => ({ ...ATTEMPT, context: await readContext() })

  const read = async (plural: string, remoteId: string): Promise<unknown> =>
    run(writerOf(plural).get(remoteId, undefined, await readContext()))

  /** The record as the service would have stored it. */
  const stored = async (plural: string, remoteId: string) => ({
    ...{ remoteId, record: {} },
    raw: await read(plural, remoteId),
  })

  const createRaw = async (plural: string, fields: Fields, remoteFields: Fields) =>
    run(writerOf(plural).create.steps({ fields, remoteFields }, await attempt()))

  return {
    ...{ simulator, shop, run, exchange, readContext },
    /** Everything that a listing shows, the ids that it reports as deleted, and its steps. */
    list: async (plural: string, since?: string, change?: Change) => {
      const { listRequest, readList } = resourceOf(plural)
      const context = await readContext()
      const rows: Row[] = []
      const deleted: string[] = []
      const steps: Json[] = []
      for (let cursor: Json | undefined, isEnd = false; !isEnd; ) {
        const position: ListPosition = { since, cursor, context }
        const page = readList(await exchange(listRequest(position), change), position)
        for (const raw of page.records) rows.push(await shown(plural, raw))
        deleted.push(...(page.deleted ?? []))
        simulator.clock.advance(page.waitMs ?? 0)
        cursor = page.next
        // Of the passes of a listing, the steps of the one with all records.
        steps.push(...textsAt(cursor, 'at.step').slice(0, 1))
        isEnd = cursor === undefined
      }
      return { rows, deleted, steps }
    },
    /** The requests and the pages of a listing whose responses have these data. */
    listRecorded: (plural: string, since: string | undefined, data: readonly object[]) => {
      const { listRequest, readList } = resourceOf(plural)
      const variables: unknown[] = []
      const pages: unknown[] = []
      let cursor: Json | undefined
      for (const one of data) {
        const position: ListPosition = { since, cursor, context: known }
        const { body } = traffic.sent(listRequest(position))
        variables.push(valuesOf(body).variables)
        const response = { status: 200, headers: {}, body: traffic.received({ data: one }) }
        const page = readList(response, position)
        const { records, deleted, waitMs } = page
        pages.push({ count: records.length, deleted, waitMs })
        cursor = page.next
      }
      return { variables, pages, isEnd: cursor === undefined }
    },
    /** The record that the shop would show as `node`: its row and some of its own fields. */
    recorded: async (plural: string, node: object, names: readonly string[] = []) => {
      const steps = writerOf(plural).get('', undefined, await readContext())
      const body = traffic.received({ data: { node } })
      const raw = await runSteps(connector, steps, async () => ({ status: 200, headers: {}, body }))
      const row = await mapped(plural, raw)
      const rest = valuesOf(row.remoteFields)
      return { row: withoutEmpty(row), rest: names.map((name) => rest[name]) }
    },
    get: async (plural: string, remoteId: string): Promise<Row | undefined> => {
      const raw = await read(plural, remoteId)
      return raw === undefined ? undefined : shown(plural, raw)
    },
    /** What a record has beside its unified fields. */
    rest: async (plural: string, remoteId: string): Promise<Values> =>
      valuesOf((await mapped(plural, await read(plural, remoteId))).remoteFields),
    create: async (plural: string, fields: Fields, remoteFields: Fields = {}): Promise<Row> =>
      shown(plural, await createRaw(plural, fields, remoteFields)),
    update: async (plural: string, remoteId: string, fields: Fields, remoteFields: Fields = {}) => {
      const before = await stored(plural, remoteId)
      const { update } = writerOf(plural)
      const steps = update.steps({ fields, remoteFields }, before, await attempt())
      return shown(plural, await run(steps))
    },
    remove: async (plural: string, remoteId: string): Promise<void> => {
      const { delete: remove } = writerOf(plural)
      await run(remove.steps(await stored(plural, remoteId), await attempt()))
    },
    /** The unified name of the field that the connector or the shop refuses in a new record. */
    refusedField: async (plural: string, fields: Fields): Promise<string | undefined> => {
      const failure = await createRaw(plural, fields, {}).then(
        () => new Error('The shop accepted the record.'),
        (error: unknown) => error,
      )
      // The connector itself names unified fields.
      if (failure instanceof WriteRejection) return failure.field
      if (!(failure instanceof StepFailure)) throw failure
      return failure.field && unifiedField(resourceOf(plural).mapping, failure.field)
    },
  }
}

export type Scene = ReturnType<typeof openScene>
