/** The kind of lists of objects. */
import type { Json } from '../json.ts'
import { matchesEach, matchesValue } from '../matching.ts'
import { jsonColumn } from './column.ts'
import { listInput } from './input.ts'
import {
  type Field,
  type FieldOptions,
  fieldOf,
  type Kind,
  type Shape,
  type ShapeValue,
} from './kind.ts'
import { MAX_INPUT_ENTRIES } from './limits.ts'
import { object } from './object.ts'

const kindOf = <S extends Shape>(shape: S): Kind<readonly ShapeValue<S>[]> => {
  const entry = object(shape, shape.doc)
  const entryKind = entry.kind
  return {
    name: 'list',
    isList: true,
    column: jsonColumn,
    expected: 'a list of objects',
    // Entries that are not objects are dropped.
    normalize: (value, context, path) =>
      Array.isArray(value)
        ? value.flatMap(
            (object, index) => entryKind.normalize(object, context, `${path}[${index}]`) ?? [],
          )
        : undefined,
    input: listInput(entryKind.input, 'a list of objects'),
    matches: (stored, input, by) =>
      matchesEach(stored, input, (object, value) => matchesValue(entry, object, value, by)),
    // Safe: the input schema has validated a list of objects.
    mapReferences: (objects, path, replace) =>
      (objects as readonly Json[]).map(
        (object, index) =>
          entryKind.mapReferences?.(object, `${path}[${index}]`, replace) ?? object,
      ),
    shape,
    fields: shape.fields,
    entry,
    graphql: { shape },
    typescript: `readonly ${shape.name}[]`,
    jsonSchema: (side) => ({
      type: 'array',
      items: entryKind.jsonSchema(side),
      ...(side === 'input' && { maxItems: MAX_INPUT_ENTRIES }),
    }),
    // Safe: the example of a shape has a value for each field.
    example: (source) => [source.shape(shape) as ShapeValue<S>],
  }
}

/** A list of objects of a shape, which may be empty. */
export const list = <S extends Shape>(
  shape: S,
  doc: string,
  options?: Pick<FieldOptions, 'required'>,
): Field<readonly ShapeValue<S>[], never> => fieldOf(kindOf(shape), doc, options)
