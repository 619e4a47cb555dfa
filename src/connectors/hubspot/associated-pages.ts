/**
 * Records that a search or a long list of properties reports by id only: their associations are read in batches, one
 * request for each associated type, and then the records themselves.
 */
import type {
  AppRequest,
  ListPage,
  ListPosition,
  Pager,
  Steps,
} from '../../definition/connector.ts'
import { around, inner, memberOf } from '../../definition/paging/pager.ts'
import type { Values } from '../../definition/raw-values.ts'
import { isObject } from '../../definition/value.ts'
import { crmPath, type ObjectType } from './object-type.ts'
import { propertyNames } from './portal.ts'
import { batchLinks, type Links, mergedIds, resultsOf, shownRecord } from './record.ts'

/** The most records of a batch. */
export const BATCH_SIZE = 100 // maximum of the API

const inputsOf = (ids: readonly string[]) => ids.map((id) => ({ id }))

/** The request for several records by their ids, without associations. */
export const batchRequest = (
  type: ObjectType,
  ids: readonly string[],
  context: unknown,
): AppRequest => ({
  method: 'POST',
  path: crmPath('objects', type.name, 'batch', 'read'),
  read: true,
  body: {
    properties: propertyNames(type, context),
    propertiesWithHistory: [], // required by the model of the request
    inputs: inputsOf(ids),
  },
})

const linksRequest = (type: ObjectType, target: string, ids: readonly string[]): AppRequest => ({
  method: 'POST',
  path: crmPath('associations', type.name, target, 'batch', 'read'),
  read: true,
  body: { inputs: inputsOf(ids) },
})

/** Associations by the associated type, and then by the id of the record. */
type LinksByTarget = Readonly<Record<string, Links>>

/** The records of a batch, with their associations. */
export const batchRecords = (
  type: ObjectType,
  body: unknown,
  links: LinksByTarget,
  context: unknown,
): readonly Values[] =>
  resultsOf(body).map((raw) => {
    const own = Object.keys(type.links).map((target) => [
      target,
      links[target]?.[String(raw.id)] ?? [],
    ])
    return shownRecord(type, raw, Object.fromEntries(own), context)
  })

/** Reads records with their associations; those that do not exist are left out. */
export function* readLinked(
  type: ObjectType,
  ids: readonly string[],
  context: unknown,
): Steps<readonly Values[]> {
  const links: Record<string, Links> = {}
  for (const [target, one] of Object.entries(type.links))
    links[target] = batchLinks(one, (yield linksRequest(type, target, ids)).body)
  const { body } = yield batchRequest(type, ids, context)
  return batchRecords(type, body, links, context)
}

/** The ids of a page, and the associations that are known so far; undefined while the ids are listed. */
interface Batch {
  readonly ids: readonly string[]
  readonly links: LinksByTarget
}

const batchOf = ({ cursor }: ListPosition): Batch | undefined => {
  const ids = memberOf(cursor, 'ids')
  const links = memberOf(cursor, 'links')
  if (!Array.isArray(ids) || !isObject(links)) return undefined
  // Safe: only this pager creates cursors with these members.
  return { ids: ids.map(String), links: links as LinksByTarget }
}

/** Lists the records whose ids `trace` lists, at most a batch on each page. */
export const associatedPages = (type: ObjectType, trace: Pager): Pager => {
  const nextTarget = ({ links }: Batch): string | undefined =>
    Object.keys(type.links).find((target) => !Object.hasOwn(links, target))

  const readTrace = (page: ListPage): ListPage => {
    const ids = page.records.map(String)
    if (ids.length > 0) return { records: [], next: around({ ids, links: {} }, page.next) }
    return { records: [], next: page.next === undefined ? undefined : { at: page.next } }
  }
  return {
    listRequest: (position) => {
      const batch = batchOf(position)
      if (!batch) return trace.listRequest(inner(position))
      const target = nextTarget(batch)
      return target === undefined
        ? batchRequest(type, batch.ids, position.context)
        : linksRequest(type, target, batch.ids)
    },
    readList: (response, position) => {
      const batch = batchOf(position)
      if (!batch) return readTrace(trace.readList(response, inner(position)))
      const at = memberOf(position.cursor, 'at')
      const target = nextTarget(batch)
      const link = type.links[target ?? '']
      if (target !== undefined && link) {
        const links = { ...batch.links, [target]: batchLinks(link, response.body) }
        return { records: [], next: around({ ids: batch.ids, links }, at) }
      }
      const records = batchRecords(type, response.body, batch.links, position.context)
      const next = at === undefined ? undefined : { at }
      return { records, next, deleted: mergedIds(records) }
    },
  }
}
