/** Random records of any resource: values that tie, differ by case, look like patterns, or are missing. */
import fc from 'fast-check'
import type { Field } from '../../src/definition/field.ts'
import { recordId } from '../../src/definition/identity.ts'
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'

/** The number of remote ids that references choose from. */
export const REMOTE_IDS = 6

const DAY_MS = 86_400_000
const day = fc.integer({ min: 0, max: 6 }).map((n) => Date.UTC(2024, 1, 26) + n * DAY_MS)

export const instants: fc.Arbitrary<string> = fc
  .tuple(day, fc.constantFrom(0, 1, 43_200_000, DAY_MS - 1))
  .map(([start, more]) => new Date(start + more).toISOString())

export const days: fc.Arbitrary<string> = day.map((start) => new Date(start).toISOString())

/** Short texts of few letters, so that some are equal and some contain others. */
export const texts: fc.Arbitrary<string> = fc.oneof(
  fc.string({
    unit: fc.constantFrom(
      'a',
      'A',
      'b',
      'é',
      'É',
      'ж',
      'Ж',
      '%',
      '_',
      '\\',
      "'",
      '"',
      ' ',
      '𝄞',
      '\n',
    ),
    maxLength: 4,
  }),
  fc.constantFrom('NULL', '0', "'; DROP TABLE crm_accounts; --", '{}', '\u00a0', '\ufffd', 'ﷺ'),
)

/** Decimals: zero, negative, up to 20 digits on either side of the point. */
export const decimals: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom('0', '1', '-1', '0.1', '-0.1', '10', '9.99', '9.990000001'),
  fc
    .tuple(fc.boolean(), fc.bigInt(1n, 10n ** 20n - 1n), fc.stringMatching(/^\d{0,19}[1-9]$/))
    .map(([negative, whole, fraction]) => `${negative ? '-' : ''}${whole}.${fraction}`),
)

export const integers: fc.Arbitrary<number> = fc.oneof(
  fc.integer({ min: -3, max: 3 }),
  fc.constantFrom(2_147_483_647, -2_147_483_647),
)

const fieldValues = (credentialId: string, field: Field): fc.Arbitrary<unknown> => {
  const { name: kind, values = [], reference, isList } = field.kind
  switch (kind) {
    case 'text':
      return texts
    case 'integer':
      return integers
    case 'number':
    case 'decimal':
      return decimals
    case 'boolean':
      return fc.boolean()
    case 'timestamp':
      return instants
    case 'date':
      return days
    case 'enumeration':
      return fc.constantFrom(...values.slice(0, 3))
    case 'reference':
      return fc
        .integer({ min: 1, max: REMOTE_IDS })
        .map((n) => recordId(credentialId, reference?.target ?? '', String(n)))
    case 'references':
      return fc.subarray(
        Array.from({ length: REMOTE_IDS }, (_, n) =>
          recordId(credentialId, reference?.target ?? '', String(n + 1)),
        ),
        { maxLength: 2 },
      )
    default:
      return fc.constant(isList ? [] : null)
  }
}

/** Rows of one credential with remote ids 1, 2, …; a fifth of the values is missing. */
export const recordRows = (
  credentialId: string,
  resource: Resource,
  { count, deleted = false }: { readonly count: number; readonly deleted?: boolean },
): fc.Arbitrary<readonly RecordRow[]> => {
  const columns = Object.fromEntries(
    Object.entries(resource.allFields)
      .filter(([name]) => !['remoteId', 'createdAt', 'updatedAt'].includes(name))
      .map(([name, field]): [string, fc.Arbitrary<unknown>] => {
        const values = fieldValues(credentialId, field)
        return [name, field.kind.isList ? values : fc.option(values, { freq: 4 })]
      }),
  )
  const rows = fc.record({
    ...columns,
    remoteDeleted: deleted ? fc.boolean() : fc.constant(false),
  })
  return fc.array(rows, { minLength: count, maxLength: count }).map((all) =>
    all.map((row, index) => ({
      ...row,
      id: recordId(credentialId, resource.topic, String(index + 1)),
      remoteId: String(index + 1),
    })),
  )
}
