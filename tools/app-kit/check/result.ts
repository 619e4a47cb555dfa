/** The results of checks and the report about them. */

/** The result of one check. `noted`: nothing to correct, but something to know. */
export interface CheckResult {
  readonly check: string
  /** The resource; undefined: the whole app. */
  readonly topic?: string
  readonly outcome: 'passed' | 'failed' | 'skipped' | 'noted'
  /** What was found: counts, or the first problems. No value of a record, and no secret. */
  readonly detail: string
}

/** What a check found: problems make it fail. */
export interface Findings {
  readonly problems: readonly string[]
  /** What was checked, for the report. */
  readonly summary: string
}

const MAX_PROBLEMS = 5

/** The result of a check with these findings. */
export const resultOf = (
  check: string,
  { problems, summary }: Findings,
  topic?: string,
): CheckResult => ({
  check,
  ...(topic !== undefined && { topic }),
  outcome: problems.length === 0 ? 'passed' : 'failed',
  detail:
    problems.length === 0
      ? summary
      : [
          ...problems.slice(0, MAX_PROBLEMS),
          ...(problems.length > MAX_PROBLEMS ? [`and ${problems.length - MAX_PROBLEMS} more`] : []),
        ].join('; '),
})

/** The result of a check that does not apply. */
export const skippedResult = (check: string, reason: string, topic?: string): CheckResult => ({
  check,
  ...(topic !== undefined && { topic }),
  outcome: 'skipped',
  detail: reason,
})

/** The result of a check that threw an error. */
export const crashedResult = (check: string, error: unknown, topic?: string): CheckResult => {
  const errors: readonly unknown[] = error instanceof AggregateError ? error.errors : [error]
  const problems = errors.map((cause) => (cause instanceof Error ? cause.message : String(cause)))
  return resultOf(check, { problems, summary: '' }, topic)
}

/** The results as a table, one line each. */
export const reportTable = (results: readonly CheckResult[]): string => {
  const maxWidth = (values: readonly string[]): number =>
    Math.max(...values.map(({ length }) => length), 0)
  const checks = maxWidth(results.map(({ check }) => check))
  const topics = maxWidth(results.map(({ topic = '' }) => topic))
  const lines = results.map(({ check, topic = '', outcome, detail }) =>
    [outcome.padEnd(7), check.padEnd(checks), topic.padEnd(topics), detail].join('  ').trimEnd(),
  )
  const failed = results.filter(({ outcome }) => outcome === 'failed').length
  return [...lines, '', failed === 0 ? 'All checks passed.' : `${failed} checks failed.`].join('\n')
}
