/** JSON schemas (2020-12, the dialect of OpenAPI 3.1) of what the store answers. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import { DECIMAL } from '../../src/definition/decimal.ts'
import type { EnumerationField, Field, Fields } from '../../src/definition/field.ts'
import { alwaysPresent, commonFields, type Resource } from '../../src/definition/resource.ts'
import { capitalise } from '../../src/definition/value.ts'
import { sharedEnumerations } from '../shared-enumerations.ts'
import { exampleRecord } from './examples.ts'

export type JsonSchema = Readonly<Record<string, unknown>>

export const refTo = (kind: 'schemas' | 'parameters' | 'headers' | 'responses', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

/** An object with exactly these properties, none of them left out. */
export const closedObject = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

export const uuid: JsonSchema = { type: 'string', format: 'uuid' }

/** The words of an enumeration; a list that several fields share stands in the components. */
export const enumerationSchema = ({ enumName, values }: EnumerationField): JsonSchema =>
  enumName === undefined ? { type: 'string', enum: values } : refTo('schemas', enumName)

// PostgreSQL writes a column's digits without an exponent.
const COLUMN_DECIMAL = '^-?\\d+(\\.\\d+)?$'
const instant: JsonSchema = { type: 'string', format: 'date-time' }

/** The value where there is one. `nested`: inside a shape, not a column of its own. */
const presentSchema = (field: Field, nested: boolean): JsonSchema => {
  switch (field.kind) {
    case 'text':
      return { type: 'string' }
    case 'label':
      return { type: 'string', examples: field.values.map(capitalise) }
    case 'integer':
      return { type: 'integer', format: 'int32' }
    case 'number':
      return { type: 'number' }
    case 'decimal':
      return { type: 'string', pattern: nested ? DECIMAL.source : COLUMN_DECIMAL }
    case 'boolean':
      return { type: 'boolean' }
    case 'timestamp':
    case 'date':
      return instant
    case 'enumeration':
      return enumerationSchema(field)
    case 'reference':
      return uuid
    case 'references':
      return { type: 'array', items: uuid }
    case 'texts':
      return { type: 'array', items: { type: 'string' } }
    case 'list':
      return { type: 'array', items: refTo('schemas', field.shape.name) }
    case 'object':
      return refTo('schemas', field.shape.name)
    case 'json':
      return field === commonFields.remoteFields ? { type: 'object' } : {}
  }
}

export const orNull = (schema: JsonSchema): JsonSchema => {
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] }
  if (!('type' in schema)) return schema
  const { type, enum: values, ...rest } = schema
  return {
    type: [type, 'null'].flat(),
    // An enumeration's values are a list.
    ...(values !== undefined && { enum: [...(values as readonly string[]), null] }),
    ...rest,
  }
}

export const isList = ({ kind }: Field): boolean =>
  kind === 'list' || kind === 'texts' || kind === 'references'

const describe = (field: Field): string =>
  field.kind === 'date' ? `${field.doc} The first instant of the day in UTC.` : field.doc

const fieldSchema = (field: Field, nested: boolean): JsonSchema => {
  const present = presentSchema(field, nested)
  return { description: describe(field), ...(isList(field) ? present : orNull(present)) }
}

/** The record that a reference shows in place of its bare id. */
const embeddedSchema = (
  catalogue: Catalogue,
  { target, doc, embeds = [] }: Extract<Field, { kind: 'reference' }>,
): JsonSchema => {
  const { fields } = catalogue.get(target)
  const shown = embeds.flatMap((name) => {
    const field = fields[name]
    return field === undefined ? [] : [[name, fieldSchema(field, false)] as const]
  })
  return {
    description: doc,
    ...orNull(
      closedObject({
        id: { description: 'Identifier assigned by the service.', ...uuid },
        remoteId: { description: commonFields.remoteId.doc, type: 'string' },
        ...Object.fromEntries(shown),
      }),
    ),
  }
}

const recordSchema = (catalogue: Catalogue, resource: Resource): JsonSchema => {
  const properties = Object.entries(resource.allFields).map(([name, field]) => [
    name,
    field.kind === 'reference' && field.embeds !== undefined
      ? embeddedSchema(catalogue, field)
      : alwaysPresent.has(name)
        ? { description: describe(field), ...presentSchema(field, false) }
        : fieldSchema(field, false),
  ])
  return {
    description: resource.doc,
    ...closedObject({
      id: { description: 'Identifier assigned by the service.', ...uuid },
      ...Object.fromEntries(properties),
    }),
    examples: [exampleRecord(catalogue, resource)],
  }
}

const shapeSchema = (doc: string, fields: Fields): JsonSchema => ({
  description: doc,
  ...closedObject(
    Object.fromEntries(
      Object.entries(fields).map(([name, field]) => [name, fieldSchema(field, true)]),
    ),
  ),
})

/** A schema for each record, shape and shared enumeration. @throws TypeError if two have one name */
export const recordSchemas = (catalogue: Catalogue): Readonly<Record<string, JsonSchema>> => {
  const own: [string, JsonSchema][] = [
    ...catalogue.resources.map((resource): [string, JsonSchema] => [
      resource.typeName,
      recordSchema(catalogue, resource),
    ]),
    ...catalogue.shapes.map(({ name, doc, fields }): [string, JsonSchema] => [
      name,
      shapeSchema(doc, fields),
    ]),
    ...[...sharedEnumerations(catalogue)].map(([name, values]): [string, JsonSchema] => [
      name,
      { type: 'string', enum: values },
    ]),
  ]
  const names = own.map(([name]) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) throw new TypeError(`Two types of the API are named ${twice}.`)
  return Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)))
}
