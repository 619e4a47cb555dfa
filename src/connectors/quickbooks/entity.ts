/** The entities of a company: their queries, and the requests that write them. */
import type {
  AppRequest,
  AppResponse,
  AttemptFacts,
  Json,
  Pager,
  ReadMany,
  StoredRecord,
} from '../../definition/connector.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import { unifiedField } from '../../definition/mapping/unified-field.ts'
import type { Mapping } from '../../definition/mapping.ts'
import { getBy, mapReadMany, mapRecords } from '../../definition/paging/compose.ts'
import { offsetPages } from '../../definition/paging/offset.ts'
import { withQuery } from '../../definition/paging/pager.ts'
import { entriesOf, type Values, valuesOf } from '../../definition/raw-values.ts'
import type { SyncDefinition } from '../../definition/sync.ts'
import { isObject } from '../../definition/value.ts'

/** The subject of error messages. */
export const app = 'QuickBooks'

/** A kind of record of QuickBooks. */
export interface Entity {
  /** The name in queries and responses: `BillPayment`. In a path it is in lower case. */
  readonly name: string
  /** The records can be inactive; queries leave those out unless they filter by it (NOTES "inactive records"). */
  readonly hasActive?: true
  /** The resource has records of several entities, so a remote id starts with the name: `BillPayment-12`. */
  readonly isShared?: true
  /** What every write has to contain, also a sparse update (NOTES "sparse updates"). */
  readonly requires?: readonly string[]
  /** Which records are listed. Default: all. */
  isListed?(record: Values): boolean
}

const PAGE_SIZE = 1000 // the most that MAXRESULTS allows
const MAX_IDS = 100

/** Records of a shared resource name their entity, because nothing else in them does. */
export const ENTITY_TYPE = 'EntityType'

/** The remote id of a record. */
export const remoteIdOf = ({ name, isShared }: Entity, id: unknown): string =>
  isShared ? `${name}-${id}` : String(id)

/** The remote id of a record of the same entity as a record of a shared resource, such as its parent. */
export const sharedIdOf = (record: Values, id: unknown): string =>
  remoteIdOf({ name: String(record[ENTITY_TYPE]), isShared: true }, id)

/** The app's own id in a remote id; undefined if it is that of another entity. */
export const idIn = ({ name, isShared }: Entity, remoteId: string): string | undefined => {
  if (!isShared) return remoteId
  return remoteId.startsWith(`${name}-`) ? remoteId.slice(name.length + 1) : undefined
}

/** The record as a listing shows it; none if it is not listed. */
export const listedAs = (entity: Entity, record: unknown): readonly Values[] => {
  const values = valuesOf(record)
  if (entity.isListed?.(values) === false) return []
  return [entity.isShared ? { ...values, [ENTITY_TYPE]: entity.name } : values]
}

const recordsIn = (entity: Entity, { body }: AppResponse): readonly Values[] => {
  const { QueryResponse: found } = valuesOf(body)
  // Without a match, it is an empty object.
  if (isObject(found)) return entriesOf(found[entity.name])
  throw new Error(`The response to the query of ${entity.name} has no QueryResponse.`)
}

const quoted = (text: string): string => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const query = (
  { name, hasActive }: Entity,
  conditions: readonly string[],
  rest: string,
): AppRequest => {
  const all = hasActive ? [...conditions, 'Active IN (true, false)'] : conditions
  const where = all.length > 0 ? ` WHERE ${all.join(' AND ')}` : ''
  return {
    method: 'GET',
    path: withQuery('/query', { query: `SELECT * FROM ${name}${where} ${rest}` }),
  }
}

/** The records of an entity, by id; those changed since a time if the listing has one. */
export const pagesOf = (entity: Entity): Pager =>
  mapRecords(
    offsetPages({
      size: PAGE_SIZE,
      request: ({ since, start, max }) =>
        query(
          entity,
          since === undefined ? [] : [`MetaData.LastUpdatedTime >= ${quoted(since)}`],
          `ORDERBY Id STARTPOSITION ${start + 1} MAXRESULTS ${max}`,
        ),
      records: (response) => ({ records: recordsIn(entity, response) }),
      id: 'Id',
      isLast: (_, { count }) => count < PAGE_SIZE,
    }),
    (record) => listedAs(entity, record),
  )

/** Reads records of an entity by the app's own ids. */
export const readManyOf = (entity: Entity): ReadMany =>
  mapReadMany(
    {
      maxIds: MAX_IDS,
      request: (ids) =>
        query(entity, [`Id IN (${ids.map(quoted).join(', ')})`], `MAXRESULTS ${MAX_IDS}`),
      read: (response) => recordsIn(entity, response),
    },
    (record) => listedAs(entity, record),
  )

/** Reads a record of one of several entities by its remote id. */
export const getOneOf = (entities: readonly Entity[]): ReturnType<typeof getBy> =>
  function* (remoteId, stored, context) {
    for (const entity of entities) {
      const id = idIn(entity, remoteId)
      if (id !== undefined) return yield* getBy(readManyOf(entity))(id, stored, context)
    }
    return undefined
  }

/** The request that writes a record. `requestid` makes a repetition harmless (NOTES "repeated writes"). */
export const post = (
  { name }: Entity,
  body: JsonObject,
  { key }: AttemptFacts,
  operation?: 'delete',
): AppRequest => ({
  method: 'POST',
  path: withQuery(`/${name.toLowerCase()}`, { operation, requestid: key }),
  body,
})

/** The record that a write returns. @throws Error if the response has none */
export const writtenIn = (entity: Entity, { body }: AppResponse): Values => {
  const record = valuesOf(body)[entity.name]
  if (isObject(record)) return listedAs(entity, record)[0] ?? record
  throw new Error(`The response has no ${entity.name}.`)
}

/** What names a stored record and its version in a write (NOTES "versions"). */
export const versionOf = (
  entity: Entity,
  { remoteId, record }: StoredRecord,
): { readonly Id: string; readonly SyncToken: string } => ({
  Id: idIn(entity, remoteId) ?? remoteId,
  SyncToken: String(valuesOf(record.remoteFields).SyncToken),
})

/** The body of an update of the stored version: what changes, and what every write has to contain. */
export const sparseOf = (
  entity: Entity,
  mapping: Mapping,
  changes: JsonObject,
  stored: StoredRecord,
): JsonObject => {
  const { record } = stored
  const present = (entity.requires ?? []).flatMap((name): [string, Json][] => {
    const value = valuesOf(record.remoteFields)[name] ?? record[unifiedField(mapping, name) ?? '']
    // Safe: a value of the app's record.
    return value === undefined || value === null ? [] : [[name, value as Json]]
  })
  return { ...Object.fromEntries(present), ...changes, ...versionOf(entity, stored), sparse: true }
}

/** The names that only the connector sets. */
export const RESERVED = ['Id', 'SyncToken', 'MetaData', 'domain', 'sparse', 'status', ENTITY_TYPE]

const WEEK_MS = 7 * 24 * 3_600_000

/** NOTES "changes", "deletions". Times have seconds; the overlap covers transactions that end late. */
export const sync: SyncDefinition = {
  changes: { by: 'time', overlapMs: 60_000 },
  deletions: 'compared',
  fullListingEveryMs: WEEK_MS,
}
