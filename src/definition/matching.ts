/** Matching: whether a value of a stored record equals the value of a write. */
import type { Comparison, Field } from './kinds/kind.ts'
import { isObject, normalizeValue } from './value.ts'

/**
 * Whether a value is empty. Empty values match each other: an app may store an empty text as null and vice
 * versa.
 */
export const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value)
    ? value.length === 0
    : isObject(value) && Object.values(value).every(isEmpty))

/** Whether two lists have the same length and matching entries at each index. */
export const matchesEach = (
  stored: unknown,
  input: unknown,
  matchesEntry: (stored: unknown, input: unknown) => boolean,
): boolean =>
  Array.isArray(stored) &&
  Array.isArray(input) &&
  stored.length === input.length &&
  input.every((entry, index) => matchesEntry(stored[index], entry))

/** Whether two JSON values match: empty values do, and stored objects may have additional fields. */
export const matchesJson = (
  stored: unknown,
  input: unknown,
  isSameText: Comparison['isSameText'] = (a, b) => a === b,
): boolean => {
  const matches = (a: unknown, b: unknown) => matchesJson(a, b, isSameText)
  if (isEmpty(input)) return isEmpty(stored)
  if (Array.isArray(input)) return matchesEach(stored, input, matches)
  if (isObject(input))
    return (
      isObject(stored) &&
      Object.entries(input).every(([name, value]) => matches(stored[name], value))
    )
  return typeof stored === 'string' && typeof input === 'string'
    ? isSameText(stored, input)
    : stored === input
}

/**
 * Whether a value of a stored record matches the value of a write. Stored objects may have additional
 * fields. The input is normalized before the comparison, unless the kind has its own `matches`.
 */
export const matchesValue = (
  field: Field,
  stored: unknown,
  input: unknown,
  by: Comparison,
): boolean => {
  if (isEmpty(input)) return isEmpty(stored)
  const { kind } = field
  if (kind.matches) return kind.matches(stored, input, by)
  const context = { credentialId: by.credentialId, report: () => {} }
  return matchesJson(stored, normalizeValue(field, input, context, ''), by.isSameText)
}
