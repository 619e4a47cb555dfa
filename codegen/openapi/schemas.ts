/** JSON schemas (2020-12, the dialect of OpenAPI 3.1) of records, and builders of schemas. */
import type { Catalogue } from '../../src/definition/catalogue.ts'
import type { JsonSchema } from '../../src/definition/json.ts'
import { describeWords } from '../../src/definition/kinds/enumeration.ts'
import type { Field, Fields, ReferenceTarget } from '../../src/definition/kinds/kind.ts'
import { nestedFields } from '../../src/definition/kinds/shape.ts'
import {
  alwaysPresent,
  commonFields,
  customFields,
  type Resource,
} from '../../src/definition/resource.ts'
import { sharedEnumerations } from '../shared-enumerations.ts'
import { exampleRecord } from './examples.ts'

export type { JsonSchema } from '../../src/definition/json.ts'

export const refTo = (kind: 'schemas' | 'parameters' | 'headers' | 'responses', name: string) => ({
  $ref: `#/components/${kind}/${name}`,
})

/** The schema of an object with exactly these properties, all of them required. */
export const closedObject = (properties: Readonly<Record<string, JsonSchema>>): JsonSchema => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})

export const uuid: JsonSchema = { type: 'string', format: 'uuid' }

export const orNull = (schema: JsonSchema): JsonSchema => {
  if ('$ref' in schema) return { anyOf: [schema, { type: 'null' }] }
  if (!('type' in schema)) return schema
  const { type, enum: values, ...rest } = schema
  return {
    type: [type, 'null'].flat(),
    // Safe: the values of an enumeration are a list.
    ...(values !== undefined && { enum: [...(values as readonly string[]), null] }),
    ...rest,
  }
}

const describe = ({ doc, kind: { notes } }: Field): string =>
  notes?.output === undefined ? doc : `${doc} ${notes.output}`

const fieldSchema = (field: Field): JsonSchema => {
  const present = field.kind.jsonSchema('output')
  return { description: describe(field), ...(field.kind.isList ? present : orNull(present)) }
}

/** The schema of the embedded record of a reference. */
const embeddedSchema = (
  catalogue: Catalogue,
  doc: string,
  { target, embeds = [] }: ReferenceTarget,
): JsonSchema => {
  const { fields } = catalogue.get(target)
  const shown = embeds.flatMap((name) => {
    const field = fields[name]
    return field === undefined ? [] : [[name, fieldSchema(field)] as const]
  })
  return {
    description: doc,
    ...orNull(
      closedObject({
        id: { description: "The record's id in Trunkline.", ...uuid },
        remoteId: { description: commonFields.remoteId.doc, type: 'string' },
        ...Object.fromEntries(shown),
      }),
    ),
  }
}

const recordSchema = (catalogue: Catalogue, resource: Resource): JsonSchema => {
  const properties = Object.entries(resource.allFields).map(([name, field]) => [
    name,
    field.kind.reference?.embeds
      ? embeddedSchema(catalogue, field.doc, field.kind.reference)
      : alwaysPresent.has(name)
        ? { description: describe(field), ...field.kind.jsonSchema('output') }
        : fieldSchema(field),
  ])
  const record = closedObject({
    id: { description: "The record's id in Trunkline.", ...uuid },
    ...Object.fromEntries(properties),
  })
  return {
    description: resource.doc,
    ...record,
    // Not required: a record has it only if its resource has custom fields.
    properties: { ...Object(record.properties), customFields: fieldSchema(customFields) },
    examples: [exampleRecord(catalogue, resource)],
  }
}

const shapeSchema = (doc: string, fields: Fields): JsonSchema => ({
  description: doc,
  ...closedObject(
    Object.fromEntries(
      Object.entries(nestedFields(fields)).map(([name, field]) => [name, fieldSchema(field)]),
    ),
  ),
})

/** The schemas of all records, shapes and shared enumerations. @throws TypeError if two have the same name */
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
    ...[...sharedEnumerations(catalogue)].map(([name, { doc, words }]): [string, JsonSchema] => [
      name,
      {
        description: [doc, describeWords(words)].filter(Boolean).join(' '),
        type: 'string',
        enum: Object.keys(words),
      },
    ]),
  ]
  const names = own.map(([name]) => name)
  const duplicate = names.find((name, index) => names.indexOf(name) !== index)
  if (duplicate !== undefined) throw new TypeError(`Two types of the API are named ${duplicate}.`)
  return Object.fromEntries(own.sort(([a], [b]) => (a < b ? -1 : 1)))
}
