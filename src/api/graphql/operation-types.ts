/** The GraphQL output types of operations, built from their shapes. */
import type { OutputType } from '@pothos/core'
import type { Field, Shape } from '../../definition/kinds/kind.ts'
import { memoize } from '../../memoize.ts'
import { type EntityValues, entities } from '../entities.ts'
import type { Builder } from './builder.ts'
import type { ConnectionTypes } from './connections.ts'
import type { Enums } from './enums.ts'
import type { NodeInterface } from './nodes.ts'

type Types = Builder['$inferSchemaTypes']

/** The parts of the schema that the types of operations use. */
export interface OperationTypeParts {
  readonly builder: Builder
  readonly enums: Enums
  readonly connectionType: ConnectionTypes
  readonly nodes: NodeInterface
}

export const createOperationTypes = ({
  builder,
  enums,
  connectionType,
  nodes,
}: OperationTypeParts) => {
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

  const outputShape = memoize((shape: Shape) => {
    const type = builder.objectRef<EntityValues>(shape.name)
    const key = entities.find((entity) => entity.shape === shape)?.key
    type.implement({
      description: shape.doc,
      ...(key !== undefined && { interfaces: [nodes] }),
      fields: (t) => ({
        ...(key !== undefined && {
          id: t.id({
            nullable: false,
            description: `The global id: that of \`${key}\`.`,
            // An entity always has its key, which is text.
            resolve: (values) => values[key] as string,
          }),
        }),
        ...Object.fromEntries(
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
      }),
    })
    return type
  })

  /** The connection type of a shape. */
  const connectionOf = memoize((shape: Shape) =>
    connectionType({ name: shape.name, type: outputShape(shape) }),
  )

  return { outputType, outputShape, connectionOf }
}

export type OperationTypes = ReturnType<typeof createOperationTypes>
