/** Input schemas that kinds share. The message of an issue completes "expected …". */
import { type ZodType, z } from 'zod'
import { MAX_INPUT_ENTRIES, MAX_ISSUES } from './limits.ts'

/**
 * A schema that validates with `from`, then converts with `parse`. If `parse` returns undefined, it is an
 * issue.
 */
export const readAs = <Value, Input = unknown>(
  expected: string,
  parse: (value: Input) => Value | undefined,
  // Safe: without `from`, Input is unknown.
  from: ZodType<Input> = z.unknown() as ZodType<Input>,
): ZodType<Value> =>
  from.transform((value, context) => {
    const parsed = parse(value)
    if (parsed !== undefined) return parsed
    context.addIssue({ code: 'custom', message: expected })
    return z.NEVER
  })

/** Text of at most `maxLength` characters that every database and app can store. */
export const textInput = (maxLength: number, expected = 'a string'): ZodType<string> =>
  z
    .string({ error: expected })
    .refine((text) => !text.includes('\0'), { error: 'text without NUL characters', abort: true })
    .refine((text) => text.isWellFormed(), { error: 'well-formed Unicode text', abort: true })
    .max(maxLength, { error: `text of at most ${maxLength} characters` })

/**
 * A list with a limited number of entries, which are counted before validation. Validation ends after
 * `MAX_ISSUES` issues: a body may have half a million entries with several issues each.
 */
export const listInput = <Entry>(entry: ZodType<Entry>, expected: string): ZodType<Entry[]> =>
  z
    .array(z.unknown(), { error: expected })
    .max(MAX_INPUT_ENTRIES, { error: `at most ${MAX_INPUT_ENTRIES} entries` })
    .transform((values, context) => {
      const entries: Entry[] = []
      for (const [index, value] of values.entries()) {
        const { data, error } = entry.safeParse(value)
        if (!error) entries.push(data)
        // Report issues of the entry under its index.
        for (const issue of error?.issues ?? [])
          context.issues.push({
            ...issue,
            input: value,
            path: [index, ...issue.path],
          } as z.core.$ZodRawIssue)
        if (context.issues.length >= MAX_ISSUES) break
      }
      return entries
    })

/** The "expected …" text for one of these words. */
export const oneOf = (values: readonly string[]): string =>
  values.length > 20
    ? `a code such as ${values.slice(0, 3).join(', ')}`
    : `one of ${values.join(', ')}`

/** One of these words, case-insensitive; the result has the definition's spelling. */
export const wordInput = <Word extends string>(values: readonly Word[]): ZodType<Word> =>
  readAs(oneOf(values), (value) => {
    const upper = typeof value === 'string' ? value.toUpperCase() : undefined
    return values.find((known) => known === upper || known === value)
  })
