/** Pagers made of pagers: several passes, records by id, and values of the first page. */
import {
  type ListPage,
  type ListPosition,
  type Pager,
  type ReadMany,
  RecordNotFoundError,
  type ResourceWriter,
} from '../connector.ts'
import type { Json } from '../json.ts'
import { textsAt, type Values, valuesOf } from '../raw-values.ts'
import type { Steps } from '../steps.ts'
import { around, inner, type ListStart, mapCursors, memberOf, nextCursorsOf } from './pager.ts'

/** A page that may have a token for the start of the next listing. */
type TokenPage = ListPage & { readonly token?: Json }

/** Returns the token of an earlier page with the last page, where the engine expects it. */
const withLastToken = (pager: Pager): Pager => {
  const hasToken = (position: ListPosition) => memberOf(position.cursor, 'token') !== undefined
  return {
    listRequest: (position) => pager.listRequest(hasToken(position) ? inner(position) : position),
    readList: (response, position) => {
      const at = hasToken(position) ? inner(position) : position
      const page: TokenPage = pager.readList(response, at)
      const { token = memberOf(position.cursor, 'token'), ...rest } = page
      if (token === undefined) return page
      const withToken = mapCursors(rest, (cursor) => around({ token }, cursor))
      return rest.next === undefined ? { ...withToken, token } : withToken
    },
  }
}

/** Replaces each record of a pager by any number of records. `context` is that of the account. */
export const mapRecords = (
  pager: Pager,
  recordsOf: (record: unknown, context: unknown) => readonly unknown[],
): Pager => ({
  listRequest: pager.listRequest,
  readList: (response, position) => {
    const page = pager.readList(response, position)
    const { context } = position
    return { ...page, records: page.records.flatMap((record) => recordsOf(record, context)) }
  },
})

/** Reports each record of a pager as deleted. @param idsOf the ids of the deleted records that it names */
export const asDeleted = (pager: Pager, idsOf: (record: unknown) => readonly string[]): Pager => ({
  listRequest: pager.listRequest,
  readList: (response, position) => {
    const page = pager.readList(response, position)
    return { ...page, records: [], deleted: page.records.flatMap(idsOf) }
  },
})

/** Replaces each record that is read by its id by any number of records. */
export const mapReadMany = (
  readMany: ReadMany,
  recordsOf: (record: unknown, context: unknown) => readonly unknown[],
): ReadMany => ({
  ...readMany,
  read: (response, context) =>
    readMany.read(response, context).flatMap((record) => recordsOf(record, context)),
})

/**
 * Lists with several pagers, one after another: `{ active, archived }`. The names are part of the cursor: a pass
 * keeps its place in a new version of the code if it keeps its name.
 * @param passesOf the passes by name; they may differ for a full listing, whose `since` is undefined
 */
export const passes = (passesOf: (start: ListStart) => Readonly<Record<string, Pager>>): Pager => {
  const passAt = (position: ListPosition) => {
    const { cursor, ...start } = position
    const all = Object.entries(passesOf(start))
    const found = all.findIndex(([name]) => name === memberOf(cursor, 'pass'))
    const index = Math.max(found, 0)
    const pass = all[index]
    if (!pass) throw new TypeError('A listing needs at least one pass.')
    const [name, pager] = pass
    // The cursor of an unknown pass is not one of the first pass.
    const at = found < 0 ? { ...start, cursor: undefined } : inner(position)
    const later = found < 0 ? undefined : memberOf(cursor, 'later')
    return {
      name,
      pager,
      at,
      later: Array.isArray(later) ? later : [],
      following: all[index + 1]?.[0],
    }
  }
  return withLastToken({
    listRequest: (position) => {
      const { pager, at } = passAt(position)
      return pager.listRequest(at)
    },
    readList: (response, position) => {
      const { name, pager, at, later, following } = passAt(position)
      const page = pager.readList(response, at)
      if (following === undefined && later.length === 0)
        return mapCursors(page, (cursor) => around({ pass: name }, cursor))
      // The partitions of a pass are listed one after another: the following pass starts after the last one.
      const { partitions: _, ...listed } = page
      const [next, ...rest] = [...nextCursorsOf(page), ...later]
      const facts = { pass: name, ...(rest.length > 0 && { later: rest }) }
      const end = following === undefined ? undefined : { pass: following }
      return {
        ...mapCursors(listed, (cursor) => around({ pass: name }, cursor)),
        next: next === undefined ? end : around(facts, next),
      }
    },
  })
}

