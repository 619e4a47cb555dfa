/** From an app's records to rows: what cannot be read is counted, what can be is kept. */
import { createMapper, type Mapping, type RecordRow, type Rule } from '../definition/mapping.ts'

export interface MappedPage {
  readonly rows: readonly RecordRow[]
  /** Records without a remote id. */
  readonly skipped: number
  /** Paths of the values that did not fit, once for each. */
  readonly problems: readonly string[]
  /** The newest change among the records, up to `notAfter`. */
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

/**
 * Prepares the mapping of one resource for the pages of one credential.
 * `notAfter`: a record dated later, by a clock that is wrong, does not move the mark of the next run.
 */
export const createPageMapper = (
  mapping: Mapping,
  credentialId: string,
): ((records: readonly unknown[], notAfter: string) => MappedPage) => {
  const map = createMapper(tolerant(mapping))
  return (records, notAfter) => {
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
          if (newest === null || remoteUpdatedAt > newest) newest = remoteUpdatedAt
      } catch {
        // Without a remote id there is nothing to store it under; the count of the skipped tells.
      }
    }
    return { rows, skipped: records.length - rows.length, problems, newest }
  }
}
