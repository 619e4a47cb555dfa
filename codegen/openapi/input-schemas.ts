/** JSON schemas of inputs, and of the results of operations. */
import type { Field, Fields, Shape, Side } from '../../src/definition/kinds/kind.ts'
import { commonFields } from '../../src/definition/resource.ts'
import { type JsonSchema, orNull } from './schemas.ts'

export const shapeName = ({ name }: Shape, side: Side): string =>
  side === 'input' ? `${name}Input` : name

export const schemaOf = ({ kind, doc, required, rejectsNull }: Field, side: Side): JsonSchema => {
  const schema = kind.jsonSchema(side)
  // `remoteFields` is optional, but not nullable.
  const isNonNull =
    required ||
    rejectsNull ||
    (side === 'output' ? kind.isList : kind === commonFields.remoteFields.kind)
  const note = kind.notes?.[side] ? ` ${kind.notes[side]}` : ''
  return { description: `${doc}${note}`, ...(isNonNull ? schema : orNull(schema)) }
}

export const properties = (fields: Fields, side: Side) =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, schemaOf(field, side)]))

/** The schema of an input object without additional properties. `isRequired` selects the required fields. */
export const inputObject = (
  fields: Fields,
  isRequired: (name: string, field: Field) => boolean,
): JsonSchema => {
  const required = Object.entries(fields).flatMap(([name, field]) =>
    isRequired(name, field) ? [name] : [],
  )
  return {
    type: 'object',
    properties: properties(fields, 'input'),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

/** The schemas of input shapes, by name. */
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
