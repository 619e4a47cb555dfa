/** The kind of fields with arbitrary JSON. */
import { type ZodType, z } from 'zod'
import type { Json, JsonSchema } from '../json.ts'
import { MAX_JSON_LEVELS } from '../json-depth.ts'
import { isStorableText } from '../value.ts'
import { jsonColumn } from './column.ts'
import { textInput } from './input.ts'
import { type Field, type FieldOptions, fieldOf, type Kind } from './kind.ts'
import { MAX_INPUT_TEXT } from './limits.ts'

const storable = textInput(MAX_INPUT_TEXT)
const TOO_DEEP = `JSON at most ${MAX_JSON_LEVELS} levels deep`

interface Problem {
  /** The path of the problem, relative to the value. */
  readonly path: readonly (string | number)[]
  readonly message: string
}

const textProblem = (text: string): Problem | undefined => {
  if (text.length <= MAX_INPUT_TEXT && isStorableText(text)) return
  const message = storable.safeParse(text).error?.issues[0]?.message
  return message === undefined ? undefined : { path: [], message }
}

const entryProblem = (
  step: string | number,
  value: unknown,
  levels: number,
): Problem | undefined => {
  const found = findProblem(value, levels)
  return found && { ...found, path: [step, ...found.path] }
}

/** The first invalid part of the JSON and the reason; undefined if all of it is valid. */
const findProblem = (value: unknown, levels: number): Problem | undefined => {
  if (typeof value === 'string') return textProblem(value)
  if (typeof value !== 'object' || value === null) return
  if (levels === 0) return { path: [], message: TOO_DEEP }
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      const found = entryProblem(index, entry, levels - 1)
      if (found) return found
    }
    return
  }
  for (const [name, entry] of Object.entries(value)) {
    const found = textProblem(name) ?? entryProblem(name, entry, levels - 1)
    if (found) return found
  }
  return
}

/** The input schema: JSON whose strings can be stored and whose nesting is within the limit. */
const jsonInput: ZodType<Json> = z.unknown().transform((value, context) => {
  const problem = findProblem(value, MAX_JSON_LEVELS)
  // Safe: input has been parsed from JSON.
  if (problem === undefined) return value as Json
  const { message, path } = problem
  // Report excessive nesting for the whole value: the path would be as long as the nesting is deep.
  context.addIssue({ code: 'custom', message, path: message === TOO_DEEP ? [] : [...path] })
  return z.NEVER
})

const kindOf = (schema: JsonSchema): Kind => ({
  name: 'json',
  isScalar: true,
  isFree: true,
  column: jsonColumn,
  expected: 'JSON',
  normalize: (value) => value,
  input: jsonInput,
  graphql: { scalar: 'JSON' },
  typescript: 'unknown',
  jsonSchema: () => schema,
  example: () => ({ LegacyCode: 'A-7' }),
})

const anyJson = kindOf({})
const anyObject = kindOf({ type: 'object' })

/** Any JSON. With `isObject`, the OpenAPI document declares an object. */
export const json = (
  doc: string,
  options?: Pick<FieldOptions, 'required'> & { readonly isObject?: true },
): Field<unknown, never> => fieldOf(options?.isObject ? anyObject : anyJson, doc, options)
