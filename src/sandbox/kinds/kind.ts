/** Definition of the sandbox's kinds, i.e. of its collections and their records. */
import { z } from 'zod'
import { memoize } from '../../memoize.ts'
import { FieldError } from '../errors.ts'

/** The fields of a record, by name. */
export type SandboxFields = Readonly<Record<string, unknown>>

/** The objects of a list in a stored record; empty if it is not a list. */
export const objectsOf = (value: unknown): readonly SandboxFields[] =>
  Array.isArray(value) ? value : []

/** Context in which a kind computes fields. */
export interface RecordCompletion {
  /** The number of a record that has no other: `INV-0042`. */
  readonly number: string
  /** The fields before the write; undefined for a new record. */
  readonly previous: SandboxFields | undefined
  /** `YYYY-MM-DD` */
  readonly today: string
  /** Fields of a record that the input or the stored record references. */
  lookUp(kind: string, id: string): SandboxFields | undefined
  /** The next id with this prefix, for objects nested in a record. */
  nextId(prefix: string): string
}

/** A collection: the schema of its records and their computed fields. */
export interface SandboxKind<F extends z.ZodObject = z.ZodObject, C extends object = object> {
  /** The resource of the API whose records it holds: `accounting/invoices`. */
  readonly topic: string
  /** Prefix of ids: `inv` in `inv_0001`. */
  readonly prefix: string
  /** Schema of the input. */
  readonly fields: F
  /** Computes further fields; may replace input fields. */
  // A kind receives only input that its own schema has validated.
  // biome-ignore lint/suspicious/noExplicitAny: a generic constraint, as in the definition language
  readonly complete: (input: any, context: RecordCompletion) => C
}

const ID = /^[a-z]+_\d{4,12}$/

/** Whether a string has the format of an id. */
export const isId = (text: string): boolean => ID.test(text)

const targets = z.registry<{ topic: string }>()

/** Schema of a reference to a record of a topic, by id. */
export const ref = (topic: string): z.ZodString => z.string().regex(ID).register(targets, { topic })

/** A reference in the input. */
export interface Reference {
  readonly path: string
  readonly topic: string
  readonly id: string
}

/** Finds the references in a value at a path. */
type ReferenceFinder = (value: unknown, path: string) => Reference[]

const none: ReferenceFinder = () => []

/** Compiles the finder of a schema; `none` if its values have no references. */
const finderOf = memoize((schema: z.core.$ZodType): ReferenceFinder => {
  if (
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault
  )
    return finderOf(schema.unwrap())
  if (schema instanceof z.ZodArray) {
    const find = finderOf(schema.element)
    if (find === none) return none
    return (value, path) =>
      Array.isArray(value)
        ? value.flatMap((entry, index) => find(entry, below(path, String(index))))
        : []
  }
  if (schema instanceof z.ZodObject) {
    const parts = Object.entries(schema.shape)
      .map(([name, field]) => ({ name, find: finderOf(field) }))
      .filter(({ find }) => find !== none)
    if (parts.length === 0) return none
    return (value, path) =>
      parts.flatMap(({ name, find }) => find(Object(value)[name], below(path, name)))
  }
  const { topic } = targets.get(schema) ?? {}
  if (topic === undefined) return none
  return (value, path) => (typeof value === 'string' ? [{ path, topic, id: value }] : [])
})

const below = (path: string, name: string): string => (path === '' ? name : `${path}.${name}`)

/** All references in the fields of a record of the kind. */
export const referencesIn = ({ fields }: SandboxKind, record: SandboxFields): Reference[] =>
  finderOf(fields)(record, '')

/** Validates input fields with the schema of the kind. @throws FieldError for the first invalid field */
export const readFields = ({ fields }: SandboxKind, input: SandboxFields): SandboxFields => {
  const { success, data, error } = fields.safeParse(input)
  if (success) return data
  const [issue] = error.issues
  if (issue?.code === 'unrecognized_keys')
    throw new FieldError('unknown_field', String(issue.keys[0]))
  const path = issue?.path ?? []
  const invalidValue = path.reduce<unknown>((value, step) => Object(value)[step], input)
  const isMissing = (invalidValue ?? null) === null
  throw new FieldError(isMissing ? 'required' : 'invalid', path.join('.'))
}
