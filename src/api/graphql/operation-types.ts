/** The GraphQL types of what operations answer, from their shapes. */
import type { OutputType } from '@pothos/core'
import type { Field, Shape } from '../../definition/field.ts'
import type { Builder } from './builder.ts'
import type { Enums } from './enums.ts'
import { scalars } from './fields.ts'

type Types = Builder['$inferSchemaTypes']

/** An object that is answered with: plain data, as its shape says. */
type Values = Readonly<Record<string, unknown>>

/** Makes each of them once, by its name. */
const remembered = <Key, Value>(make: (key: Key) => Value): ((key: Key) => Value) => {
  const made = new Map<Key, Value>()
  return (key) => {
    const known = made.get(key)
    if (known !== undefined) return known
    const value = make(key)
    made.set(key, value)
    return value
  }
}

const isList = ({ kind }: Field): boolean =>
  kind === 'list' || kind === 'texts' || kind === 'references'

export const createOperationTypes = (builder: Builder, enums: Enums) => {
  /** The type of a single value: a scalar, or the enumeration that the field is. */
  const valueType = (typeName: string, fieldName: string, field: Field) => {
    switch (field.kind) {
      case 'enumeration':
        return enums({ typeName, recordName: '', fieldName }, field)
      case 'texts':
        return 'String'
      case 'references':
        return 'ID'
      case 'list':
      case 'object':
        throw new TypeError(`${typeName}.${fieldName} is not a single value.`)
      default:
        return scalars[field.kind]
    }
  }

  /** The type of a field, or of one of its entries. */
  const outputOf = (typeName: string, name: string, field: Field): OutputType<Types> =>
    field.kind === 'list' || field.kind === 'object'
      ? outputShape(field.shape)
      : valueType(typeName, name, field)

  const outputType = (
    typeName: string,
    name: string,
    field: Field,
  ): OutputType<Types> | [OutputType<Types>] => {
    const type = outputOf(typeName, name, field)
    return isList(field) ? [type] : type
  }

  const outputShape = remembered((shape: Shape): OutputType<Types> => {
    const type = builder.objectRef<Values>(shape.name)
    type.implement({
      description: shape.doc,
      fields: (t) =>
        Object.fromEntries(
          Object.entries(shape.fields).map(([name, field]) => [
            name,
            t.field({
              type: outputType(shape.name, name, field),
              nullable: !field.required && !isList(field),
              description: field.doc,
              // What an operation answers with has, under each name, a value of the field's kind.
              resolve: (values) => values[name] as never,
            }),
          ]),
        ),
    })
    return type
  })

  return { outputType }
}

export type OperationTypes = ReturnType<typeof createOperationTypes>
