/** DataLoaders for linked records: one SQL statement for each kind of link, not one for each record. */
import DataLoader from 'dataloader'
import { credentialRoute, routeOf } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import { filterKey } from '../../query/filter.ts'
import type { CredentialFacts } from '../../store/accounts/access.ts'
import {
  countLinkedRecords,
  getRecords,
  type LinkedRequest,
  listLinkedRecords,
  type RecordKey,
  type RecordPage,
} from '../../store/records/records.ts'
import type { ApiContext } from '../context.ts'

/** The source value of a record type: the parsed JSON of the record. */
export type GraphRecord = Readonly<Record<string, unknown>> & { readonly id: string }

/** Parses the JSON of a record, which PostgreSQL built. */
export const parseRecord = (json: string): GraphRecord => JSON.parse(json) as GraphRecord

export interface Loaders {
  /** Allows the loaders to read the records of these credentials, which the caller may use. */
  allow(credentials: readonly Pick<CredentialFacts, 'id'>[]): void
  /** Clears everything that was loaded, which a mutation may have changed. */
  clear(): void
  /**
   * The value of a key, read together with those of the other keys that the operation loads under the same `name`.
   * `read` returns the values in the order of the keys.
   */
  load<Value>(
    name: string,
    key: string,
    read: (keys: readonly string[]) => Promise<readonly Value[]>,
  ): Promise<Value>
  /** The credential of a record; it must be allowed. */
  credentialOf(id: string): string
  /** The record with this id; null if none exists. */
  record(resource: Resource, id: string): Promise<GraphRecord | null>
  /** A page of the records whose reference points to this id. */
  linked(request: LinkedRequest, id: string): Promise<RecordPage>
  /** The number of records whose reference points to this id. */
  linkedCount(request: LinkedRequest, id: string): Promise<number>
}

export const createLoaders = ({ database }: ApiContext): Loaders => {
  const credentials = new Map<string, string>()
  const records = new Map<Resource, DataLoader<string, GraphRecord | null>>()
  const pages = new Map<string, DataLoader<string, RecordPage>>()
  const counts = new Map<string, DataLoader<string, number>>()
  const others = new Map<string, DataLoader<string, unknown>>()

  const credentialOf = (id: string): string => {
    const credentialId = credentials.get(routeOf(id)?.route ?? '')
    if (credentialId === undefined)
      throw new RangeError(
        'The record belongs to a credential that was not allowed for this request.',
      )
    return credentialId
  }
  const keyOf = (id: string): RecordKey => ({ credentialId: credentialOf(id), id })

  const getOrCreate = <Key, Value>(map: Map<Key, Value>, key: Key, create: () => Value): Value => {
    const existing = map.get(key)
    if (existing !== undefined) return existing
    const created = create()
    map.set(key, created)
    return created
  }
  /** The loader key: fields with the same arguments share a loader. The arguments are plain data. */
  const keyOfRequest = ({ resource, filter, ...rest }: LinkedRequest): string =>
    JSON.stringify([resource.topic, filterKey(filter), rest])

  return {
    credentialOf,
    allow: (allowed) => {
      for (const { id } of allowed) credentials.set(credentialRoute(id), id)
    },
    clear: () => {
      records.clear()
      pages.clear()
      counts.clear()
      others.clear()
    },
    load: <Value>(
      name: string,
      key: string,
      read: (keys: readonly string[]) => Promise<readonly Value[]>,
    ) => {
      const loader = getOrCreate(others, name, () => new DataLoader(read))
      // Loaders with the same name read values of the same type.
      return loader.load(key) as Promise<Value>
    },
    record: (resource, id) =>
      getOrCreate(
        records,
        resource,
        () =>
          new DataLoader(async (ids: readonly string[]) => {
            const jsons = await getRecords(database, resource, ids.map(keyOf))
            return jsons.map((json) => (json === undefined ? null : parseRecord(json)))
          }),
      ).load(id),
    linked: (request, id) =>
      getOrCreate(
        pages,
        keyOfRequest(request),
        () =>
          new DataLoader((ids: readonly string[]) =>
            listLinkedRecords(database, request, ids.map(keyOf)),
          ),
      ).load(id),
    linkedCount: (request, id) =>
      getOrCreate(
        counts,
        keyOfRequest(request),
        () =>
          new DataLoader((ids: readonly string[]) =>
            countLinkedRecords(database, request, ids.map(keyOf)),
          ),
      ).load(id),
  }
}
