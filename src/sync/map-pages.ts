/** From an app's records to lines for the store: what cannot be read is counted, what can be is kept. */
import { setImmediate } from 'node:timers/promises'
import type { Json } from '../definition/connector.ts'
import { createMapper, type MappedRecord, type Mapping, type Rule } from '../definition/mapping.ts'
import { createLineWriter, type RecordLine } from '../store/record-lines.ts'
import type { AppPage } from './pages.ts'

/** A record on its way into the store. */
export interface ListedRecord extends RecordLine {
  readonly remoteId: string
}

/** A page on its way into the store, or several. */
export interface MappedPages {
  readonly pages: number
  /** The mark of the page after them; undefined after the last. */
  readonly next: Json | undefined
  /** When the first of them was asked for, by the app's clock. */
  readonly appTime: string | undefined
  /** The same by this process's steady clock. */
  readonly askedMs: number
  readonly records: readonly ListedRecord[]
  /** Records without a remote id. */
  readonly skipped: number
  /** Paths of the values that did not fit, once for each. */
  readonly problems: readonly string[]
  /** The newest change among the records, but those dated ahead of the app's own clock. */
  readonly newest: string | null
}

// No field takes a symbol: the value is reported as one that does not fit.
const UNREADABLE = Symbol('unreadable')

/** The same mapping, but a rule that fails on a strange record costs its field and not the record. */
const tolerant = (mapping: Mapping): Mapping => {
  const guard = (name: string, rule: unknown): unknown => {
    if (typeof rule !== 'function' || name === 'remoteId') return rule
    return (raw: unknown): unknown => {
      try {
        return rule(raw)
      } catch {
        return name === 'remoteFields' ? {} : UNREADABLE
      }
    }
  }
  const rules = Object.fromEntries(
    Object.entries(mapping.rules).map(([name, rule]) => [name, guard(name, rule as Rule<never>)]),
  )
  // The same names, each with a rule of the kind it had.
  return { ...mapping, rules: rules as typeof mapping.rules }
}

// Then others have their turn: above all the batch before, which takes several round trips to store.
const RECORDS_AT_ONCE = 10

// How far ahead of its own answers an app's record may be dated and still be believed.
const CLOCK_TOLERANCE_MS = 5 * 60_000

/** Prepares the mapping of one resource for the pages of one credential. */
export const createPageMapper = (
  mapping: Mapping,
  credentialId: string,
): ((page: AppPage) => Promise<MappedPages>) => {
  const map = createMapper(tolerant(mapping))
  const toLine = createLineWriter(mapping.resource)
  const mapOrSkip = (raw: unknown): MappedRecord | undefined => {
    try {
      return map(raw, credentialId)
    } catch {
      // Without a remote id there is nothing to store it under; the count of the skipped tells.
      return
    }
  }
  return async ({ records: listed, next, appTime, askedMs }) => {
    const appTimeMs = Date.parse(appTime ?? '') || Date.now()
    // A record dated later, by a clock that is wrong, does not move the mark of the next run.
    const notAfter = new Date(appTimeMs + CLOCK_TOLERANCE_MS).toISOString()
    const records: ListedRecord[] = []
    const problems: string[] = []
    let newest: string | null = null
    for (const [place, raw] of listed.entries()) {
      if (place % RECORDS_AT_ONCE === 0) await setImmediate()
      const mapped = mapOrSkip(raw)
      if (mapped === undefined) continue
      const { row } = mapped
      records.push({ ...toLine(row), remoteId: row.remoteId })
      for (const { path } of mapped.problems) problems.push(path.replace(/\[\d+\]/g, '[]'))
      const { remoteUpdatedAt } = row
      if (typeof remoteUpdatedAt === 'string' && remoteUpdatedAt <= notAfter)
        newest = laterOf(newest, remoteUpdatedAt)
    }
    return {
      pages: 1,
      next,
      appTime,
      askedMs,
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

/** Pages that follow each other, as one. */
export const joinPages = (pages: readonly [MappedPages, ...MappedPages[]]): MappedPages => {
  const [{ appTime, askedMs }] = pages
  const sum = (of: (page: MappedPages) => number): number =>
    pages.reduce((total, page) => total + of(page), 0)
  return {
    pages: sum((page) => page.pages),
    next: pages.at(-1)?.next,
    ...{ appTime, askedMs },
    records: pages.flatMap(({ records }) => records),
    skipped: sum(({ skipped }) => skipped),
    problems: pages.flatMap(({ problems }) => problems),
    newest: pages.map(({ newest }) => newest).reduce(laterOf),
  }
}
