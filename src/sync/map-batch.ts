/** From an app's records to rows: what cannot be read is counted, what can be is kept. */
import type { Json } from '../definition/connector.ts'
import { createMapper, type Mapping, type RecordRow, type Rule } from '../definition/mapping.ts'
import type { AppPage } from './pages.ts'

/** Some pages on their way into the store. */
export interface MappedBatch {
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

/** Prepares the mapping of one resource for the pages of one credential; `guard` sees each page. */
export const createBatchMapper = (
  mapping: Mapping,
  credentialId: string,
  guard: { checkPage(remoteIds: readonly string[]): void },
): ((pages: readonly [AppPage, ...AppPage[]]) => MappedBatch) => {
  const map = createMapper(tolerant(mapping))
  return (pages) => {
    const rows: RecordRow[] = []
    const problems: string[] = []
    let newest: string | null = null
    let listed = 0
    for (const { records, appTime } of pages) {
      const appTimeMs = Date.parse(appTime ?? '') || Date.now()
      // A record dated later, by a clock that is wrong, does not move the mark of the next run.
      const notAfter = new Date(appTimeMs + CLOCK_TOLERANCE_MS).toISOString()
      const firstOfPage = rows.length
      listed += records.length
      for (const raw of records) {
        try {
          const mapped = map(raw, credentialId)
          rows.push(mapped.row)
          for (const { path } of mapped.problems) problems.push(path.replace(/\[\d+\]/g, '[]'))
          const { remoteUpdatedAt } = mapped.row
          if (typeof remoteUpdatedAt === 'string' && remoteUpdatedAt <= notAfter)
            if (newest === null || remoteUpdatedAt > newest) newest = remoteUpdatedAt
        } catch {
          // Without a remote id there is nothing to store it under; the count of the skipped tells.
        }
      }
      guard.checkPage(rows.slice(firstOfPage).map(({ remoteId }) => remoteId))
    }
    const [{ appTime }] = pages
    const next = pages.at(-1)?.next
    return {
      pages: pages.length,
      next,
      appTime,
      rows,
      skipped: listed - rows.length,
      problems,
      newest,
    }
  }
}
