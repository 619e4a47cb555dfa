/** Field values: normalization of an app's values, and text that PostgreSQL can store. */
import type { Field, ValueContext } from './kinds/kind.ts'

/** `BILLING` → `Billing`. */
export const capitalise = (word: string): string =>
  word.charAt(0).toUpperCase() + word.slice(1).toLowerCase()

/**
 * The text with U+0000 and lone surrogates replaced by U+FFFD: apps send them and PostgreSQL rejects them.
 * `maxLength` truncates the text to that many UTF-16 code units; by default it is not truncated.
 */
export const storableText = (text: string, maxLength?: number): string =>
  text.slice(0, maxLength).replaceAll('\0', '\ufffd').toWellFormed()

/**
 * The text without trailing repetitions of a character. A regular expression would take quadratic time,
 * because it tries every run of the character.
 */
export const trimTrailing = (text: string, character: string): string => {
  let end = text.length
  while (end > 0 && text[end - 1] === character) end -= 1
  return text.slice(0, end)
}

/** Whether PostgreSQL can store a text unchanged. */
export const isStorableText = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

/** Whether a value is an object with keys: neither null nor an array. */
export const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/**
 * The value in the form that the store accepts: decimals as text, references as ids, timestamps as ISO 8601.
 * An invalid value is reported and becomes null (for a list field, an empty list).
 */
export const normalizeValue = (
  { kind }: Field,
  value: unknown,
  context: ValueContext,
  path: string,
): unknown => {
  if (value !== null && value !== undefined) {
    const normal = kind.normalize(value, context, path)
    if (normal !== undefined) return normal
    context.report({ path, expected: kind.expected })
  }
  return kind.isList ? [] : null
}

/** A path as text: `addresses[0].street1`. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  path
    .map((step) => (typeof step === 'number' ? `[${step}]` : `.${String(step)}`))
    .join('')
    .replace(/^\./, '')
