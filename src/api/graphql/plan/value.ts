/** Writes nested values of a record, objects and lists, from their stored JSON text. */
import {
  type GraphQLLeafType,
  type GraphQLOutputType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Fields } from '../../../definition/kinds/kind.ts'
import { INT32_MAX } from '../../../definition/kinds/limits.ts'
import { listEntries, objectValues } from '../../../query/json-text.ts'
import { NotPlannedError } from './not-planned.ts'
import { type SelectedField, type SelectionContext, selectedFields } from './selection.ts'

/**
 * Converts the JSON text of a stored value to that of the response.
 * @throws NotPlannedError, RangeError if it does not fit its type
 */
export type WriteValue = (json: string) => string

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

const checked =
  (fits: (json: string) => boolean): WriteValue =>
  (json) => {
    if (!fits(json)) throw new NotPlannedError()
    return json
  }

const isText = (json: string): boolean => json.startsWith('"')

const isInteger = (json: string): boolean => {
  const value = Number(json)
  return !isText(json) && Number.isInteger(value) && Math.abs(value) <= INT32_MAX
}

/** The check for a value of each scalar type. Values of other scalars are returned as they are stored. */
const scalars: Readonly<Record<string, WriteValue>> = {
  String: checked(isText),
  ID: checked(isText),
  Int: checked(isInteger),
  Float: checked((json) => Number.isFinite(Number(json))),
  Boolean: checked((json) => json === 'true' || json === 'false'),
}

const asStored: WriteValue = (json) => json

/** Checks that a single value, which is not null, fits its type. */
const checkLeaf = (type: GraphQLLeafType): WriteValue => {
  if (!isEnumType(type)) return scalars[type.name] ?? asStored
  const values = new Set(type.getValues().map(({ name }) => `"${name}"`))
  return checked((json) => values.has(json))
}

const planObject = (
  context: SelectionContext,
  { type, fields }: ValueType,
  { selectionSets }: SelectedField,
): WriteValue => {
  if (!isObjectType(type)) throw new NotPlannedError()
  const selected = selectedFields(context, type, selectionSets)
  const names = new Set(selected.map(({ name }) => name).filter((name) => name !== '__typename'))
  const indexes = new Map([...names].map((name, index) => [name, index]))
  const members = selected.map((member, position) => {
    const { as, name } = member
    const key = (position > 0 ? ',' : '') + keyText(as)
    const index = indexes.get(name)
    if (index === undefined) return { key: `${key}"${type.name}"` }
    const field = fields[name]
    const graphField = type.getFields()[name]
    if (!field || !graphField || !isStored(fields, name)) throw new NotPlannedError()
    const valueType = { type: graphField.type, fields: field.kind.fields ?? {} }
    return { key, index, write: planValue(context, valueType, member) }
  })
  return (json) => {
    const values = objectValues(json, indexes)
    let text = '{'
    for (const { key, index, write } of members) {
      text += key
      if (write) text += write(values[index] ?? 'null')
    }
    return `${text}}`
  }
}

const orNull =
  (write: WriteValue): WriteValue =>
  (json) =>
    json === 'null' ? json : write(json)

/** Plans a stored value. */
export const planValue = (
  context: SelectionContext,
  { type, fields }: ValueType,
  selected: SelectedField,
): WriteValue => {
  if (isNonNullType(type)) {
    const write = planValue(context, { type: type.ofType, fields }, selected)
    return (json) => {
      if (json === 'null') throw new NotPlannedError()
      return write(json)
    }
  }
  if (isListType(type)) {
    const write = planValue(context, { type: type.ofType, fields }, selected)
    return orNull((json) => `[${listEntries(json).map(write).join(',')}]`)
  }
  return orNull(
    isLeafType(type) ? checkLeaf(type) : planObject(context, { type, fields }, selected),
  )
}