const idsIn = (position: ListPosition): readonly string[] | undefined => {
  const ids = memberOf(position.cursor, 'ids')
  return Array.isArray(ids) && ids.length > 0 ? ids.map(String) : undefined
}

// At least as many as the engine requests at the same time.
const MAX_PREFETCH = 16

/** The cursor after a page: first the ids to read, then the next page of the trace. */
const cursorOf = (ids: readonly string[], at: Json | undefined): Json | undefined =>
  ids.length === 0 && at === undefined ? undefined : around(ids.length > 0 ? { ids } : {}, at)

/** The cursors of the batches of ids after the first one, and that of the next page of the trace. */
const cursorsAfter = (
  ids: readonly string[],
  at: Json | undefined,
  { maxIds }: ReadMany,
): readonly Json[] => {
  const cursors: Json[] = []
  for (let rest = ids.slice(maxIds); ; rest = rest.slice(maxIds)) {
    const cursor = cursorOf(rest, at)
    if (cursor === undefined || cursors.length >= MAX_PREFETCH) return cursors
    cursors.push(cursor)
    if (rest.length === 0) return cursors
  }
}

/**
 * Lists records whose ids another listing yields, such as the orders of changed payments. The ids of each page are
 * read in batches before the next page is requested.
 * @param ids the path of the ids in a record of the other listing, or a function; repeated ids of a page are read once
 */
export const fetchTraced = (
  trace: Pager,
  ids: string | ((record: unknown) => readonly string[]),
  readMany: ReadMany,
): Pager => {
  const idsOf = typeof ids === 'string' ? (record: unknown) => textsAt(record, ids) : ids
  return withLastToken({
    listRequest: (position) => {
      const traced = idsIn(position)
      return traced
        ? readMany.request(traced.slice(0, readMany.maxIds), position.context)
        : trace.listRequest(inner(position))
    },
    readList: (response, position) => {
      const traced = idsIn(position)
      if (traced) {
        const rest = traced.slice(readMany.maxIds)
        const at = memberOf(position.cursor, 'at')
        const prefetch = cursorsAfter(rest, at, readMany)
        const found = readMany.read(response, position.context)
        return { records: found, next: cursorOf(rest, at), prefetch }
      }
      const { records, next, ...page } = trace.readList(response, inner(position))
      const found = [...new Set(records.flatMap(idsOf))]
      return {
        ...mapCursors({ ...page, records: [], next }, (at) => ({ at })),
        next: cursorOf(found, next),
        prefetch: cursorsAfter(found, next, readMany),
      }
    },
  })
}

/** All records of a pager, for steps that search a listing. */
export function* readAll(pager: Pager, context?: unknown): Steps<readonly unknown[]> {
  const found: unknown[] = []
  const cursors: (Json | undefined)[] = [undefined]
  while (cursors.length > 0) {
    const position = { since: undefined, cursor: cursors.shift(), context }
    const page = pager.readList(yield pager.listRequest(position), position)
    found.push(...page.records)
    cursors.unshift(...nextCursorsOf(page))
  }
  return found
}

/** The first record of a pager that meets a condition; undefined if none does. It reads no further pages. */
export function* findIn(
  pager: Pager,
  holds: (record: unknown) => boolean,
  context?: unknown,
): Steps<unknown> {
  for (let cursor: Json | undefined; ; ) {
    const position = { since: undefined, cursor, context }
    const { records, next } = pager.readList(yield pager.listRequest(position), position)
    const found = records.find(holds)
    if (found !== undefined || next === undefined) return found
    cursor = next
  }
}

/** The records with these ids, in batches. */
export function* readByIds(
  readMany: ReadMany,
  ids: readonly string[],
  context?: unknown,
): Steps<readonly unknown[]> {
  const found: unknown[] = []
  for (let start = 0; start < ids.length; start += readMany.maxIds) {
    const batch = ids.slice(start, start + readMany.maxIds)
    found.push(...readMany.read(yield readMany.request(batch, context), context))
  }
  return found
}

/** Reads a record before or after a write. @throws RecordNotFoundError if the app does not have it */
export function* readOne(readMany: ReadMany, id: string, context?: unknown): Steps<Values> {
  const [record] = yield* readByIds(readMany, [id], context)
  if (record === undefined)
    throw new RecordNotFoundError(`The app has no record with the id ${id}.`)
  return valuesOf(record)
}

/** The `get` of a writer whose single records are read in the same way as several. */
export const getBy = (readMany: ReadMany): ResourceWriter['get'] =>
  function* (remoteId, _, context) {
    const [record] = yield* readByIds(readMany, [remoteId], context)
    return record
  }
