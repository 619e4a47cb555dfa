/** Times and days as the vendor writes them: in Pacific time, whatever the company's time zone. */

const PACIFIC = new Intl.DateTimeFormat('en-CA', {
  timeZone: 'America/Los_Angeles',
  hourCycle: 'h23',
  timeZoneName: 'longOffset',
  year: 'numeric',
  month: '2-digit',
  day: '2-digit',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

const partsAt = (ms: number): Readonly<Record<string, string>> =>
  Object.fromEntries(PACIFIC.formatToParts(ms).map(({ type, value }) => [type, value]))

const formatSecond = (ms: number): string => {
  const { year, month, day, hour, minute, second, timeZoneName = '' } = partsAt(ms)
  return `${year}-${month}-${day}T${hour}:${minute}:${second}${timeZoneName.replace('GMT', '')}`
}

/** The last formatted second: many records are written within one. */
let last = { second: Number.NaN, text: '' }

/** Whole seconds: `2026-11-22T16:04:05-08:00`. */
export const formatTime = (ms: number): string => {
  const second = Math.floor(ms / 1000)
  if (second !== last.second) last = { second, text: formatSecond(second * 1000) }
  return last.text
}

/** With milliseconds, as in the `time` of a response: `2026-11-22T16:04:05.123-08:00`. */
export const formatResponseTime = (ms: number): string => {
  const fraction = String(ms % 1000).padStart(3, '0')
  return formatTime(ms).replace(/(?=[+-]\d{2}:\d{2}$)/, `.${fraction}`)
}

/** `2026-11-22` */
export const formatDay = (ms: number): string => formatTime(ms).slice(0, 10)

/** The day after so many days. */
export const addDays = (day: string, days: number): string =>
  new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10)

const TIME =
  /^(\d{4}-\d{2}-\d{2})(?:T(\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?)(Z|[+-]\d{2}:?\d{2})?)?$/

/**
 * Milliseconds since 1970 of a day or a time; undefined: neither. Without an offset it is Pacific time.
 */
export const parseTime = (text: string): number | undefined => {
  const [, day, time = '00:00:00', offset] = TIME.exec(text) ?? []
  if (day === undefined) return undefined
  const seconds = time.length === 5 ? `${time}:00` : time
  const colon = offset?.replace(/^([+-]\d{2})(\d{2})$/, '$1:$2')
  const assumed = Date.parse(`${day}T${seconds}${colon ?? 'Z'}`)
  if (Number.isNaN(assumed)) return undefined
  return offset === undefined ? assumed - offsetAt(assumed) : assumed
}

/** Milliseconds that Pacific time is ahead of UTC: negative. */
const offsetAt = (ms: number): number => {
  const [, sign, hours, minutes] = /([+-])(\d{2}):(\d{2})$/.exec(formatTime(ms)) ?? []
  const total = (Number(hours) * 60 + Number(minutes)) * 60_000
  return sign === '-' ? -total : total
}
