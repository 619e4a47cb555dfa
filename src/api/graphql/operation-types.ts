/** The GraphQL output types of operations, built from their shapes. */
import type { OutputType } from '@pothos/core'
import type { Field, Shape } from '../../definition/kinds/kind.ts'
import { memoize } from '../../memoize.ts'
import type { Builder } from './builder.ts'
import type { Enums } from './enums.ts'

type Types = Builder['$inferSchemaTypes']

/** An output object: plain data that matches its shape. */
type Values = Readonly<Record<string, unknown>>

export const createOperationTypes = (builder: Builder, enums: Enums) => {
  /** The type of a value, or of one entry of a list. */
  const valueType = (
    typeName: string,
    fieldName: string,
    { kind: { graphql } }: Field,
  ): OutputType<Types> => {
    if ('enumeration' in graphql)
      return enums({ typeName, recordName: '', fieldName }, graphql.enumeration)
    return 'shape' in graphql ? outputShape(graphql.shape) : graphql.scalar
  }

  const outputType = (
    typeName: string,
    name: string,
    field: Field,
  ): OutputType<Types> | [OutputType<Types>] => {
    const type = valueType(typeName, name, field)
    return field.kind.isList ? [type] : type
  }

  const outputShape = memoize((shape: Shape): OutputType<Types> => {
    const type = builder.objectRef<Values>(shape.name)
    type.implement({
      description: shape.doc,
      fields: (t) =>
        Object.fromEntries(
          Object.entries(shape.fields).map(([name, field]) => [
            name,
            t.field({
              type: outputType(shape.name, name, field),
              nullable: !field.required && !field.kind.isList,
              description: field.doc,
              // The values of an operation's result match the kinds of its fields.
              resolve: (values) => values[name] as never,
            }),
          ]),
        ),
    })
    return type
  })

  return { outputType, outputShape }
}

export type OperationTypes = ReturnType<typeof createOperationTypes>
