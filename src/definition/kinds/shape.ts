/** The shared logic of objects with named fields: records, nested objects and operation inputs. */
import { type ZodType, z } from 'zod'
import type { Json } from '../json.ts'
import type { Field, Fields, InputReference } from './kind.ts'

/** The fields with their nested kinds, for use inside an object, where values are JSON. */
export const nestedFields = (fields: Fields): Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      field.kind.nested ? { ...field, kind: field.kind.nested } : field,
    ]),
  )

const isPresent = (value: unknown): boolean => value !== undefined && value !== null

/** A schema that rejects an absent value before it validates with `input`. */
const requirePresent = (input: ZodType, expected: string): ZodType =>
  z.unknown().refine(isPresent, { error: expected, abort: true }).pipe(input)

/** The input schema of a field. Null clears the field, unless it is required. */
const inputOfField = ({ kind, required, rejectsNull }: Field): ZodType => {
  if (required) return requirePresent(kind.input, 'a value (required)')
  if (rejectsNull)
    return requirePresent(kind.input, 'a value; omit the field to keep it').optional()
  return kind.input.nullish()
}

/** The input schema of an object that has only these fields. Omitted fields are absent from the result. */
export const inputOf = (fields: Fields): ZodType<Readonly<Record<string, Json>>> =>
  z.strictObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, inputOfField(field)]),
    ) as Record<string, ZodType<Json>>,
    { error: ({ code }) => (code === 'invalid_type' ? 'an object' : undefined) },
  )

/** Replaces each reference in an input with the result of `replace`. */
export const mapReferences = (
  fields: Fields,
  input: Readonly<Record<string, Json>>,
  replace: (reference: InputReference) => string,
  path = '',
): Readonly<Record<string, Json>> =>
  Object.fromEntries(
    Object.entries(input).map(([name, value]): [string, Json] => {
      const kind = fields[name]?.kind
      return value === null || !kind?.mapReferences
        ? [name, value]
        : [name, kind.mapReferences(value, path + name, replace)]
    }),
  )
