/** Maps an app's records to lines for the store. Values that do not fit are counted and left out. */
import { setImmediate } from 'node:timers/promises'
import type { Json } from '../definition/connector.ts'
import { recordId } from '../definition/identity.ts'
import type { ValueReader } from '../definition/mapping/read.ts'
import {
  createMapper,
  type MappedAccount,
  type MappedRecord,
  type Mapping,
} from '../definition/mapping.ts'
import { nextCursorsOf } from '../definition/paging/pager.ts'
import { memoize } from '../memoize.ts'
import type { AppPage } from '../outbound/list-pages.ts'
import { createLineWriter, type RecordLine } from '../store/records/record-lines.ts'

/** A mapped record, ready to be stored. */
export interface ListedRecord extends RecordLine {
  readonly remoteId: string
}

/** A record that the app reports as deleted: its id, and its line if the app lists it with its fields. */
export interface Tombstone {
  readonly id: string
  readonly remoteId: string
  readonly line?: string
}

/** One or more mapped pages, ready to be stored. */
export interface MappedPages {
  readonly pages: number
  /** The cursors that the pages have returned. */
  readonly cursors: readonly Json[]
  /** The cursors at which the listing continues; empty after the last page. */
  readonly remaining: readonly Json[]
  /** How long the listing waits after the last page; absent: not at all. */
  readonly waitMs?: number | undefined
  /** The token of the last page; undefined: none. */
  readonly token: Json | undefined
  /** When the first page was requested, by the app's clock. */
  readonly appTime: string | undefined
  /** When the earliest page was requested, by `performance.now()`. */
  readonly requestedMs: number
  /** The records that exist. */
  readonly records: readonly ListedRecord[]
  /** The deleted records; not those that a later page lists as existing. */
  readonly tombstones: readonly Tombstone[]
  /** Records without a remote id. */
  readonly skipped: number
  /** The path of each value that did not fit. */
  readonly problems: readonly string[]
  /** The newest `remoteUpdatedAt` of the records, ignoring those ahead of the app's own clock. */
  readonly newest: string | null
}

// No field accepts a symbol, so the value is reported as one that does not fit.
const UNREADABLE = Symbol('unreadable')

/** A reader that loses its field, and not the whole record, if its rule throws. */
export const tolerant =
  (read: ValueReader, name: string): ValueReader =>
  (raw, record, context) => {
    try {
      return read(raw, record, context)
    } catch {
      return name === 'remoteFields' ? {} : UNREADABLE
    }
  }

// Then yield to the event loop: storing the previous batch takes several round trips.
const RECORDS_PER_TURN = 10

// How far a record may be dated ahead of the app's own clock and still be trusted.
const CLOCK_TOLERANCE_MS = 5 * 60_000

/** The functions that map and write a record; created once for each mapping. */
const recordFunctions = memoize((mapping: Mapping) => ({
  map: createMapper(mapping, tolerant),
  toLine: createLineWriter(mapping.resource),
}))

/** The account whose pages are mapped. */
export interface PageAccount extends MappedAccount {
  readonly credentialId: string
}

/**
 * Creates a function that maps the pages of one resource of one credential.
 * @param timeAt converts a time by `performance.now()` to the database's clock; it dates the pages of an app
 * that reports no time
 */
export const createPageMapper = (
  mapping: Mapping,
  { credentialId, ...account }: PageAccount,
  timeAt: (steadyMs: number) => number,
): ((page: AppPage) => Promise<MappedPages>) => {
  const { map, toLine } = recordFunctions(mapping)
  const mapOrSkip = (raw: unknown): MappedRecord | undefined => {
    try {
      return map(raw, credentialId, account)
    } catch {
      // Without a remote id the record cannot be stored; it is counted as skipped.
      return
    }
  }
  return async (page) => {
    const { records: listed, deleted = [], remaining, token, waitMs, appTime, requestedMs } = page
    const appTimeMs = Date.parse(appTime ?? '') || timeAt(requestedMs)
    // A record dated later, by a wrong clock, must not move the start of the next listing.
    const notAfter = new Date(appTimeMs + CLOCK_TOLERANCE_MS).toISOString()
    const records: ListedRecord[] = []
    const tombstones: Tombstone[] = []
    const problems: string[] = []
    let newest: string | null = null
    for (const [index, raw] of listed.entries()) {
      if (index % RECORDS_PER_TURN === 0) await setImmediate()
      const mapped = mapOrSkip(raw)
      if (mapped === undefined) continue
      const { row } = mapped
      const record = { ...toLine(row), remoteId: row.remoteId }
      if (row.remoteDeleted === true) tombstones.push(record)
      else records.push(record)
      for (const { path } of mapped.problems) problems.push(path.replace(/\[\d{1,9}\]/g, '[]'))
      const { remoteUpdatedAt } = row
      if (typeof remoteUpdatedAt === 'string' && remoteUpdatedAt <= notAfter)
        newest = laterOf(newest, remoteUpdatedAt)
    }
    const skipped = listed.length - records.length - tombstones.length
    for (const remoteId of deleted)
      tombstones.push({ id: recordId(credentialId, mapping.resource.topic, remoteId), remoteId })
    return {
      pages: 1,
      cursors: nextCursorsOf(page),
      remaining,
      token,
      waitMs,
      appTime,
      requestedMs,
      records,
      tombstones,
      skipped,
      problems,
      newest,
    }
  }
}

/** The later of two times in ISO 8601. */
export const laterOf = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b > a) ? b : a

/** How many records a page has, existing and deleted. */
export const sizeOf = ({ records, tombstones }: MappedPages): number =>
  records.length + tombstones.length

/** The remote ids on a page. */
export const remoteIdsOf = ({ records, tombstones }: MappedPages): string[] =>
  [...records, ...tombstones].map(({ remoteId }) => remoteId)

/** The deleted records of consecutive pages. */
const joinTombstones = (pages: readonly MappedPages[]): readonly Tombstone[] => {
  if (pages.every(({ tombstones }) => tombstones.length === 0)) return []
  const joined = new Map<string, Tombstone>()
  for (const { records, tombstones } of pages) {
    for (const { id } of records) joined.delete(id)
    for (const tombstone of tombstones) joined.set(tombstone.id, tombstone)
  }
  return [...joined.values()]
}

/** Joins consecutive pages into one. Of records that several pages list, the copy that was requested last counts. */
export const joinPages = (pages: readonly [MappedPages, ...MappedPages[]]): MappedPages => {
  const [{ appTime }] = pages
  const byTime = pages.toSorted((a, b) => a.requestedMs - b.requestedMs)
  const sum = (of: (page: MappedPages) => number): number =>
    pages.reduce((total, page) => total + of(page), 0)
  return {
    pages: sum((page) => page.pages),
    cursors: pages.flatMap(({ cursors }) => cursors),
    remaining: pages.at(-1)?.remaining ?? [],
    token: pages.at(-1)?.token,
    waitMs: pages.at(-1)?.waitMs,
    appTime,
    requestedMs: Math.min(...pages.map(({ requestedMs }) => requestedMs)),
    records: byTime.flatMap(({ records }) => records),
    tombstones: joinTombstones(byTime),
    skipped: sum(({ skipped }) => skipped),
    problems: pages.flatMap(({ problems }) => problems),
    newest: pages.map(({ newest }) => newest).reduce(laterOf),
  }
}
