/** Lists of the Admin API. */
import type { AppRequest, Json, Pager, ReadMany } from '../../definition/connector.ts'
import { mapReadMany, mapRecords } from '../../definition/paging/compose.ts'
import { offsetPages } from '../../definition/paging/offset.ts'
import { listReader, totalReader } from '../../definition/paging/pager.ts'
import { type Values, valuesOf } from '../../definition/raw-values.ts'
import { pascalCase } from '../../definition/resource.ts'
import type { RemoteCount, SyncDefinition } from '../../definition/sync.ts'
import { query } from './graphql.ts'
import { type Shop, shop } from './shop.ts'

/** A filter of a list. */
export type Filter = { readonly [name: string]: Json }

/** A list, what is selected of its entries, and the records that they contain. */
export interface Collection {
  readonly list: 'customers' | 'orders' | 'products' | 'productVariants'
  /** The GraphQL selection of each entry, with its `id`. */
  readonly fields: string
  readonly filter?: Filter
  /** At most, and by default, the merchant's `adminListQueryLimit` (NOTES "`take` is at most 1,000"). */
  readonly take?: number
  /** Default: the entry. */
  recordsOf?(entry: Values, settings: Shop): readonly unknown[]
}

const SHOP_LIMIT = 1000

const listRequest = ({ list, fields }: Collection, options: Filter): AppRequest =>
  query(
    // Vendure names the options of a list after its entries: `OrderListOptions`.
    `query ($options: ${pascalCase(list.slice(0, -1))}ListOptions) {
      ${list}(options: $options) { totalItems items { ${fields} } } }`,
    { options },
  )

const recordsIn =
  ({ recordsOf }: Collection) =>
  (entry: unknown, context: unknown): readonly unknown[] =>
    recordsOf ? recordsOf(valuesOf(entry), shop.of(context)) : [entry]

/** The records that match a filter, sorted by id, the only key that never changes (NOTES "lists are sorted by id"). */
export const pagesOf = (
  collection: Collection,
  matching: Filter = {},
  id: 'ASC' | 'DESC' = 'ASC',
): Pager => {
  const { list, take, filter } = collection
  const options = { filter: { ...filter, ...matching }, sort: { id }, ...(take && { take }) }
  const pages = offsetPages({
    size: take ?? SHOP_LIMIT,
    request: ({ start: skip }) => listRequest(collection, { ...options, skip }),
    records: `data.${list}.items`,
    id: 'id',
    total: `data.${list}.totalItems`,
  })
  return mapRecords(pages, recordsIn(collection))
}

/** The records of the entries with some ids. */
export const readManyOf = (collection: Collection): ReadMany => {
  const { list, take, filter } = collection
  const entries: ReadMany = {
    maxIds: take ?? SHOP_LIMIT,
    request: (ids) => listRequest(collection, { filter: { ...filter, id: { in: ids } } }),
    read: listReader(`data.${list}.items`),
  }
  return mapReadMany(entries, recordsIn(collection))
}

/** The number of entries. */
export const countOf = (collection: Collection): RemoteCount => ({
  request: listRequest({ ...collection, fields: 'id' }, { take: 0 }),
  read: totalReader(`data.${collection.list}.totalItems`),
})

/**
 * Only a full listing finds deletions (NOTES "deletions leave no trace"), and late changes of orders that were
 * completed long ago (NOTES "order updatedAt").
 */
export const sync: SyncDefinition = {
  changes: { by: 'time', overlapMs: 60_000 }, // NOTES "updatedAt is the start of the statement"
  deletions: 'compared',
  fullListingEveryMs: 3_600_000,
}
