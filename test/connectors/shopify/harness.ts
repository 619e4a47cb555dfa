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
import { unifiedField } from '../../../src/definition/mapping/unified-field.ts'
import { createMapper } from '../../../src/definition/mapping.ts'
import { textsAt, valuesAt, valuesOf } from '../../../src/definition/raw-values.ts'
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
export const referenceTo = (plural: string, remoteId: string): string =>
  recordId(CREDENTIAL, `commerce/${plural}`, remoteId)

/** The id of the simulated shop's first, second, … record of a type. */
export const globalId = (type: string, number: number): string =>
  `gid://shopify/${type}/${5_400_000_000_000 + number}`

export type Fields = Readonly<Record<string, Json>>
type Row = Readonly<Record<string, unknown>>

const isEmpty = (value: unknown): boolean =>
  value === null || (Array.isArray(value) && value.length === 0)

/** A row without its id, its empty fields and its remote fields. */
const withoutEmpty = ({ id: _, remoteFields: __, remoteDeleted, ...rest }: Row): Row => ({
  ...Object.fromEntries(Object.entries(rest).filter(([, value]) => !isEmpty(value))),
  ...(remoteDeleted === true && { remoteDeleted }),
})

/** Replaces values of the simulator that are always null, or the same as those of another field, by field name. */
const UNSIMULATED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  onlineStoreUrl: { null: 'https://acme.example/products/lamp' },
  deliveredAt: { null: '2026-11-25T09:00:00Z' },
  estimatedDeliveryAt: { null: '2026-11-24T09:00:00Z' },
  displayStatus: { FULFILLED: 'DELIVERED' },
  province: { HH: 'Hamburg', HB: 'Bremen' },
}

const withUnsimulated = (text: string): unknown =>
  JSON.parse(text, (name, value) => UNSIMULATED[name]?.[String(value)] ?? value)

/** The paths of the remote fields that the cases compare, by resource. */
const REST: Readonly<Record<string, readonly string[]>> = {
  customers: ['note', 'tags', 'locale', 'taxExempt', 'state'],
  products: ['handle', 'publishedAt', 'variants.position', 'variants.inventoryItem.id'],
  orders: [
    'processedAt',
    'cancelledAt',
    'cancelReason',
    'closedAt',
    'test',
    'returnStatus',
    'sourceName',
    'poNumber',
    'note',
    'tags',
    'presentmentCurrencyCode',
    'taxesIncluded',
    ...['totalPriceSet', 'totalDiscountsSet', 'totalShippingPriceSet', 'totalTaxSet'].flatMap(
      (name) => [
        `${name}.presentmentMoney.amount`,
        `${name}.presentmentMoney.currencyCode`,
        `${name}.shopMoney.currencyCode`,
      ],
    ),
    ...['billingAddress', 'shippingAddress'].flatMap((name) => [
      `${name}.company`,
      `${name}.province`,
    ]),
    'lineItems.id',
    'lineItems.currentQuantity',
    'lineItems.variantTitle',
  ],
  fulfillments: ['name', 'status', 'deliveredAt', 'estimatedDeliveryAt', 'fulfillmentLineItems.id'],
}

/** Changes a response of the shop before the connector gets it. */
type Change = (body: unknown) => unknown

/** Makes the shop report so many records that the connector lists them by bulk operations. */
export const reportManyRecords: Change = (body) => {
  const data = valuesOf(valuesOf(body).data)
  const counts = Object.keys(data).filter((name) => name.endsWith('Count'))
  const large = Object.fromEntries(counts.map((name) => [name, { count: 251 }]))
  return counts.length > 0 ? { ...valuesOf(body), data: { ...data, ...large } } : body
}

