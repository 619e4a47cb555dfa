/** The kind of nested objects. */
import { type Json, schemaRef } from '../json.ts'
import { matchesValue } from '../matching.ts'
import { isObject, normalizeValue } from '../value.ts'
import { jsonColumn } from './column.ts'
import {
  type Field,
  type FieldOptions,
  fieldOf,
  type Kind,
  type Shape,
  type ShapeValue,
} from './kind.ts'
import { inputOf, mapReferences, nestedFields } from './shape.ts'

const kindOf = <S extends Shape>(shape: S): Kind<ShapeValue<S> | null> => {
  const fields = nestedFields(shape.fields)
  const entries = Object.entries(fields)
  return {
    name: 'object',
    column: jsonColumn,
    expected: 'an object',
    normalize: (value, context, path) => {
      if (!isObject(value)) return
      const result: Record<string, unknown> = {}
      for (const [name, field] of entries)
        result[name] = normalizeValue(field, value[name], context, `${path}.${name}`)
      return result
    },
    input: inputOf(fields),
    matches: (stored, input, by) =>
      isObject(stored) &&
      isObject(input) &&
      Object.entries(input).every(([name, value]) => {
        const field = fields[name]
        return field !== undefined && matchesValue(field, stored[name], value, by)
      }),
    // Safe: the input schema has validated an object of the shape.
    mapReferences: (value, path, replace) =>
      mapReferences(fields, value as Readonly<Record<string, Json>>, replace, `${path}.`),
    shape,
    fields: shape.fields,
    graphql: { shape },
    typescript: shape.name,
    jsonSchema: (side) => schemaRef(side === 'input' ? `${shape.name}Input` : shape.name),
    // Safe: the example of a shape has a value for each field.
    example: (source) => source.shape(shape) as ShapeValue<S>,
  }
}

/** One object of a shape. */
export const object = <S extends Shape>(
  shape: S,
  doc: string,
  options?: Pick<FieldOptions, 'required'>,
): Field<ShapeValue<S> | null, never> => fieldOf(kindOf(shape), doc, options)
