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

/** A list, and the GraphQL selection of each entry, with its `id`. */
interface Selection {
  readonly list: ListName
  readonly fields: string
}

/** The pagers of a listing. */
export interface VendurePages {
  /** The records that match a filter. */
  records(filter: Filter): Pager
  /** A trace: the records that the entries of a list show as changed, which are then fetched by id. */
  traced(selection: Selection, filter: Filter, idsOf: (entry: Values) => readonly string[]): Pager
}

/** The definition of a listing. */
export interface VendureListing extends Selection {
  readonly mapping: Mapping
  /** At most the merchant's `adminListQueryLimit`, 1,000 by default. */
  readonly pageSize: number
  /** Excludes entries of the list that are not records, such as carts. */
  readonly filter?: Filter
  /** The shop settings that the mapping needs. */
  readonly shop?: ShopQuery
  /** Records can enter and leave the list without a trace, so every run compares the count. */
  readonly comparesCount?: true
  /** The passes, by name, that find every record changed after an instant. */
  changesSince(since: string, pages: VendurePages): Readonly<Record<string, Pager>>
  /** The records that an entry contains. Defaults to the entry itself. */
  recordsOf?(entry: Values): readonly Values[]
}

/** The resource connector of a listing. `readMany` takes the ids of the entries. */
export type ListedResource = ResourceConnector & { readonly readMany: ReadMany }

/** The shop's own limit of a page, unless the merchant has changed it (NOTES "`take` is at most 1,000"). */
const SHOP_LIMIT = 1000

const listQuery = (
  { list, fields }: Selection,
  options: Filter,
  shopFields: string | undefined,
): AppRequest =>
  query(
    `query ($options: ${lists[list]}) {
      ${list}(options: $options) { totalItems items { ${fields} } } ${shopFields ?? ''}
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

/** The resource connector of a listing. */
export const listing = (definition: VendureListing): ListedResource => {
  const { mapping, list, pageSize, filter = {}, shop, changesSince } = definition
  const recordsOf = definition.recordsOf ?? ((entry) => [entry])
  const readShop = (response: AppResponse): ShopSettings => shop?.read(rootFields(response)) ?? {}

  /** The pagers with these shop settings. Without settings, the requests query them. */
  const pagesWith = (known?: ShopSettings): VendurePages & { readonly readMany: ReadMany } => {
    const shopFields = known ? '' : shop?.query
    const recordsIn = (settings: ShopSettings | undefined) => (entry: unknown) =>
      recordsOf(valuesOf(entry)).map((record) => ({ ...record, ...settings }))
    const readMany: ReadMany = {
      maxIds: pageSize,
      request: (ids) =>
        listQuery(definition, { filter: { ...filter, id: { in: ids } } }, shopFields),
      read: (response) => entriesIn(response, list).flatMap(recordsIn(known ?? readShop(response))),
    }
    /** The pages of a list. Without `take`, the shop's own limit applies. */
    const entries = (selection: Selection, filter: Filter, take?: number): Pager =>
      offsetPages({
        size: take ?? SHOP_LIMIT,
        // The id is the only key that never changes (NOTES "lists are sorted by id").
        request: ({ start: skip }) => {
          const options = { filter, sort: { id: 'ASC' }, skip, ...(take && { take }) }
          return listQuery(selection, options, shopFields)
        },
        records: (response) => ({ records: entriesIn(response, selection.list) }),
        id: 'id',
        total: (response) => totalOf(response, selection.list),
      })
    return {
      readMany,
      records: (matching) =>
        mapRecords(entries(definition, { ...filter, ...matching }, pageSize), recordsIn(known)),
      traced: (selection, matching, idsOf) =>
        fetchTraced(
          mapRecords(entries(selection, matching), (entry) => idsOf(valuesOf(entry))),
          readMany,
        ),
    }
  }

  return {
    mapping,
    ...withFirst(readShop, (known) => {
      const pages = pagesWith(known)
      return passes(({ since }) =>
        since === undefined ? { all: pages.records({}) } : changesSince(since, pages),
      )
    }),
    readMany: pagesWith().readMany,
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
