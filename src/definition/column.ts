/** The table of a resource: one typed column per field. */
import type { KindColumn } from './kinds/column.ts'
import { alwaysPresent, customFields, type Resource, snakeCase } from './resource.ts'

export interface Column extends KindColumn {
  /** The name of the field. */
  readonly field: string
  /** The name of the column, in snake_case. */
  readonly name: string
  readonly nullable: boolean
}

/** The columns of a resource's table after `credential_id` and `id`: its fields in their order, and the custom fields. */
export const columnsOf = (resource: Resource): readonly Column[] =>
  Object.entries({ ...resource.allFields, customFields }).map(([field, { kind }]) => ({
    ...kind.column,
    field,
    name: snakeCase(field),
    nullable: !alwaysPresent.has(field) && !kind.isList,
  }))

/**
 * The columns that a stored document contains, after the id. An embedded record can change without the record
 * that embeds it, so no document contains it. Nor does it contain the custom fields, which few records have.
 */
export const documentColumns = (resource: Resource): readonly Column[] =>
  columnsOf(resource).filter(
    ({ field }) =>
      field in resource.allFields &&
      resource.allFields[field]?.kind.reference?.embeds === undefined,
  )
