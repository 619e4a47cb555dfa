/** The language in which the sandbox says what its collections hold. */
import { z } from 'zod'

/** The fields of a record, by the sandbox's own names. */
export type Fields = Readonly<Record<string, unknown>>

/** What the sandbox refuses about one field of what it was given. */
export class FieldError extends Error {
  override readonly name = 'FieldError'
  readonly reason: string
  /** `lines.0.quantity` */
  readonly field: string

  constructor(reason: string, field: string) {
    super(`${field}: ${reason}`)
    this.reason = reason
    this.field = field
  }
}

/** What a kind may look at while it works out its own fields. */
export interface Completion {
  /** The id of the record, be it new. */
  readonly id: string
  /** The record as it was; undefined for a new one. */
  readonly previous: Fields | undefined
  /** ISO 8601 */
  readonly now: string
  /** `YYYY-MM-DD` */
  readonly today: string
  /** A record that the given fields refer to. */
  look(kind: string, id: string): Fields | undefined
  /** The next id with this prefix, for what is nested in a record. */
  nextId(prefix: string): string
}

/** A collection: what its records hold and how they are completed. */
export interface Kind<F extends z.ZodObject = z.ZodObject, C extends object = object> {
  /** How its ids begin: `inv` of `inv_0001`. */
  readonly prefix: string
  /** Whether it can only be read. */
  readonly readOnly: boolean
  /** What a writer gives. */
  readonly fields: F
  // A kind is only ever given what its own schema has read.
  // biome-ignore lint/suspicious/noExplicitAny: a generic constraint, as in the definition language
  readonly complete: (given: any, context: Completion) => C
}

/** A collection. `complete` works out the fields that no writer gives, some in place of given ones. */
export const defineKind = <F extends z.ZodObject, C extends object = Record<never, never>>(kind: {
  readonly prefix: string
  readonly readOnly?: boolean
  readonly fields: F
  readonly complete?: (given: z.output<F>, context: Completion) => C
}): Kind<F, C> => ({
  prefix: kind.prefix,
  readOnly: kind.readOnly ?? false,
  fields: kind.fields,
  // Without `complete`, C is its default: an object of no known fields.
  complete: kind.complete ?? (() => ({}) as C),
})

const ID = /^[a-z]+_\d{4,12}$/

/** Whether a text has the form of an id; others are not looked up. */
export const isId = (text: string): boolean => ID.test(text)

const targets = z.registry<{ kind: string }>()

/** The id of a record of another kind. */
export const ref = (kind: string): z.ZodString => z.string().regex(ID).register(targets, { kind })

/** A reference inside given fields. */
export interface Reference {
  readonly path: string
  readonly kind: string
  readonly id: string
}

/** Every reference in a value that the schema has read. */
export const referencesIn = (schema: z.core.$ZodType, value: unknown, path = ''): Reference[] => {
  if (value === null || value === undefined) return []
  if (
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault
  )
    return referencesIn(schema.unwrap(), value, path)
  const below = (name: string | number): string => (path === '' ? `${name}` : `${path}.${name}`)
  if (schema instanceof z.ZodArray && Array.isArray(value))
    return value.flatMap((entry, index) => referencesIn(schema.element, entry, below(index)))
  if (schema instanceof z.ZodObject)
    return Object.entries(schema.shape).flatMap(([name, field]) =>
      // What an object schema has read is an object.
      referencesIn(field, (value as Fields)[name], below(name)),
    )
  const target = targets.get(schema)
  return target && typeof value === 'string' ? [{ path, kind: target.kind, id: value }] : []
}

/** The fields as the schema reads them. @throws FieldError for the first that does not fit. */
export const readFields = ({ fields }: Kind, given: Fields): Fields => {
  const { success, data, error } = fields.safeParse(given)
  if (success) return data
  const [issue] = error.issues
  if (issue?.code === 'unrecognized_keys')
    throw new FieldError('unknown_field', String(issue.keys[0]))
  const path = issue?.path ?? []
  const found = path.reduce<unknown>((value, step) => Object(value)[step], given)
  throw new FieldError(found === undefined ? 'required' : 'invalid', path.join('.'))
}
