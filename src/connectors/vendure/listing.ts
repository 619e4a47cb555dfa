/**
 * How every collection is listed. Vendure's `updatedAt` does not move with much that matters
 * (NOTES 13, 14), so a listing of changes is several passes: records that say themselves that they
 * changed, and traces, which say of which records some part has changed.
 */
import {
  type Json,
  type ListPage,
  RecordAbsent,
  type ResourceConnector,
  type Steps,
} from '../../definition/connector.ts'
import type { Mapping } from '../../definition/mapping.ts'
import { entriesOf, query, rootFields, type Values, valuesOf } from './graphql.ts'
import type { ShopAnswer, ShopQuestion } from './shop.ts'

const lists = {
  customers: 'CustomerListOptions',
  orders: 'OrderListOptions',
  products: 'ProductListOptions',
  productVariants: 'ProductVariantListOptions',
} as const

type ListName = keyof typeof lists
type Filter = { readonly [name: string]: Json }

/** Records whose parts are looked at, to find those that must be fetched. */
export interface Trace {
  readonly list: ListName
  readonly fields: string
  /** The record that an entry says has changed; undefined if it says nothing new. */
  idOf(entry: Values): string | undefined
}

/** One way through a list. */
export interface Pass {
  readonly filter: Filter
  /** Without it, the pass gives the records themselves. */
  readonly trace?: Trace
}

export interface Listing {
  readonly mapping: Mapping
  readonly list: ListName
  /** What is asked of each record. */
  readonly fields: string
  /** At most the merchant's `adminListQueryLimit`, 1,000 by default. */
  readonly pageSize: number
  /** What makes an entry of the list a record at all. */
  readonly filter?: Filter
  /** What must be known of the shop to read the records. */
  readonly shop?: ShopQuestion
  /** Records enter and leave the list without a trace, and are few enough to be counted each time. */
  readonly isCounted?: true
  /** The passes that find every record changed after an instant. */
  changesSince(since: string): readonly Pass[]
  /** The records that an entry of the list holds; by default, itself. */
  recordsOf?(entry: Values): readonly Values[]
}

/** The mark of a page. */
type Place = {
  /** Index of the pass; past the last, only `ids` are left. */
  readonly pass: number
  readonly skip: number
  /** `totalItems` of the page before; 0 before the first. */
  readonly total: number
  /** Traced records, fetched before the pass goes on. */
  readonly ids: readonly string[] | null
  readonly shop: ShopAnswer | null
}

const FIRST_PLACE: Place = { pass: 0, skip: 0, total: 0, ids: null, shop: null }

/** The place of a mark; only `readList` makes marks. */
const placeOf = (cursor: Json | undefined): Place =>
  cursor === undefined ? FIRST_PLACE : (cursor as Place)

/** The place after a page of a pass. */
const following = (place: Place, count: number, totalItems: number): Place => {
  // What was deleted meanwhile has moved the rest up by as many: so far before this page lies what
  // was not seen. From the beginning again, a long listing of a busy shop would never end.
  const moved = Math.max(0, place.total - totalItems)
  const skip = moved > 0 ? Math.max(0, place.skip - moved) : place.skip + count
  const isOver = skip >= totalItems || (count === 0 && moved === 0)
  return isOver
    ? { ...place, pass: place.pass + 1, skip: 0, total: 0 }
    : { ...place, skip, total: totalItems }
}

const totalOf = (listed: unknown, list: ListName): number => {
  const { totalItems } = valuesOf(listed)
  if (typeof totalItems === 'number') return totalItems
  throw new Error(`Vendure answered a listing of ${list} without totalItems.`)
}

/** A collection, read by a mapping. */
export const listing = (definition: Listing): ResourceConnector => {
  const { mapping, list, fields, pageSize, shop: question } = definition
  const recordsOf = definition.recordsOf ?? ((entry: Values) => [entry])

  const passesOf = (since: string | undefined): readonly Pass[] =>
    since === undefined ? [{ filter: {} }] : definition.changesSince(since)

  /** What a place asks of which list. */
  const stepOf = (place: Place, since: string | undefined) => {
    if (place.ids)
      return {
        ...{ list, fields, trace: undefined },
        options: { filter: { ...definition.filter, id: { in: place.ids.slice(0, pageSize) } } },
      }
    const { filter, trace } = passesOf(since)[place.pass] ?? { filter: {} }
    return {
      list: trace?.list ?? list,
      fields: trace?.fields ?? fields,
      trace,
      options: {
        filter: trace && trace.list !== list ? filter : { ...definition.filter, ...filter },
        // NOTES 11: by the one key that never changes.
        sort: { id: 'ASC' },
        skip: place.skip,
        // Traces are small: as many as the shop gives.
        ...(!trace && { take: pageSize }),
      },
    }
  }

  return {
    mapping,
    listRequest: ({ since, cursor }) => {
      const place = placeOf(cursor)
      const step = stepOf(place, since)
      const shop = place.shop ? '' : (question?.query ?? '')
      return query(
        `query ($options: ${lists[step.list]}) {
          ${step.list}(options: $options) { totalItems items { ${step.fields} } } ${shop}
        }`,
        { options: step.options },
      )
    },
    readList: (response, { since, cursor }): ListPage => {
      const place = placeOf(cursor)
      const step = stepOf(place, since)
      const root = rootFields(response)
      const { items } = valuesOf(root[step.list])
      const totalItems = totalOf(root[step.list], step.list)
      if (!Array.isArray(items))
        throw new Error(`Vendure answered a listing of ${step.list} without items.`)
      const entries = entriesOf(items)
      const shop = place.shop ?? question?.read(root) ?? null

      const after = place.ids ? place : following(place, entries.length, totalItems)
      const traced = step.trace
        ? [...new Set(entries.flatMap((entry) => step.trace?.idOf(entry) ?? []))]
        : (place.ids?.slice(pageSize) ?? [])
      const next: Place = { ...after, ids: traced.length > 0 ? traced : null, shop }
      return {
        records: step.trace
          ? []
          : entries.flatMap((entry) => recordsOf(entry).map((record) => ({ ...record, ...shop }))),
        next: next.ids || next.pass < passesOf(since).length ? next : undefined,
      }
    },
    // NOTES 15: nothing tells of deletions. Orders are not deleted, but the listing of everything
    // is also what shows late changes of orders that were done long ago (NOTES 13).
    sync: {
      ...{ incremental: true, deletions: 'absent', overlapMs: 60_000 }, // NOTES 12
      ...(definition.isCounted && {
        census: {
          request: query(
            `query ($options: ${lists[list]}) { ${list}(options: $options) { totalItems } }`,
            { options: { filter: definition.filter ?? {}, take: 0 } },
          ),
          read: (response) => totalOf(rootFields(response)[list], list),
        },
      }),
    },
  }
}

/** The records of one entry of the list, as the listing gives them; none where it has no such entry. */
export function* readEntry(listed: ResourceConnector, id: string): Steps<readonly Values[]> {
  const position = { since: undefined, cursor: { ...FIRST_PLACE, ids: [id] } }
  return entriesOf(listed.readList(yield listed.listRequest(position), position).records)
}

/**
 * A record that is to be written, or just was: a mutation's own answer may be old (NOTES 13).
 * @throws RecordAbsent
 */
export function* readWritten(listed: ResourceConnector, id: unknown): Steps<Values> {
  const [record] = yield* readEntry(listed, String(id))
  if (!record) throw new RecordAbsent(`Vendure does not list ${String(id)}.`)
  return record
}
