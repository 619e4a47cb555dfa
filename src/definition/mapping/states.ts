/** Unified words for the statuses of an app. */
import type { Converter } from './rule.ts'

/**
 * The unified word of an app's status: `states('status', { open: 'OPEN', closed: 'COMPLETED' })`. Only reads. A status
 * without a unified word is null; the app's own word is in another field or in `remoteFields`.
 * @param source the path of the app's status, or the function that reads it
 */
export const states = <Raw = never>(
  source: string | ((raw: Raw, record: Raw, context: unknown) => unknown),
  words: Readonly<Record<string, string>>,
): Converter => {
  const unified = new Map<unknown, string>(Object.entries(words))
  const wordOf = (status: unknown): string | null => unified.get(status) ?? null
  if (typeof source === 'string') return { from: source, on: [], read: wordOf }
  return {
    from: '',
    on: [],
    // Safe: the rules of a mapping receive only records of their own app.
    read: (raw, record, context) => wordOf(source(raw as Raw, record as Raw, context)),
  }
}
