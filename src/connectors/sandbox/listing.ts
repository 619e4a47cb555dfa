/** How every collection of the sandbox is listed. */
import type { AppResponse, Json, ListPage, ResourceConnector } from '../../definition/connector.ts'
import type { Mapping } from '../../definition/mapping.ts'

const PAGE_SIZE = 250 // the most that the sandbox gives
const BEGINNING = '1970-01-01T00:00:00.000Z'

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null

const readList = ({ body }: AppResponse): ListPage => {
  const { items, next } = isObject(body) ? body : {}
  if (!Array.isArray(items) || !(typeof next === 'string' || next === null))
    throw new Error('The sandbox answered a listing without items and next.')
  return { records: items, next: next ?? undefined }
}

const query = (since: string, after: Json | undefined): string =>
  new URLSearchParams({
    // NOTES 2: without it, deleted records are left out.
    modified_since: since,
    limit: String(PAGE_SIZE),
    ...(typeof after === 'string' && { after }),
  }).toString()

/** The collection `kind`, read by a mapping. */
export const collection = (kind: string, mapping: Mapping): ResourceConnector => ({
  mapping,
  listRequest: ({ since = BEGINNING, cursor }) => ({
    method: 'GET',
    path: `/v1/${kind}?${query(since, cursor)}`,
  }),
  readList,
  // NOTES 3: instants only grow, so no overlap is needed; a second costs nothing.
  sync: { incremental: true, deletions: 'reported', overlapMs: 1000 },
})
