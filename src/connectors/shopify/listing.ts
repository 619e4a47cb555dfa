/** Lists of the Admin API: Relay connections, and the events that report deletions. */
import type { AppRequest, Json, Pager } from '../../definition/connector.ts'
import { asDeleted } from '../../definition/paging/compose.ts'
import { relayPages } from '../../definition/paging/cursor.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import type { SyncDefinition } from '../../definition/sync.ts'
import { query } from './graphql.ts'

/** The parts of a record that are a connection of their own, such as the lines of an order. */
export interface Part {
  readonly name: string
  /** The name of the type of the parts: `LineItem`. */
  readonly type: string
  /** The GraphQL selection of each part, with its `id`. */
  readonly fields: string
  /** How many parts the first request for a record returns; most records have fewer. */
  readonly first: number
  /** How many parts each further request returns. */
  readonly page: number
}

/** A type of records, and what is selected of them. */
export interface Selected {
  /** The name of the type: `Order`. */
  readonly type: string
  /** The GraphQL selection of a record, with its `id`, without the part. */
  readonly fields: string
  /** The GraphQL selection of each of its media, which are a connection without further pages. */
  readonly media?: string
  readonly part?: Part
}

/** A connection at the root of the schema. A page costs at most 1,000 points (NOTES "points"). */
export interface Collection extends Selected {
  readonly list: 'customers' | 'orders' | 'products'
  /** The records of one page. */
  readonly first: number
  /** A filter of every listing. */
  readonly filter?: string
  /** How much of the file of a bulk operation is read at a time. Default: 1 MB. */
  readonly fileBytes?: number
}

/** The media of a record that are read. */
export const MAX_MEDIA = 20

const PAGE_INFO = 'pageInfo { hasNextPage endCursor }'

/** The selection of a connection. @param page its arguments: `first: 10, after: $after` */
const connection = (name: string, page: string, fields: string): string =>
  `${name}(${page}) { nodes { ${fields} } ${PAGE_INFO} }`

/** The selection of a record without its part. */
const ownFields = ({ fields, media }: Selected): string =>
  media ? `${fields} media(first: ${MAX_MEDIA}) { nodes { ${media} } }` : fields

/** The selection of a record in a list. */
export const selectionOf = (selected: Selected): string => {
  const { part } = selected
  const fields = ownFields(selected)
  return part ? `${fields} ${connection(part.name, `first: ${part.first}`, part.fields)}` : fields
}

/** The parts to request of a single record. */
export interface PartPage {
  readonly after: Json
  readonly first: number
}

/** The request for a record with a page of its parts. */
export const nodeRequest = (
  selected: Selected,
  id: Json,
  { after, first }: PartPage,
): AppRequest => {
  const { type, part } = selected
  const fields = ownFields(selected)
  if (!part)
    return query(`query ($id: ID!) { node(id: $id) { ... on ${type} { ${fields} } } }`, { id })
  const parts = connection(part.name, `first: ${first}, after: $after`, part.fields)
  return query(
    `query ($id: ID!, $after: String) { node(id: $id) { ... on ${type} { ${fields} ${parts} } } }`,
    { id, after },
  )
}

interface Sorting {
  readonly sortKey: 'ID' | 'UPDATED_AT'
  readonly reverse?: boolean
}

/** The records that match a filter. */
export const matching = (
  collection: Collection,
  filter: string | undefined,
  { sortKey, reverse = false }: Sorting,
): Pager => {
  const { list, first } = collection
  const filters = [collection.filter, filter].filter((text) => text !== undefined).join(' ')
  const page = `first: ${first}, after: $after, query: $query, sortKey: ${sortKey}, reverse: ${reverse}`
  const document = `query ($after: String, $query: String) {
    ${connection(list, page, selectionOf(collection))} }`
  return relayPages({
    connection: `data.${list}`,
    request: ({ after = null }) =>
      query(document, { after, query: filters === '' ? null : filters }),
  })
}

/** The filter of records that have a time at or after this one. Shopify's times have no fractions of a second. */
export const notBefore = (name: string, since: string): string =>
  `${name}:>='${since.slice(0, 19)}Z'`

/** The records that have changed since a time; without one, all records. */
export const changedSince = (collection: Collection, since: string | undefined): Pager =>
  since === undefined
    ? matching(collection, undefined, { sortKey: 'ID' })
    : // The schema recommends sorting by the filtered field. A record that changes while it is listed moves to the end.
      matching(collection, notBefore('updated_at', since), { sortKey: 'UPDATED_AT' })

const EVENTS = `query ($after: String, $query: String) { ${connection(
  'events',
  'first: 100, after: $after, query: $query',
  '... on BasicEvent { action subjectId subjectType }',
)} }`

/** The ids of the records of a collection that were deleted since a time (NOTES "deletions"). */
export const deletedSince = ({ type }: Collection, since: string): Pager => {
  const subjectType = type.toUpperCase()
  const filter = `action:destroy subject_type:${subjectType} ${notBefore('created_at', since)}`
  const events = relayPages({
    connection: 'data.events',
    request: ({ after = null }) => query(EVENTS, { after, query: filter }),
  })
  return asDeleted(events, (event) => {
    const { action, subjectId, ...subject } = valuesOf(event)
    const isDeletion = action === 'destroy' && subject.subjectType === subjectType
    return isDeletion ? [String(subjectId)] : []
  })
}

/** The lag of the search index is not documented (NOTES "the search index"). */
const changes = { by: 'time', overlapMs: 300_000 } as const

const WEEK_MS = 7 * 24 * 3_600_000

/** Events report deletions; a full listing finds the others, such as merged customers. */
export const comparedSync: SyncDefinition = {
  changes,
  deletions: 'compared',
  fullListingEveryMs: WEEK_MS,
}

/** Orders leave the listing when they are 60 days old, so a record that a listing lacks may exist (NOTES "60 days"). */
export const reportedSync: SyncDefinition = { changes, deletions: 'reported' }
