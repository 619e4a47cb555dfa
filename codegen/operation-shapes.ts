import { fieldsAt } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import type { Field, Shape } from '../src/definition/kinds/kind.ts'

/** The shape of a field and all shapes nested in it. */
export const shapesIn = ({ kind: { shape } }: Field): readonly Shape[] =>
  shape ? [shape, ...Object.values(shape.fields).flatMap(shapesIn)] : []

/** The shapes in the results of operations, without duplicates. */
export const resultShapes: readonly Shape[] = [
  ...new Set(operations.flatMap(({ response }) => shapesIn(response.value))),
]

/** The shapes in the inputs of operations, without duplicates. */
export const operationInputShapes: readonly Shape[] = [
  ...new Set(
    operations.flatMap((operation) => Object.values(fieldsAt(operation, 'body')).flatMap(shapesIn)),
  ),
]
