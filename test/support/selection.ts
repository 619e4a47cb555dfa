/** The GraphQL selection that asks for what REST shows of a record. */
import type { Fields } from '../../src/definition/field.ts'
import type { Resource } from '../../src/definition/resource.ts'

const fieldsSelection = (fields: Fields): string =>
  Object.entries(fields)
    .map(([name, field]) => {
      if (field.kind === 'list' || field.kind === 'object')
        return `${name} { ${fieldsSelection(field.shape.fields)} }`
      if (field.kind === 'reference' && field.embeds)
        return `${name} { id remoteId ${field.embeds.join(' ')} }`
      return name
    })
    .join(' ')

export const fullSelection = (resource: Resource): string =>
  `id ${fieldsSelection(resource.allFields)}`
