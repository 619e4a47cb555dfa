/** Vendure's timestamps: ISO 8601 in UTC with milliseconds, so they can be compared as strings. */

const DAY_MS = 86_400_000

const shifted = (instant: string, ms: number): string =>
  new Date(Date.parse(instant) + ms).toISOString()

/** The timestamp `days` before another. */
export const daysBefore = (instant: string, days: number): string =>
  shifted(instant, -days * DAY_MS)

/** The complement of the filter `{ after: instant }`. Vendure's `before` excludes the instant itself. */
export const notAfter = (instant: string) => ({ before: shifted(instant, 1) })

/** The latest of some timestamps. Values that are not strings are ignored. */
export const latestOf = (instants: readonly unknown[]): string | undefined =>
  instants
    .filter((instant) => typeof instant === 'string')
    .sort()
    .at(-1)
