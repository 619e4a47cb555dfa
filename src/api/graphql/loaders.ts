/** Links between records, gathered over one request: one statement for each kind of link, not one a record. */
import DataLoader from 'dataloader'
import { credentialRoute, routeOf } from '../../definition/identity.ts'
import type { Resource } from '../../definition/resource.ts'
import type { CredentialFacts } from '../../store/access.ts'
import {
  countLinkedRecords,
  getRecords,
  type LinkedRequest,
  listLinkedRecords,
  type RecordKey,
  type RecordPage,
} from '../../store/records.ts'
import type { ApiContext } from '../context.ts'

/** A record as GraphQL resolves it: the JSON of the API, parsed. */
export type GraphRecord = Readonly<Record<string, unknown>> & { readonly id: string }

/** The text is a record of ours, written by PostgreSQL. */
export const parseRecord = (json: string): GraphRecord => JSON.parse(json) as GraphRecord

export interface Loaders {
  /** Tells the loaders of credentials that the caller may use: only their records are loaded. */
  allow(credentials: readonly Pick<CredentialFacts, 'id'>[]): void
  /** What was loaded before a mutation may be otherwise after it. */
  forget(): void
  /** The credential of a record that this request has met. */
  credentialOf(id: string): string
  /** The record with this id; null if there is none. */
  record(resource: Resource, id: string): Promise<GraphRecord | null>
  /** The page of records whose reference points to this id. */
  linked(request: LinkedRequest, id: string): Promise<RecordPage>
  linkedCount(request: LinkedRequest, id: string): Promise<number>
}

export const createLoaders = ({ database }: ApiContext): Loaders => {
  const credentials = new Map<string, string>()
  const records = new Map<Resource, DataLoader<string, GraphRecord | null>>()
  const pages = new Map<string, DataLoader<string, RecordPage>>()
  const counts = new Map<string, DataLoader<string, number>>()

  const credentialOf = (id: string): string => {
    const credentialId = credentials.get(routeOf(id)?.route ?? '')
    if (credentialId === undefined) throw new RangeError('A record of a credential not asked for.')
    return credentialId
  }
  const keyOf = (id: string): RecordKey => ({ credentialId: credentialOf(id), id })

  const remember = <Key, Value>(map: Map<Key, Value>, key: Key, make: () => Value): Value => {
    const known = map.get(key)
    if (known !== undefined) return known
    const made = make()
    map.set(key, made)
    return made
  }
  /** Fields with the same arguments share a loader; the arguments are plain data. */
  const keyOfRequest = ({ resource, ...rest }: LinkedRequest): string =>
    `${resource.topic} ${JSON.stringify(rest)}`

  return {
    credentialOf,
    allow: (allowed) => {
      for (const { id } of allowed) credentials.set(credentialRoute(id), id)
    },
    forget: () => {
      records.clear()
      pages.clear()
      counts.clear()
    },
    record: (resource, id) =>
      remember(
        records,
        resource,
        () =>
          new DataLoader(async (ids: readonly string[]) => {
            const found = await getRecords(database, resource, ids.map(keyOf))
            return found.map((json) => (json === undefined ? null : parseRecord(json)))
          }),
      ).load(id),
    linked: (request, id) =>
      remember(
        pages,
        keyOfRequest(request),
        () =>
          new DataLoader((ids: readonly string[]) =>
            listLinkedRecords(database, request, ids.map(keyOf)),
          ),
      ).load(id),
    linkedCount: (request, id) =>
      remember(
        counts,
        keyOfRequest(request),
        () =>
          new DataLoader((ids: readonly string[]) =>
            countLinkedRecords(database, request, ids.map(keyOf)),
          ),
      ).load(id),
  }
}
