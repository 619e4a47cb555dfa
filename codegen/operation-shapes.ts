import { fieldsAt } from '../src/api/operation.ts'
import { operations } from '../src/api/operations.ts'
import type { Field, Shape } from '../src/definition/field.ts'

/** A shape and those within it. */
export const shapesIn = (field: Field): readonly Shape[] =>
  field.kind === 'list' || field.kind === 'object'
    ? [field.shape, ...Object.values<Field>(field.shape.fields).flatMap(shapesIn)]
    : []

/** The shapes that operations answer with, each once. */
export const answeredShapes: readonly Shape[] = [
  ...new Set(operations.flatMap(({ answer }) => shapesIn(answer.value))),
]

/** The shapes in what operations are given, each once. */
export const givenShapes: readonly Shape[] = [
  ...new Set(
    operations.flatMap((operation) => Object.values(fieldsAt(operation, 'body')).flatMap(shapesIn)),
  ),
]
