/**
 * The listing of a Vendure collection. Many changes do not update `updatedAt` (NOTES "order updatedAt",
 * "product updatedAt"), so an incremental listing runs several passes: records whose own time changed, and
 * traces, which find records by a change of one of their parts.
 */
import {
  type AppRequest,
  type AppResponse,
  type Json,
  type Pager,
  type ReadMany,
  RecordNotFoundError,
  type ResourceConnector,
  type Steps,
} from '../../definition/connector.ts'
import type { Mapping } from '../../definition/mapping.ts'
import {
  fetchTraced,
  mapRecords,
  passes,
  readByIds,
  withFirst,
} from '../../definition/paging/compose.ts'
import { offsetPages } from '../../definition/paging/offset.ts'
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
  /** The GraphQL selection of each entry, with its `id`. */
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
  /** The passes, by name, that find every record changed after an instant. */
  changesSince(since: string): Readonly<Record<string, Pass>>
  /** The records that an entry contains. Defaults to the entry itself. */
  recordsOf?(entry: Values): readonly Values[]
}

/** The resource connector of a listing. `readMany` takes the ids of the entries. */
export type ListedResource = ResourceConnector & { readonly readMany: ReadMany }

/** The shop's own limit of a page, unless the merchant has changed it (NOTES "`take` is at most 1,000"). */
const SHOP_LIMIT = 1000

/** The selection of a list's entries, and of shop settings. */
interface Selection {
  readonly list: ListName
  readonly fields: string
  readonly shopQuery?: string | undefined
}

const listQuery = ({ list, fields, shopQuery = '' }: Selection, options: Filter): AppRequest =>
  query(
    `query ($options: ${lists[list]}) {
      ${list}(options: $options) { totalItems items { ${fields} } } ${shopQuery}
    }`,
    { options },
  )

const totalOf = (response: AppResponse, list: ListName): number => {
  const { totalItems } = valuesOf(rootFields(response)[list])
  if (typeof totalItems === 'number') return totalItems
  throw new Error(`Vendure's listing of ${list} has no totalItems.`)
}

const entriesIn = (response: AppResponse, list: ListName): readonly Values[] => {
  const { items } = valuesOf(rootFields(response)[list])
  if (!Array.isArray(items)) throw new Error(`Vendure's listing of ${list} has no items.`)
  return entriesOf(items)
}

/** The pages of a list. Without `take`, the shop's own limit applies. */
const pagesOf = (selection: Selection, filter: Filter, take?: number): Pager =>
  offsetPages({
    size: take ?? SHOP_LIMIT,
    // The id is the only key that never changes (NOTES "lists are sorted by id").
    request: ({ start: skip }) =>
      listQuery(selection, { filter, sort: { id: 'ASC' }, skip, ...(take && { take }) }),
    records: (response) => ({ records: entriesIn(response, selection.list) }),
    id: 'id',
    isLast: (response, { start, count }) => start + count >= totalOf(response, selection.list),
  })

/** The resource connector of a listing. */
export const listing = (definition: VendureListing): ListedResource => {
  const { mapping, list, fields, pageSize, filter = {}, shop: shopQuery } = definition
  const { recordsOf = (entry) => [entry], changesSince } = definition
  const readShop = (response: AppResponse): ShopSettings =>
    shopQuery?.read(rootFields(response)) ?? {}
  const recordsWith = (shop: ShopSettings) => (entry: unknown) =>
    recordsOf(valuesOf(entry)).map((record) => ({ ...record, ...shop }))

  /** Reads entries by id. Without shop settings, the request queries them. */
  const byIds = (shop?: ShopSettings): ReadMany => ({
    maxIds: pageSize,
    request: (ids) =>
      listQuery(
        { list, fields, shopQuery: shop ? '' : shopQuery?.query },
        { filter: { ...filter, id: { in: ids } } },
      ),
    read: (response) => entriesIn(response, list).flatMap(recordsWith(shop ?? readShop(response))),
  })

  const passOf = (pass: Pass, shop: ShopSettings | undefined): Pager => {
    const shown = shop ? '' : shopQuery?.query
    const all = { ...filter, ...pass.filter }
    if (!pass.trace)
      return mapRecords(
        pagesOf({ list, fields, shopQuery: shown }, all, pageSize),
        recordsWith(shop ?? {}),
      )
    const { idOf, ...trace } = pass.trace
    const traced = pagesOf({ ...trace, shopQuery: shown }, trace.list === list ? all : pass.filter)
    const ids = mapRecords(traced, (entry) => {
      const id = idOf(valuesOf(entry))
      return id === undefined ? [] : [id]
    })
    return fetchTraced(ids, byIds(shop))
  }

  const pages = withFirst(readShop, (shop) =>
    passes((since) =>
      Object.fromEntries(
        Object.entries(since === undefined ? { all: { filter: {} } } : changesSince(since)).map(
          ([name, pass]) => [name, passOf(pass, shop)],
        ),
      ),
    ),
  )

  return {
    mapping,
    ...pages,
    readMany: byIds(),
    // Only a full listing finds deletions (NOTES "deletions leave no trace"). Orders are never deleted, but a
    // full listing also finds late changes of orders completed long ago (NOTES "order updatedAt").
    sync: {
      incremental: true,
      deletions: 'absent',
      // NOTES "updatedAt is the start of the statement"
      overlapMs: 60_000,
      ...(definition.comparesCount && {
        remoteCount: {
          request: query(
            `query ($options: ${lists[list]}) { ${list}(options: $options) { totalItems } }`,
            { options: { filter, take: 0 } },
          ),
          read: (response) => totalOf(response, list),
        },
      }),
    },
  }
}

/**
 * Reads a record before or after a write. The response to a mutation may be stale (NOTES "order updatedAt").
 * @throws RecordNotFoundError if the list does not contain it
 */
export function* readWritten({ readMany }: ListedResource, id: unknown): Steps<Values> {
  const [record] = yield* readByIds(readMany, [String(id)])
  if (!record) throw new RecordNotFoundError(`Vendure lists no record with the id ${String(id)}.`)
  return valuesOf(record)
}
