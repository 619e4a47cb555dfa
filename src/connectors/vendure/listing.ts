/**
 * The listing of a Vendure collection. Many changes do not update `updatedAt` (NOTES "order updatedAt",
 * "product updatedAt"), so an incremental listing runs several passes: records whose own time changed, and
 * traces, which find records by a change of one of their parts.
 */
import {
  type Json,
  type ListPage,
  RecordNotFoundError,
  type ResourceConnector,
  type ResourceWriter,
  type Steps,
} from '../../definition/connector.ts'
import type { Mapping } from '../../definition/mapping.ts'
import { entriesOf, query, rootFields, type Values, valuesOf } from './graphql.ts'
import type { ShopQuery, ShopSettings } from './shop.ts'

const lists = {
  customers: 'CustomerListOptions',
  orders: 'OrderListOptions',
  products: 'ProductListOptions',
  productVariants: 'ProductVariantListOptions',
} as const

type ListName = keyof typeof lists
type Filter = { readonly [name: string]: Json }

/** A search for records with changed parts, which are then fetched by id. */
export interface Trace {
  readonly list: ListName
  readonly fields: string
  /** The id of the record that the entry shows as changed; undefined if it shows no change. */
  idOf(entry: Values): string | undefined
}

/** One paginated read of a list. */
export interface Pass {
  readonly filter: Filter
  /** The entries are a trace; absent: the entries are the records. */
  readonly trace?: Trace
}

/** The definition of a listing. */
export interface VendureListing {
  readonly mapping: Mapping
  readonly list: ListName
  /** The GraphQL selection of each entry. */
  readonly fields: string
  /** At most the merchant's `adminListQueryLimit`, 1,000 by default. */
  readonly pageSize: number
  /** Excludes entries of the list that are not records, such as carts. */
  readonly filter?: Filter
  /** The shop settings that the mapping needs. */
  readonly shop?: ShopQuery
  /** Records can enter and leave the list without a trace, so every run compares the count. */
  readonly comparesCount?: true
  /** The passes that find every record changed after an instant. */
  changesSince(since: string): readonly Pass[]
  /** The records that an entry contains. Defaults to the entry itself. */
  recordsOf?(entry: Values): readonly Values[]
}

/** The cursor of a page. */
type PageCursor = {
  /** Index of the pass. After the last pass, only `ids` remain. */
  readonly pass: number
  readonly skip: number
  /** `totalItems` of the previous page; 0 before the first. */
  readonly total: number
  /** Ids of traced records, which are fetched before the pass continues. */
  readonly ids: readonly string[] | null
  readonly shop: ShopSettings | null
}

const FIRST_PAGE: PageCursor = { pass: 0, skip: 0, total: 0, ids: null, shop: null }

// Safe: only `readList` creates cursors.
const pageCursorOf = (cursor: Json | undefined): PageCursor =>
  cursor === undefined ? FIRST_PAGE : (cursor as PageCursor)

/** The position after a page of a pass. */
const nextPage = (page: PageCursor, count: number, totalItems: number): PageCursor => {
  // Records deleted since the previous page have shifted the rest up, so go back by as many to miss none.
  // Restarting instead might never finish in a busy shop.
  const moved = Math.max(0, page.total - totalItems)
  const skip = moved > 0 ? Math.max(0, page.skip - moved) : page.skip + count
  const isOver = skip >= totalItems || (count === 0 && moved === 0)
  return isOver
    ? { ...page, pass: page.pass + 1, skip: 0, total: 0 }
    : { ...page, skip, total: totalItems }
}

const totalOf = (listed: unknown, list: ListName): number => {
  const { totalItems } = valuesOf(listed)
  if (typeof totalItems === 'number') return totalItems
  throw new Error(`Vendure's listing of ${list} has no totalItems.`)
}

