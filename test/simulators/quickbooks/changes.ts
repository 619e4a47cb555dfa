/** Change data capture: what has changed since a time, of several entities. */
import type { JsonObject } from '../engine/json.ts'
import type { Company } from './company.ts'
import { entities } from './entities.ts'
import { FaultException } from './faults.ts'
import { formatTime, parseTime } from './times.ts'

const LOOK_BACK_MS = 30 * 86_400_000
const MAX_OBJECTS = 1000

const invalidRequest = (detail: string): FaultException =>
  new FaultException({
    code: '2020',
    Message: 'Invalid change data capture request',
    Detail: detail,
  })

/** The latest change of each record of an entity since a time, oldest first. */
const changedSince = (company: Company, entity: string, sinceMs: number): readonly JsonObject[] => {
  // Times of records have whole seconds, so the start has as well.
  const startMs = Math.floor(sinceMs / 1000) * 1000
  const latest = new Map<string, JsonObject>()
  for (const { type, id, atMs, after } of company.store.changesAfter(0)) {
    if (type !== entity || atMs < startMs) continue
    latest.delete(id)
    const MetaData = { LastUpdatedTime: formatTime(atMs) }
    latest.set(
      id,
      after === undefined
        ? { domain: 'QBO', status: 'Deleted', Id: id, MetaData }
        : (company.find(entity, id) ?? {}),
    )
  }
  return [...latest.values()]
}

const queryResponse = (entity: string, records: readonly JsonObject[]): JsonObject =>
  records.length === 0
    ? {}
    : {
        [entity]: records,
        startPosition: 1,
        maxResults: records.length,
        totalCount: records.length,
      }

/** Settings of the changes that a company reports. */
export interface ChangeLimits {
  /** Whether 1,000 objects are the limit of a response, or of each entity in it. */
  readonly limitedBy: 'response' | 'entity'
}

/**
 * The `CDCResponse` of these entities.
 * @throws FaultException if an entity has no changes or the time is not within 30 days
 */
export const listChanges = (
  company: Company,
  { names, since }: { readonly names: readonly string[]; readonly since: string },
  { limitedBy }: ChangeLimits,
): readonly JsonObject[] => {
  const sinceMs = parseTime(since)
  if (sinceMs === undefined) throw invalidRequest(`changedSince ${since} is not a time`)
  if (sinceMs < company.clock.nowMs() - LOOK_BACK_MS)
    throw invalidRequest(`changedSince ${since} is more than 30 days ago`)
  const unknown = names.find((name) => !entities.get(name)?.hasChanges)
  if (unknown !== undefined) throw invalidRequest(`The entity ${unknown} is not supported`)
  let remaining = MAX_OBJECTS
  const responses = names.map((name) => {
    const found = changedSince(company, name, sinceMs).slice(0, remaining)
    if (limitedBy === 'response') remaining -= found.length
    return queryResponse(name, found)
  })
  return [{ QueryResponse: responses }]
}
