/** From an app's records to rows: what cannot be read is counted, what can be is kept. */
import type { Json } from '../definition/connector.ts'
import { createMapper, type Mapping, type RecordRow, type Rule } from '../definition/mapping.ts'
import type { AppPage } from './pages.ts'

/** A page on its way into the store, or several. */
export interface MappedPages {
  readonly pages: number
  /** The mark of the page after them; undefined after the last. */
  readonly next: Json | undefined
  /** When the first of them was asked for, by the app's clock. */
  readonly appTime: string | undefined
  readonly rows: readonly RecordRow[]
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

// How far ahead of its own answers an app's record may be dated and still be believed.
const CLOCK_TOLERANCE_MS = 5 * 60_000

/** Prepares the mapping of one resource for the pages of one credential. */
export const createPageMapper = (
  mapping: Mapping,
  credentialId: string,
): ((page: AppPage) => MappedPages) => {
  const map = createMapper(tolerant(mapping))
  return ({ records, next, appTime }) => {
    const appTimeMs = Date.parse(appTime ?? '') || Date.now()
    // A record dated later, by a clock that is wrong, does not move the mark of the next run.
    const notAfter = new Date(appTimeMs + CLOCK_TOLERANCE_MS).toISOString()
    const rows: RecordRow[] = []
    const problems: string[] = []
    let newest: string | null = null
    for (const raw of records) {
      try {
        const mapped = map(raw, credentialId)
        rows.push(mapped.row)
        for (const { path } of mapped.problems) problems.push(path.replace(/\[\d+\]/g, '[]'))
        const { remoteUpdatedAt } = mapped.row
        if (typeof remoteUpdatedAt === 'string' && remoteUpdatedAt <= notAfter)
          newest = laterOf(newest, remoteUpdatedAt)
      } catch {
        // Without a remote id there is nothing to store it under; the count of the skipped tells.
      }
    }
    return {
      pages: 1,
      next,
      appTime,
      rows,
      skipped: records.length - rows.length,
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
  const [first, ...rest] = pages
  return rest.reduce(
    (joined, page) => ({
      pages: joined.pages + page.pages,
      next: page.next,
      appTime: joined.appTime,
      rows: [...joined.rows, ...page.rows],
      skipped: joined.skipped + page.skipped,
      problems: [...joined.problems, ...page.problems],
      newest: laterOf(joined.newest, page.newest),
    }),
    first,
  )
}