/** The resource connector of a listing. */
export const listing = (definition: VendureListing): ResourceConnector => {
  const { mapping, list, fields, pageSize, shop: shopQuery } = definition
  const recordsOf = definition.recordsOf ?? ((entry: Values) => [entry])

  const passesOf = (since: string | undefined): readonly Pass[] =>
    since === undefined ? [{ filter: {} }] : definition.changesSince(since)

  /** The list, selection and options of the page at a position. */
  const stepOf = (page: PageCursor, since: string | undefined) => {
    if (page.ids)
      return {
        list,
        fields,
        trace: undefined,
        options: { filter: { ...definition.filter, id: { in: page.ids.slice(0, pageSize) } } },
      }
    const { filter, trace } = passesOf(since)[page.pass] ?? { filter: {} }
    return {
      list: trace?.list ?? list,
      fields: trace?.fields ?? fields,
      trace,
      options: {
        filter: trace && trace.list !== list ? filter : { ...definition.filter, ...filter },
        // The id is the only key that never changes (NOTES "lists are sorted by id").
        sort: { id: 'ASC' },
        skip: page.skip,
        // The entries of a trace are small, so use the shop's own limit.
        ...(!trace && { take: pageSize }),
      },
    }
  }

  return {
    mapping,
    listRequest: ({ since, cursor }) => {
      const page = pageCursorOf(cursor)
      const step = stepOf(page, since)
      const shop = page.shop ? '' : (shopQuery?.query ?? '')
      return query(
        `query ($options: ${lists[step.list]}) {
          ${step.list}(options: $options) { totalItems items { ${step.fields} } } ${shop}
        }`,
        { options: step.options },
      )
    },
    readList: (response, { since, cursor }): ListPage => {
      const page = pageCursorOf(cursor)
      const step = stepOf(page, since)
      const root = rootFields(response)
      const { items } = valuesOf(root[step.list])
      const totalItems = totalOf(root[step.list], step.list)
      if (!Array.isArray(items)) throw new Error(`Vendure's listing of ${step.list} has no items.`)
      const entries = entriesOf(items)
      const shop = page.shop ?? shopQuery?.read(root) ?? null

      const after = page.ids ? page : nextPage(page, entries.length, totalItems)
      const traced = step.trace
        ? [...new Set(entries.flatMap((entry) => step.trace?.idOf(entry) ?? []))]
        : (page.ids?.slice(pageSize) ?? [])
      const next: PageCursor = { ...after, ids: traced.length > 0 ? traced : null, shop }
      return {
        records: step.trace
          ? []
          : entries.flatMap((entry) => recordsOf(entry).map((record) => ({ ...record, ...shop }))),
        next: next.ids || next.pass < passesOf(since).length ? next : undefined,
      }
    },
    // Only a full listing finds deletions (NOTES "deletions leave no trace"). Orders are never deleted, but a
    // full listing also finds late changes of orders completed long ago (NOTES "order updatedAt").
    sync: {
      // NOTES "updatedAt is the start of the statement"
      changes: { by: 'time', overlapMs: 60_000 },
      deletions: 'compared',
      fullListingEveryMs: 3_600_000,
      ...(definition.comparesCount && {
        remoteCount: {
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

/** The records of one entry of the list, in the form of the listing; empty if the list has no such entry. */
export function* readEntry(listed: ResourceConnector, id: string): Steps<readonly Values[]> {
  const position = { since: undefined, cursor: { ...FIRST_PAGE, ids: [id] } }
  return entriesOf(listed.readList(yield listed.listRequest(position), position).records)
}

/** The `get` of a writer whose records are entries of the list. */
export const getFrom = (listed: ResourceConnector): ResourceWriter['get'] =>
  function* (id) {
    const [record] = yield* readEntry(listed, id)
    return record
  }

/**
 * Reads a record before or after a write. The response to a mutation may be stale (NOTES "order updatedAt").
 * @throws RecordNotFoundError if the list does not contain it
 */
export function* readWritten(listed: ResourceConnector, id: unknown): Steps<Values> {
  const [record] = yield* readEntry(listed, String(id))
  if (!record) throw new RecordNotFoundError(`Vendure lists no record with the id ${String(id)}.`)
  return record
}
