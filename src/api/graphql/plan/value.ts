/** Writes nested values of a record: objects, lists and single values, as their resolvers would return them. */
import {
  type GraphQLOutputType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Fields } from '../../../definition/kinds/kind.ts'
import { isObject } from '../../../definition/value.ts'
import { NotPlannedError } from './not-planned.ts'
import { type SelectedField, type SelectionContext, selectedFields } from './selection.ts'

/** Returns the JSON text of a parsed value. @throws NotPlannedError or GraphQLError if it does not fit its type */
export type WriteValue = (value: unknown) => string

/** The start of a member in a response object. */
export const keyText = (as: string): string => `"${as}":`

/** Whether a field shows a stored value: not the link that replaces an embedding reference. */
export const isStored = (fields: Fields, name: string): boolean => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  return field !== undefined && field.kind.reference?.embeds === undefined
}

/** The type of a value, and the fields of its objects. */
interface ValueType {
  readonly type: GraphQLOutputType
  readonly fields: Fields
}

const planObject = (
  context: SelectionContext,
  { type, fields }: ValueType,
  { selectionSets }: SelectedField,
): WriteValue => {
  if (!isObjectType(type)) throw new NotPlannedError()
  const members = selectedFields(context, type, selectionSets).map((selected) => {
    const { as, name } = selected
    if (name === '__typename') return { name, text: `${keyText(as)}"${type.name}"` }
    const field = fields[name]
    const graphField = type.getFields()[name]
    if (!field || !graphField || !isStored(fields, name)) throw new NotPlannedError()
    const write = planValue(
      context,
      { type: graphField.type, fields: field.kind.fields ?? {} },
      selected,
    )
    return { name, text: keyText(as), write }
  })
  return (value) => {
    if (!isObject(value)) throw new NotPlannedError()
    let text = '{'
    for (const [index, member] of members.entries()) {
      if (index > 0) text += ','
      text += member.text
      if (member.write) text += member.write(value[member.name])
    }
    return `${text}}`
  }
}

/** Plans a stored value. */
export const planValue = (
  context: SelectionContext,
  { type, fields }: ValueType,
  selected: SelectedField,
): WriteValue => {
  if (isNonNullType(type)) {
    const write = planValue(context, { type: type.ofType, fields }, selected)
    return (value) => {
      if (value === null || value === undefined) throw new NotPlannedError()
      return write(value)
    }
  }
  if (isListType(type)) {
    const write = planValue(context, { type: type.ofType, fields }, selected)
    return (value) => {
      if (value === null || value === undefined) return 'null'
      if (!Array.isArray(value)) throw new NotPlannedError()
      return `[${value.map(write).join(',')}]`
    }
  }
  const write = isLeafType(type)
    ? (value: unknown): string => JSON.stringify(type.serialize(value))
    : planObject(context, { type, fields }, selected)
  return (value) => (value === null || value === undefined ? 'null' : write(value))
}
