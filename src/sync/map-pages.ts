/** Maps an app's records to lines for the store. Values that do not fit are counted and left out. */
import { setImmediate } from 'node:timers/promises'
import type { Json } from '../definition/connector.ts'
import type { ValueReader } from '../definition/mapping/read.ts'
import { createMapper, type MappedRecord, type Mapping } from '../definition/mapping.ts'
import type { AppPage } from '../outbound/list-pages.ts'
import { createLineWriter, type RecordLine } from '../store/records/record-lines.ts'

/** A mapped record, ready to be stored. */
export interface ListedRecord extends RecordLine {
  readonly remoteId: string
}

/** One or more mapped pages, ready to be stored. */
export interface MappedPages {
  readonly pages: number
  /** The cursor of the next page; undefined after the last. */
  readonly next: Json | undefined
  /** When the first page was requested, by the app's clock. */
  readonly appTime: string | undefined
  /** When the first page was requested, by `performance.now()`. */
  readonly requestedMs: number
  readonly records: readonly ListedRecord[]
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
  (raw, record) => {
    try {
      return read(raw, record)
    } catch {
      return name === 'remoteFields' ? {} : UNREADABLE
    }
  }

// Then yield to the event loop: storing the previous batch takes several round trips.
const RECORDS_PER_TURN = 10

// How far a record may be dated ahead of the app's own clock and still be trusted.
const CLOCK_TOLERANCE_MS = 5 * 60_000

/**
 * Creates a function that maps the pages of one resource of one credential.
 * @param timeAt converts a time by `performance.now()` to the database's clock; it dates the pages of an app
 * that reports no time
 */
export const createPageMapper = (
  mapping: Mapping,
  credentialId: string,
  timeAt: (steadyMs: number) => number,
): ((page: AppPage) => Promise<MappedPages>) => {
  const map = createMapper(mapping, tolerant)
  const toLine = createLineWriter(mapping.resource)
  const mapOrSkip = (raw: unknown): MappedRecord | undefined => {
    try {
      return map(raw, credentialId)
    } catch {
      // Without a remote id the record cannot be stored; it is counted as skipped.
      return
    }
  }
  return async ({ records: listed, next, appTime, requestedMs }) => {
    const appTimeMs = Date.parse(appTime ?? '') || timeAt(requestedMs)
    // A record dated later, by a wrong clock, must not move the start of the next listing.
    const notAfter = new Date(appTimeMs + CLOCK_TOLERANCE_MS).toISOString()
    const records: ListedRecord[] = []
    const problems: string[] = []
    let newest: string | null = null
    for (const [index, raw] of listed.entries()) {
      if (index % RECORDS_PER_TURN === 0) await setImmediate()
      const mapped = mapOrSkip(raw)
      if (mapped === undefined) continue
      const { row } = mapped
      records.push({ ...toLine(row), remoteId: row.remoteId })
      for (const { path } of mapped.problems) problems.push(path.replace(/\[\d{1,9}\]/g, '[]'))
      const { remoteUpdatedAt } = row
      if (typeof remoteUpdatedAt === 'string' && remoteUpdatedAt <= notAfter)
        newest = laterOf(newest, remoteUpdatedAt)
    }
    return {
      pages: 1,
      next,
      appTime,
      requestedMs,
      records,
      skipped: listed.length - records.length,
      problems,
      newest,
    }
  }
}

/** The later of two times in ISO 8601. */
export const laterOf = (a: string | null, b: string | null): string | null =>
  a === null || (b !== null && b > a) ? b : a

/** Joins consecutive pages into one. */
export const joinPages = (pages: readonly [MappedPages, ...MappedPages[]]): MappedPages => {
  const [{ appTime, requestedMs }] = pages
  const sum = (of: (page: MappedPages) => number): number =>
    pages.reduce((total, page) => total + of(page), 0)
  return {
    pages: sum((page) => page.pages),
    next: pages.at(-1)?.next,
    appTime,
    requestedMs,
    records: pages.flatMap(({ records }) => records),
    skipped: sum(({ skipped }) => skipped),
    problems: pages.flatMap(({ problems }) => problems),
    newest: pages.map(({ newest }) => newest).reduce(laterOf),
  }
}
