/**
 * Full listings. A large shop is listed by a bulk operation, whose result is a file with a line for each record and for
 * each part of one (NOTES "bulk operations"). A small one is listed by pages, which needs no time to prepare.
 */
import type { AppRequest, AppResponse, Json, ListPage, Pager } from '../../definition/connector.ts'
import { rootFields } from '../../definition/graphql.ts'
import { filePartOf, fileRequest } from '../../definition/line-file.ts'
import { around, inner, mapCursors, memberOf } from '../../definition/paging/pager.ts'
import { parseJson } from '../../definition/parse-json.ts'
import {
  entriesOf,
  numberAt,
  requiredNumber,
  textsAt,
  type Values,
  valuesOf,
} from '../../definition/raw-values.ts'
import { query } from './graphql.ts'
import { type Collection, changedSince, MAX_MEDIA } from './listing.ts'
import { wholePages } from './whole-records.ts'

/** With more records than this, a bulk operation is faster than pages. */
const MAX_PAGED = 250

// A few seconds for thousands of records, hours for millions.
const POLL_MS = 5_000
// The wait for a free slot: Shopify runs at most five operations of an app at the same time.
const SLOT_MS = 60_000

const PART_BYTES = 1024 * 1024
// A record with 2,048 variants has about 1 MB.
const MAX_PART_BYTES = 16 * 1024 * 1024

const inAll = (connection: string, fields: string): string =>
  `${connection} { edges { node { ${fields} } } }`

/** The query of a bulk operation. Connections have no pages there. */
export const bulkQuery = ({ list, filter, fields, part, media }: Collection): string => {
  const parts = [
    ...(media ? [inAll('media', `id ${media}`)] : []),
    ...(part ? [inAll(part.name, part.fields)] : []),
  ]
  const name = filter === undefined ? list : `${list}(query: ${JSON.stringify(filter)})`
  return `{ ${inAll(name, [fields, ...parts].join(' '))} }`
}

/** The request for the number of records, counted up to `MAX_PAGED` + 1, and for the operations in progress. */
const statusRequest = ({ list }: Collection): AppRequest =>
  query(
    `query { ${list}Count(limit: ${MAX_PAGED + 1}) { count } bulkOperations(first: 10) { nodes { id query status } } }`,
    {},
  )

// User errors are not read: a response without an operation means that no slot is free.
const RUN = `mutation ($query: String!) {
  bulkOperationRunQuery(query: $query, groupObjects: true) { bulkOperation { id } } }`

const OPERATION = 'query ($id: ID!) { bulkOperation(id: $id) { status url } }'

const RUNNING: readonly unknown[] = ['CREATED', 'RUNNING']

const PAGES = { step: 'pages' }

const emptyPage = (next: Json | undefined, waitMs?: number): ListPage => ({
  records: [],
  next,
  ...(waitMs !== undefined && { waitMs }),
})

/** The page after the status request. It continues the operation of an interrupted listing, if there is one. */
const afterStatus = (collection: Collection, response: AppResponse): ListPage => {
  const fields = rootFields(response)
  const count = requiredNumber(fields, `${collection.list}Count.count`)
  if (count <= MAX_PAGED) return emptyPage(PAGES)
  const [own] = entriesOf(valuesOf(fields.bulkOperations).nodes).filter(
    (operation) => RUNNING.includes(operation.status) && operation.query === bulkQuery(collection),
  )
  return emptyPage(own ? { step: 'operation', id: String(own.id) } : { step: 'run' })
}

const afterRun = (response: AppResponse): ListPage => {
  const [id] = textsAt(rootFields(response), 'bulkOperationRunQuery.bulkOperation.id')
  return id === undefined
    ? emptyPage({ step: 'look' }, SLOT_MS)
    : emptyPage({ step: 'operation', id }, POLL_MS)
}

