/** The shared parts of timestamps and dates: filters, ordering and input. */
import type { ZodType } from 'zod'
import type { JsonSchema } from '../json.ts'
import { instantOf, isDay, isoTimestamp } from '../time.ts'
import { timeColumn } from './column.ts'
import { readAs, textInput } from './input.ts'
import type { Filter, FilterValue, Kind, Operator } from './kind.ts'
import { MAX_TEXT_LENGTH } from './limits.ts'

const DAY_MS = 86_400_000
const DAY = 'a date YYYY-MM-DD'
/** The "expected …" text for a timestamp. */
export const TIMESTAMP = 'a timestamp YYYY-MM-DDTHH:MM:SS.sssZ'

/** The "expected …" text for a timestamp that may be a date. */
export const TIMESTAMP_OR_DAY = `${TIMESTAMP} or ${DAY}`

/** Reads input as a timestamp in UTC. For a date, the time is `clock`. */
export const readMoment = (value: unknown, clock: string): string | undefined =>
  typeof value !== 'string' ? undefined : isDay(value) ? `${value}T${clock}Z` : instantOf(value)

const filterInput = (expected: string, acceptsTimestamps: boolean): ZodType<FilterValue> =>
  readAs(
    expected,
    (input): FilterValue | undefined => {
      if (isDay(input)) return { value: input, isWholeDay: true }
      const value = acceptsTimestamps ? instantOf(input) : undefined
      return value === undefined ? undefined : { value, isWholeDay: false }
    },
    textInput(MAX_TEXT_LENGTH, 'text'),
  )
const dayInput = filterInput(DAY, false)
const momentInput = filterInput(`${DAY} or ${TIMESTAMP}`, true)

const daySchema: JsonSchema = { type: 'string', format: 'date' }
const momentSchema: JsonSchema = { anyOf: [daySchema, { type: 'string', format: 'date-time' }] }

const meets: Filter['meets'] = (stored, { value, isWholeDay }, operator) => {
  const time = Date.parse(String(stored))
  const bound = Date.parse(String(value))
  const isAtOrAfter = time >= bound
  const isAtOrBefore = isWholeDay ? time < bound + DAY_MS : time <= bound
  return (operator === 'max' || isAtOrAfter) && (operator === 'min' || isAtOrBefore)
}

/** A filter of timestamps. `acceptsDateOnly`: whether an operator accepts dates but no timestamps. */
export const momentFilter = (
  operators: readonly Operator[],
  acceptsDateOnly: (operator: Operator) => boolean,
): Filter<string> => ({
  operators,
  input: (operator) => (acceptsDateOnly(operator) ? dayInput : momentInput),
  sql: { form: 'time', cast: '::timestamptz' },
  meets,
  graphql: { scalar: 'DateTime' },
  typescript: 'string',
  jsonSchema: (operator) => (acceptsDateOnly(operator) ? daySchema : momentSchema),
  note: (operator) =>
    acceptsDateOnly(operator) ? undefined : 'A date without a time covers the whole day in UTC.',
  example: String,
})

/** The shared parts of the kinds of timestamps and dates. */
export const momentParts = {
  isScalar: true,
  isCommon: true,
  column: timeColumn,
  accepts: ['timestamp', 'date', 'json'],
  // 30 February and the year 0 match the pattern but are not valid days.
  order: { isValue: (text: string) => isoTimestamp(text) === text },
  groupedBy: 'period',
  graphql: { scalar: 'DateTime' },
  typescript: 'string',
  jsonSchema: () => ({ type: 'string', format: 'date-time' }),
} as const satisfies Partial<Kind>

/** The filter operators of timestamps and dates. */
export type MomentOperator = 'equals' | 'min' | 'max'
