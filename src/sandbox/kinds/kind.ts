/** Definition of the sandbox's kinds, i.e. of its collections and their records. */
import { z } from 'zod'
import type { Fields } from '../../definition/kinds/kind.ts'
import type { Verb } from '../../definition/resource.ts'
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
  /** Fields of the record's parts; none for a new record. */
  readonly parts: readonly SandboxFields[]
  /** The next id with this prefix, for objects nested in a record. */
  nextId(prefix: string): string
}

/** Records that belong to a record of another kind, whose computed fields follow from them. */
export interface Parts {
  /** The collection of the parts: `payments`. */
  readonly kind: string
  /** The field of a part that references the record: `invoice`. */
  readonly reference: string
  /** Input fields of the record that a write of a part replaces. */
  readonly replaced?: SandboxFields
}

/** A collection: the schema of its records and their computed fields. */
export interface SandboxKind<F extends z.ZodObject = z.ZodObject, C extends object = object> {
  /** The resource of the API whose records it holds: `accounting/invoices`. */
  readonly topic: string
  /** The writes and reads that it offers. */
  readonly verbs: readonly Verb[]
  /** Prefix of ids: `inv` in `inv_0001`. */
  readonly prefix: string
  /** Schema of the input. */
  readonly fields: F
  /** The definitions of its fields, which state what they reference. */
  readonly definitions: Fields
  /** Those that the resource lacks. */
  readonly more: Fields
  readonly parts?: Parts | undefined
  /** Computes further fields; may replace input fields. */
  complete(input: z.output<F>, context: RecordCompletion): C
}

/** The fields of a kind that the resource lacks, as the sandbox describes them. */
export const describeFields = ({ more }: SandboxKind) =>
  Object.entries(more).map(([name, { kind, doc }]) => ({
    name,
    label: doc,
    type: kind.values ? 'text' : kind.name,
    options: kind.values,
  }))

const ID = /^[a-z]+_\d{4,12}$/

/** Whether a string has the format of an id. */
export const isId = (text: string): boolean => ID.test(text)

/** Schema of a reference to a record, by id. */
export const ref = (): z.ZodString => z.string().regex(ID)

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