/** The page after a poll of an operation. If the operation has failed, the records are listed by pages. */
const afterPoll = (response: AppResponse, cursor: Json | undefined): ListPage => {
  const { status, url } = valuesOf(rootFields(response).bulkOperation)
  if (RUNNING.includes(status)) return emptyPage(cursor, POLL_MS)
  if (status !== 'COMPLETED') return emptyPage(PAGES)
  // A result without records has no file.
  return emptyPage(typeof url === 'string' ? { step: 'file', url, from: 0 } : undefined)
}

/** A record of a file, with its parts. */
interface Group {
  readonly record: Values
  readonly media: Values[]
  readonly parts: Values[]
  end: number
}

const isOf = (line: Values, type: string): boolean =>
  String(line.id).startsWith(`gid://shopify/${type}/`)

/** The lines of a file as records. The parts of a record follow it. */
const groupsIn = (response: AppResponse, { type, part, media }: Collection): readonly Group[] => {
  const groups: Group[] = []
  for (const { text, end } of filePartOf(response).lines) {
    const { __parentId: parentId, ...line } = valuesOf(parseJson(text))
    const last = groups.at(-1)
    if (parentId === undefined && isOf(line, type))
      groups.push({ record: line, media: [], parts: [], end })
    else if (last && parentId === last.record.id) {
      last.end = end
      const { id: _, ...image } = line
      if (part && isOf(line, part.type)) last.parts.push(line)
      else if (media) last.media.push(image)
    } else throw new Error('A line of the file belongs to no record before it.')
  }
  return groups
}

/** The record in the form of a page. */
const recordOf = ({ record, media, parts }: Group, collection: Collection): Values => ({
  ...record,
  ...(collection.media && { media: { nodes: media.slice(0, MAX_MEDIA) } }),
  ...(collection.part && { [collection.part.name]: parts }),
})

const fileAt = (cursor: Json | undefined, { fileBytes = PART_BYTES }: Collection) => ({
  url: String(memberOf(cursor, 'url')),
  from: numberAt(cursor, 'from') ?? 0,
  maxBytes: numberAt(cursor, 'maxBytes') ?? fileBytes,
})

const afterFile = (
  collection: Collection,
  response: AppResponse,
  cursor: Json | undefined,
): ListPage => {
  const groups = groupsIn(response, collection)
  const { isLast } = filePartOf(response)
  // The parts of the last record may continue in the next part of the file.
  const complete = isLast ? groups : groups.slice(0, -1)
  const records = complete.map((group) => recordOf(group, collection))
  if (isLast) return { records, next: undefined }
  const { url, from: start, maxBytes } = fileAt(cursor, collection)
  const from = complete.at(-1)?.end
  if (from !== undefined) return { records, next: { step: 'file', url, from } }
  if (maxBytes >= MAX_PART_BYTES) throw new Error('A record of the file is too large.')
  return emptyPage({ step: 'file', url, from: start, maxBytes: 2 * maxBytes })
}

/** All records of a collection. */
export const allOf = (collection: Collection): Pager => {
  const pages = wholePages(changedSince(collection, undefined), collection)
  const stepOf = (cursor: Json | undefined): Json | undefined => memberOf(cursor, 'step')
  return {
    listRequest: (position) => {
      const { cursor } = position
      switch (stepOf(cursor)) {
        case 'pages':
          return pages.listRequest(inner(position))
        case 'run':
          return query(RUN, { query: bulkQuery(collection) })
        case 'operation':
          return query(OPERATION, { id: memberOf(cursor, 'id') ?? null })
        case 'file':
          return fileRequest(fileAt(cursor, collection))
        default:
          return statusRequest(collection)
      }
    },
    readList: (response, position) => {
      const { cursor } = position
      switch (stepOf(cursor)) {
        case 'pages':
          return mapCursors(pages.readList(response, inner(position)), (at) => around(PAGES, at))
        case 'run':
          return afterRun(response)
        case 'operation':
          return afterPoll(response, cursor)
        case 'file':
          return afterFile(collection, response, cursor)
        default:
          return afterStatus(collection, response)
      }
    },
  }
}
