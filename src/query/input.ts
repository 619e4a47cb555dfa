/** Reads the input of writes strictly, with one schema for REST and GraphQL. */

import type { ZodError, ZodType } from 'zod'
import type { Json } from '../definition/json.ts'
import type { Fields } from '../definition/kinds/kind.ts'
import { MAX_ISSUES } from '../definition/kinds/limits.ts'
import { TIMESTAMP } from '../definition/kinds/moment.ts'
import { inputOf } from '../definition/kinds/shape.ts'
import { nearest } from '../definition/nearest.ts'
import { instantOf } from '../definition/time.ts'
import { formatPath, storableText } from '../definition/value.ts'
import { ApiError, type ErrorDetail, invalidParameter } from '../errors.ts'
import { memoize } from '../memoize.ts'

/** Validated input. Absent fields are left out, and null empties a field. */
export type Input = Readonly<Record<string, Json>>

const MAX_NAME_LENGTH = 64

/** Reads a timestamp with a time of day, and converts it to UTC. @throws INVALID_PARAMETER */
export const readInstant = (path: string, value: unknown, expected = TIMESTAMP): string => {
  const iso = typeof value === 'string' ? instantOf(value) : undefined
  if (iso === undefined) throw invalidParameter(path, expected)
  return iso
}

type Path = readonly PropertyKey[]
type Issue = ZodError['issues'][number]

/** The fields of the object at a path. */
const fieldsAt = (fields: Fields, path: Path): Fields =>
  path.reduce<Fields>(
    (at, step) => (typeof step === 'number' ? at : (at[String(step)]?.kind.shape?.fields ?? {})),
    fields,
  )

interface InputProblem extends ErrorDetail {
  readonly message: string
}

const unknownField = (fields: Fields, path: Path, name: string): InputProblem => {
  const field = formatPath([...path, storableText(name, MAX_NAME_LENGTH)])
  const known = nearest(name, Object.keys(fieldsAt(fields, path)))
  return {
    field,
    expected: known === undefined ? 'no fields' : `a known field, such as ${known}`,
    message: `${field} is not a field of this input.`,
  }
}

const invalidValue = ({ path, message: expected }: Issue): InputProblem => {
  const field = formatPath(path) || 'body'
  return { field, expected, message: `${field}: expected ${expected}.` }
}

/**
 * The problems of an input, unknown fields first: an unknown field may be the misspelt name of a missing one.
 */
function* problemsOf(fields: Fields, issues: readonly Issue[]): Generator<InputProblem, undefined> {
  for (const issue of issues)
    if (issue.code === 'unrecognized_keys')
      for (const name of issue.keys) yield unknownField(fields, issue.path, name)
  for (const issue of issues) if (issue.code !== 'unrecognized_keys') yield invalidValue(issue)
}

/** INVALID_PARAMETER for an input: its details name each invalid field. */
const invalidInput = (fields: Fields, { issues }: ZodError): ApiError => {
  const details: ErrorDetail[] = []
  let first: string | undefined
  for (const { message, ...detail } of problemsOf(fields, issues)) {
    first ??= message
    details.push(detail)
    if (details.length >= MAX_ISSUES) break
  }
  const others = details.length - 1
  const more = others > 0 ? ` See details for ${others} more.` : ''
  return new ApiError('INVALID_PARAMETER', `${first ?? 'The input is invalid.'}${more}`, details)
}

/** The schema of an input with these fields, cached by the object of fields. */
const inputSchema = memoize((fields: Fields): ZodType<Input> => inputOf(fields))

/**
 * Reads an object with these fields: a JSON body or the input of a mutation. Decimals and numbers become texts
 * of digits (numbers inside objects stay numbers), times become ISO 8601 in UTC, days `YYYY-MM-DD`, and
 * enumeration values have the spelling of the definition.
 * @throws INVALID_PARAMETER with a detail for each invalid field (at most 100), named by its path:
 * `addresses[0].street1`
 */
export const readInput = (fields: Fields, input: unknown): Input => {
  const { data, error } = inputSchema(fields).safeParse(input)
  if (error) throw invalidInput(fields, error)
  return data
}
