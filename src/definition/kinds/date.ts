/** Calendar days: filtered as `YYYY-MM-DD`, shown as the timestamp of the start of the day in UTC. */
import { firstInstant, isoTimestamp } from '../time.ts'
import { readAs } from './input.ts'
import { type Field, type FieldOptions, fieldOf, type Kind } from './kind.ts'
import {
  type MomentOperator,
  momentFilter,
  momentParts,
  readMoment,
  TIMESTAMP_OR_DAY,
} from './moment.ts'

const FIRST_INSTANT = 'The start of the day, 00:00 UTC.'

// Use the day as written: an offset must not move it to the day before.
const writtenDay = (value: unknown): unknown =>
  typeof value === 'string' ? value.slice(0, 10) : value

const dateKind: Kind<string | null, string> = {
  ...momentParts,
  name: 'date',
  expected: 'an ISO 8601 date',
  normalize: (value) => {
    const iso = isoTimestamp(writtenDay(value))
    return iso === undefined ? undefined : firstInstant(iso)
  },
  input: readAs(TIMESTAMP_OR_DAY, (value) =>
    readMoment(value, '00:00:00.000') === undefined ? undefined : String(writtenDay(value)),
  ),
  filter: {
    ...momentFilter(['equals', 'min', 'max'], (operator) => operator === 'equals'),
    example: (shown) => String(shown).slice(0, 10),
  },
  notes: {
    output: FIRST_INSTANT,
    typescript: FIRST_INSTANT,
    input: 'For a timestamp with an offset, the day is the one written in the timestamp.',
  },
  example: (source) => source.day(),
}

/** A calendar day. */
export const date = <const Op extends MomentOperator = MomentOperator>(
  doc: string,
  options?: FieldOptions<Op>,
): Field<string | null, Op, string> => fieldOf(dateKind, doc, options)
