/** Days in the time zone of an account: HubSpot stores the dates of deals and tasks as times. */
import { firstInstant, isoTimestamp } from '../../definition/time.ts'

const DAY_MS = 24 * 3600 * 1000
const MILLISECONDS = /^\d{1,15}$/

/** A time of HubSpot, which is ISO 8601 or milliseconds, as ISO 8601; any other value unchanged. */
export const isoTimeOf = (value: unknown): unknown =>
  isoTimestamp(typeof value === 'string' && MILLISECONDS.test(value) ? Number(value) : value) ??
  value

/** Whether a text names a time zone: `US/Eastern`. */
export const isTimeZone = (name: string): boolean => {
  try {
    new Intl.DateTimeFormat('en', { timeZone: name })
    return true
  } catch {
    return false
  }
}

// Creating a format takes longer than mapping a record.
const formats = new Map<string, Intl.DateTimeFormat>()

const formatOf = (timeZone: string): Intl.DateTimeFormat => {
  const known = formats.get(timeZone)
  if (known) return known
  const format = new Intl.DateTimeFormat('en', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  formats.set(timeZone, format)
  return format
}

/** The time that the clocks of a zone show, as if it were UTC. */
const shownIn = (timeZone: string, instantMs: number): number => {
  const parts = formatOf(timeZone).formatToParts(instantMs)
  const part = (type: Intl.DateTimeFormatPartTypes): number =>
    Number(parts.find((one) => one.type === type)?.value)
  return Date.UTC(
    part('year'),
    part('month') - 1,
    part('day'),
    part('hour'),
    part('minute'),
    part('second'),
  )
}

/** The day of a time in a zone, `YYYY-MM-DD`; a value that is not a time unchanged. */
export const dayIn = (timeZone: string, value: unknown): unknown => {
  const instant = isoTimeOf(value)
  const ms = typeof instant === 'string' ? Date.parse(instant) : Number.NaN
  return Number.isNaN(ms) ? value : isoTimestamp(shownIn(timeZone, ms))?.slice(0, 10)
}

/** Noon of a day in a zone, ISO 8601: a time that every reader puts on that day. */
export const noonIn = (timeZone: string, day: string): string => {
  const noonMs = Date.parse(firstInstant(day)) + DAY_MS / 2
  const offsetMs = shownIn(timeZone, noonMs) - noonMs
  return isoTimestamp(noonMs - offsetMs) ?? day
}
