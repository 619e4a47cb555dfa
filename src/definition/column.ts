/** The table of a resource: one column a field, typed. */
import type { Field } from './field.ts'
import { alwaysPresent, type Resource, snakeCase } from './resource.ts'

export interface Column {
  /** The field. */
  readonly field: string
  readonly kind: Field['kind']
  /** The column: snake_case. */
  readonly name: string
  readonly sqlType: string
  readonly nullable: boolean
}

const sqlTypes: Readonly<Record<Field['kind'], string>> = {
  text: 'text',
  label: 'text',
  enumeration: 'text',
  integer: 'integer',
  number: 'numeric',
  decimal: 'numeric',
  boolean: 'boolean',
  timestamp: 'timestamptz(3)',
  date: 'timestamptz(3)',
  reference: 'uuid',
  references: 'uuid[]',
  texts: 'text[]',
  list: 'jsonb',
  object: 'jsonb',
  json: 'jsonb',
}

const listKinds = new Set<Field['kind']>(['references', 'texts', 'list'])

/** The columns of a resource's table after `credential_id` and `id`, in the order of its fields. */
export const columnsOf = (resource: Resource): readonly Column[] =>
  Object.entries(resource.allFields).map(([field, { kind }]) => ({
    field,
    kind,
    name: snakeCase(field),
    sqlType: sqlTypes[kind],
    nullable: !alwaysPresent.has(field) && !listKinds.has(kind),
  }))