/** Creates a shop without records, and a connector whose requests and responses pass through `traffic`. */
export const openHarness = (traffic: Traffic) => {
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
      .map((line) => ({ text: JSON.stringify(traffic.received(withUnsimulated(line))), end: 0 }))
    return { status, headers, body: { lines, isLast: true } }
  }

  const send = async (request: AppRequest, change: Change = (body) => body) => {
    const { method, path, body, file } = traffic.sent(request)
    if (file) return fetchFile(file.url)
    const headers = { 'x-shopify-access-token': accessToken }
    const reply = await client(method, `/${SHOP}${path}`, { headers, body })
    const received = traffic.received(change(withUnsimulated(reply.body)))
    return { status: reply.status, headers: reply.headers, body: received }
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

  const mapRecord = async (plural: string, raw: unknown): Promise<Row> => {
    const context = await readContext()
    const { row, problems } = createMapper(resourceOf(plural).mapping)(raw, CREDENTIAL, { context })
    if (problems.length > 0) throw new Error(JSON.stringify(problems))
    return row
  }
  const showRecord = async (plural: string, raw: unknown): Promise<Row> =>
    withoutEmpty(await mapRecord(plural, raw))
  const restOf = async (plural: string, raw: unknown): Promise<Row> => {
    const { remoteFields } = await mapRecord(plural, raw)
    const paths = REST[plural] ?? []
    return Object.fromEntries(paths.map((path) => [path, valuesAt(remoteFields, path)]))
  }

  /** Sends a request and reads its response. @throws StepFailure */
  const sendRequest = (request: AppRequest, change?: Change): Promise<AppResponse> =>
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
  const createAttempt = async () => ({ ...ATTEMPT, context: await readContext() })

  const read = async (plural: string, remoteId: string): Promise<unknown> =>
    run(writerOf(plural).get(remoteId, undefined, await readContext()))

  /** The record as the service would have stored it. */
  const readStored = async (plural: string, remoteId: string) => ({
    remoteId,
    record: {},
    raw: await read(plural, remoteId),
  })

  const createRaw = async (plural: string, fields: Fields, remoteFields: Fields) =>
    run(writerOf(plural).create.steps({ fields, remoteFields }, await createAttempt()))

  return {
    simulator,
    shop,
    run,
    sendRequest,
    readContext,
    /**
     * Runs a listing. @param maxPages stops the listing after this many pages @returns the listed rows, the ids
     * that it reports as deleted, and its steps
     */
    list: async (plural: string, since?: string, change?: Change, maxPages = 99) => {
      const { listRequest, readList } = resourceOf(plural)
      const context = await readContext()
      const rows: Row[] = []
      const rests: Row[] = []
      const deleted: string[] = []
      const steps: Json[] = []
      let cursor: Json | undefined
      for (let left = maxPages; left > 0; left -= 1) {
        const position: ListPosition = { since, cursor, context }
        const page = readList(await sendRequest(listRequest(position), change), position)
        for (const raw of page.records) {
          rows.push(await showRecord(plural, raw))
          rests.push(await restOf(plural, raw))
        }
        deleted.push(...(page.deleted ?? []))
        cursor = page.next
        if (cursor === undefined) break
        // The pass of the listing that returns all records; for fulfillments, it lists orders.
        steps.push(...textsAt(cursor, 'at.step'), ...textsAt(cursor, 'at.at.at.step'))
        if (left > 1) simulator.clock.advance(page.waitMs ?? 0)
      }
      return { rows, rests, deleted, steps }
    },
    /** The requests and the pages of a listing whose responses have these data. */
    listRecorded: (plural: string, since: string | undefined, data: readonly object[]) => {
      const { listRequest, readList } = resourceOf(plural)
      const variables: unknown[] = []
      const pages: unknown[] = []
      let cursor: Json | undefined
      for (const shown of data) {
        const position: ListPosition = { since, cursor, context: known }
        const { body } = traffic.sent(listRequest(position))
        variables.push(valuesOf(body).variables)
        const response = { status: 200, headers: {}, body: traffic.received({ data: shown }) }
        const page = readList(response, position)
        const { records, deleted, waitMs } = page
        pages.push({ count: records.length, deleted, waitMs })
        cursor = page.next
      }
      return { variables, pages, isEnd: cursor === undefined }
    },
    /** The row of a record that the shop shows as `node`. */
    recorded: async (plural: string, node: object): Promise<Row> => {
      const steps = writerOf(plural).get('', undefined, await readContext())
      const body = traffic.received({ data: { node } })
      return showRecord(
        plural,
        await runSteps(connector, steps, async () => ({ status: 200, headers: {}, body })),
      )
    },
    /** The variables of the requests that steps send, if the shop responds with these data. */
    runWith: async (steps: Steps<unknown>, data: readonly object[]) => {
      const sent: unknown[] = []
      const result = await runSteps(connector, steps, async (request) => {
        sent.push(valuesOf(traffic.sent(request).body).variables)
        const body = traffic.received({ data: data[sent.length - 1] })
        return { status: 200, headers: {}, body }
      })
      return { sent, result }
    },
    get: async (plural: string, remoteId: string): Promise<Row | undefined> => {
      const raw = await read(plural, remoteId)
      return raw === undefined ? undefined : showRecord(plural, raw)
    },
    /** The compared remote fields of a record. */
    rest: async (plural: string, remoteId: string): Promise<Row> =>
      restOf(plural, await read(plural, remoteId)),
    create: async (plural: string, fields: Fields, remoteFields: Fields = {}): Promise<Row> =>
      showRecord(plural, await createRaw(plural, fields, remoteFields)),
    update: async (plural: string, remoteId: string, fields: Fields, remoteFields: Fields = {}) => {
      const before = await readStored(plural, remoteId)
      const { update } = writerOf(plural)
      const steps = update.steps({ fields, remoteFields }, before, await createAttempt())
      return showRecord(plural, await run(steps))
    },
    remove: async (plural: string, remoteId: string): Promise<void> => {
      const { delete: remove } = writerOf(plural)
      await run(remove.steps(await readStored(plural, remoteId), await createAttempt()))
    },
    /** The failure of a write: its kind, its reason, and the unified name of the field at fault. */
    failureOf: async (plural: string, write: Promise<unknown>) => {
      const failure = await write.then(
        () => new Error('The shop accepted it.'),
        (error: unknown) => error,
      )
      // The connector itself names unified fields.
      if (failure instanceof WriteRejection)
        return { kind: 'refused', field: failure.field, reason: failure.reason }
      if (!(failure instanceof StepFailure)) throw failure
      const { kind, field, message: reason } = failure
      return { kind, field: field && unifiedField(resourceOf(plural).mapping, field), reason }
    },
  }
}

export type Harness = ReturnType<typeof openHarness>
