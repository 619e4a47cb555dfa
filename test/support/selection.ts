/** The GraphQL selection with the fields that REST shows of a record. */
import type { Fields } from '../../src/definition/field.ts'
import type { Resource } from '../../src/definition/resource.ts'

const selectFields = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, field]) => {
      const { fields: inside } = field.kind
      return inside ? `${name} { ${selectFields(inside)} }` : name
    })
    .join(' ')

export const selectAllFields = (resource: Resource): string =>
  `id ${selectFields(resource.allFields)}`
