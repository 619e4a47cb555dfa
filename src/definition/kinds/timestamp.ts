/** The kind of timestamps, `YYYY-MM-DDTHH:MM:SS.sssZ` in the API. */
import { isoTimestamp } from '../time.ts'
import { readAs } from './input.ts'
import { type Field, type FieldOptions, fieldOf, type Kind } from './kind.ts'
import {
  type MomentOperator,
  momentFilter,
  momentParts,
  readMoment,
  TIMESTAMP_OR_DAY,
} from './moment.ts'

const kindOf = (clock: string): Kind<string | null, string> => ({
  ...momentParts,
  name: 'timestamp',
  expected: 'an ISO 8601 timestamp',
  normalize: isoTimestamp,
  input: readAs(TIMESTAMP_OR_DAY, (value) => readMoment(value, clock)),
  filter: momentFilter(['min', 'max'], () => false),
  example: () => '2026-03-02T09:30:00.000Z',
})

/** By the time that a date in the input means: the start or the end of the day. */
const timestampKinds = { first: kindOf('00:00:00.000'), last: kindOf('23:59:59.999') }

/** A timestamp, filtered by bounds; by equality only if `filters` includes it. */
export const timestamp = <const Op extends MomentOperator = 'min' | 'max'>(
  doc: string,
  options?: FieldOptions<Op> & { readonly ofDay?: keyof typeof timestampKinds },
  // NoInfer: the contextual type of a resource's fields would infer every operator.
): Field<string | null, NoInfer<Op>, string> =>
  fieldOf(timestampKinds[options?.ofDay ?? 'first'], doc, options)
