/** JSON schemas of what is given, and of what operations answer. */
import type { Field, Fields, Shape } from '../../src/definition/field.ts'
import { commonFields } from '../../src/definition/resource.ts'
import { capitalise } from '../../src/definition/value.ts'
import { MAX_INPUT_ENTRIES, MAX_INPUT_ID, MAX_INPUT_TEXT } from '../../src/query/input.ts'
import { enumerationSchema, isList, type JsonSchema, orNull, refTo, uuid } from './schemas.ts'

export type Side = 'input' | 'output'

export const shapeName = ({ name }: Shape, side: Side): string =>
  side === 'input' ? `${name}Input` : name

/** Those that are given may be anything: what no one has is answered with 404. */
const identifier = (side: Side): JsonSchema =>
  side === 'input' ? { type: 'string', minLength: 1, maxLength: MAX_INPUT_ID } : uuid

/** What is given has bounds; what the service says has been within them, or came from an app. */
const bounded = (side: Side, schema: JsonSchema, bounds: JsonSchema): JsonSchema =>
  side === 'input' ? { ...schema, ...bounds } : schema

const text = (side: Side): JsonSchema =>
  bounded(side, { type: 'string' }, { maxLength: MAX_INPUT_TEXT })

const listOf = (side: Side, items: JsonSchema): JsonSchema =>
  bounded(side, { type: 'array', items }, { maxItems: MAX_INPUT_ENTRIES })

export const present = (field: Field, side: Side): JsonSchema => {
  switch (field.kind) {
    case 'integer':
      return { type: 'integer', format: 'int32' }
    case 'number':
      return { type: 'number' }
    case 'decimal':
      return { type: ['number', 'string'], pattern: '^-?\\d+(\\.\\d+)?$' }
    case 'label':
      // As the contract writes them, and as they are shown.
      return bounded(
        side,
        { type: 'string', examples: field.values.map(capitalise) },
        { enum: field.values.flatMap((word) => [word, capitalise(word)]) },
      )
    case 'boolean':
      return { type: 'boolean' }
    case 'timestamp':
    case 'date':
      return { type: 'string', format: 'date-time' }
    case 'enumeration':
      return enumerationSchema(field)
    case 'reference':
      return identifier(side)
    case 'references':
      return listOf(side, identifier(side))
    case 'texts':
      return listOf(side, text(side))
    case 'list':
      return listOf(side, refTo('schemas', shapeName(field.shape, side)))
    case 'object':
      return refTo('schemas', shapeName(field.shape, side))
    case 'json':
      return field === commonFields.remoteFields ? { type: 'object' } : {}
    default:
      return text(side)
  }
}

const DAY_NOTE = 'A timestamp with an offset keeps the day that is written in it.'

export const schemaOf = (field: Field, side: Side): JsonSchema => {
  const schema = present(field, side)
  const isNever =
    field.required || (side === 'output' ? isList(field) : field === commonFields.remoteFields)
  const note = side === 'input' && field.kind === 'date' ? ` ${DAY_NOTE}` : ''
  return { description: `${field.doc}${note}`, ...(isNever ? schema : orNull(schema)) }
}

export const properties = (fields: Fields, side: Side) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field, side)]))

/** An object that is given, closed; `mustGive`: which of the fields every caller gives. */
export const inputObject = (
  fields: Fields,
  mustGive: (name: string, field: Field) => boolean,
): JsonSchema => {
  const needed = Object.entries(fields).flatMap(([name, field]) =>
    mustGive(name, field) ? [name] : [],
  )
  return {
    type: 'object',
    properties: properties(fields, 'input'),
    ...(needed.length > 0 && { required: needed }),
    additionalProperties: false,
  }
}

/** The schemas of shapes that are given, by their names. */
export const inputShapes = (shapes: readonly Shape[]): Readonly<Record<string, JsonSchema>> =>
  Object.fromEntries(
    shapes.map((shape) => [
      shapeName(shape, 'input'),
      {
        description: shape.doc,
        ...inputObject(shape.fields, (_name, field) => field.required),
      },
    ]),
  )
