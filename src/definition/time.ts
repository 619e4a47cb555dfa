/** Timestamps and calendar days as strings. */

const DAY = /^\d{4}-\d{2}-\d{2}$/
// ISO 8601 as in RFC 3339, section 5.6. Seconds and their fraction are optional.
const INSTANT = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})$/i

// The form of the result, for days that every month has: most apps send it, and Date takes seven times as long.
const CANONICAL =
  /^(?!0000)\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1\d|2[0-8])T(?:[01]\d|2[0-3])(?::[0-5]\d){2}\.\d{3}Z$/

/** The ISO 8601 form, in UTC, of a Date, a string or milliseconds; undefined for any other value. */
export const isoTimestamp = (value: unknown): string | undefined => {
  if (typeof value === 'string' && CANONICAL.test(value)) return value
  if (!(value instanceof Date) && typeof value !== 'string' && typeof value !== 'number') return
  const date = new Date(value)
  const year = date.getUTCFullYear()
  return year >= 1 && year <= 9999 ? date.toISOString() : undefined
}

/** Whether a string is an existing day: `2024-02-30` is not. */
export const isDay = (text: string): boolean =>
  DAY.test(text) && (isoTimestamp(text)?.startsWith(text) ?? false)

/** A timestamp in UTC; undefined if the text is not a timestamp, e.g. a date without a time. */
export const instantOf = (text: string): string | undefined =>
  isDay(INSTANT.exec(text)?.[1] ?? '') ? isoTimestamp(text) : undefined

/** The first instant of a day in UTC. */
export const firstInstant = (day: string): string => `${day.slice(0, 10)}T00:00:00.000Z`

/** The instant some milliseconds later, or earlier for a negative number, as ISO 8601 in UTC. */
export const shiftInstant = (instant: string, ms: number): string =>
  new Date(Date.parse(instant) + ms).toISOString()
