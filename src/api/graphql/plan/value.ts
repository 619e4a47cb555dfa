/** Writes nested values of a record, objects and lists, from their stored JSON text. */
import {
  type GraphQLEnumType,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  isEnumType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql'
import type { Fields } from '../../../definition/kinds/kind.ts'
import { INT32_MAX } from '../../../definition/kinds/limits.ts'
import {
  createObjectReader,
  isNull,
  type JsonReader,
  readEntries,
  readValue,
} from '../../../query/json-text.ts'
import { findOutgoing, type LevelSource, type OutgoingLink, type PlanContext } from './level.ts'
import { NotPlannedError } from './not-planned.ts'
import { type MergedField, selectedFields } from './selection.ts'

/**
 * Reads a stored value, and returns its JSON text in the response.
 * @throws NotPlannedError, RangeError if it does not fit its type
 */
export type WriteValue = (reader: JsonReader, source: LevelSource) => string

/** The names from a field of a record to a value inside it. */
export type ValuePath = readonly [string, ...string[]]

/** Writes the record that has an id; `null` if none exists. */
export type WriteReferenced = (id: string, source: LevelSource) => string

export interface ValuePlanContext extends PlanContext {
  /** Plans a link whose ids are at a path of the record that contains the value. */
  planReferenced(link: OutgoingLink, path: ValuePath, selected: MergedField): WriteReferenced
}

/** The start of a member in a response object. */
export const keyText = (as: string): string => `"${as}":`

/** Whether a field shows a stored value: not the link that replaces an embedding reference. */
export const isStored = (fields: Fields, name: string): boolean => {
  const field = Object.hasOwn(fields, name) ? fields[name] : undefined
  return field !== undefined && field.kind.reference?.embeds === undefined
}

/** The type of a value, the fields of its objects, and its place in the record. */
interface ValueType {
  readonly type: GraphQLOutputType
  readonly fields: Fields
  readonly path: ValuePath
}

/** Writes a single value, which is not null. @throws NotPlannedError if it does not fit its type */
type WriteLeaf = (json: string) => string

const checked =
  (fits: (json: string) => boolean): WriteLeaf =>
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
const scalars: Readonly<Record<string, WriteLeaf>> = {
  String: checked(isText),
  ID: checked(isText),
  Int: checked(isInteger),
  Float: checked((json) => Number.isFinite(Number(json))),
  Boolean: checked((json) => json === 'true' || json === 'false'),
}

const asStored: WriteLeaf = (json) => json

/** Writes an enum value from its stored word. */
const writeEnum = (type: GraphQLEnumType): WriteLeaf => {
  const texts = new Map(
    type.getValues().map(({ name, value }) => [JSON.stringify(value), `"${name}"`]),
  )
  return (json) => {
    const text = texts.get(json)
    if (text === undefined) throw new NotPlannedError()
    return text
  }
}

const writeLeaf = (type: GraphQLLeafType): WriteLeaf =>
  isEnumType(type) ? writeEnum(type) : (scalars[type.name] ?? asStored)

const writeList =
  (write: WriteValue): WriteValue =>
  (reader, source) => {
    let text = ''
    readEntries(reader, () => {
      text += (text === '' ? '[' : ',') + write(reader, source)
    })
    return text === '' ? '[]' : `${text}]`
  }

/** Plans a link in an object: it replaces the id, or the list of ids, of a reference. */
const planLink = (
  context: ValuePlanContext,
  link: OutgoingLink,
  path: ValuePath,
  selected: MergedField,
): WriteValue => {
  const writeReferenced = context.planReferenced(link, path, selected)
  const write: WriteValue = (reader, source) => {
    const id = readValue(reader)
    if (!isText(id)) throw new NotPlannedError()
    return writeReferenced(id.slice(1, -1), source)
  }
  return link.kind.isList ? writeList(write) : orNull(write)
}

const planMember = (
  context: ValuePlanContext,
  parent: GraphQLObjectType,
  { fields, path }: Pick<ValueType, 'fields' | 'path'>,
  selected: MergedField,
): { readonly name: string; readonly write: WriteValue } => {
  const { name } = selected
  const link = findOutgoing(context, fields, name)
  if (link)
    return { name: link.name, write: planLink(context, link, [...path, link.name], selected) }
  const field = fields[name]
  const graphField = parent.getFields()[name]
  if (!field || !graphField || !isStored(fields, name)) throw new NotPlannedError()
  const type = {
    type: graphField.type,
    fields: field.kind.fields ?? {},
    path: [...path, name] as const,
  }
  return { name, write: planValue(context, type, selected) }
}

/** A member of a response object: constant text, or its key and the value that is read. */
interface PlannedMember {
  readonly key: string
  readonly write?: WriteValue
}

/** The JSON text that is read for a member that a stored object lacks. The comma ends the value for the reader. */
const ABSENT = 'null,'

const planObject = (
  context: ValuePlanContext,
  { type, ...place }: ValueType,
  { selectionSets }: MergedField,
): WriteValue => {
  if (!isObjectType(type)) throw new NotPlannedError()
  /** The members that show a stored member, by its name. */
  const indexes = new Map<string, number[]>()
  const members = selectedFields(context, type, selectionSets).map(
    (selected, index): PlannedMember => {
      const key = (index > 0 ? ',' : '') + keyText(selected.as)
      if (selected.name === '__typename') return { key: `${key}"${type.name}"` }
      const { name, write } = planMember(context, type, place, selected)
      indexes.set(name, [...(indexes.get(name) ?? []), index])
      return { key, write }
    },
  )
  const readObject = createObjectReader(indexes)
  return (reader, source) => {
    const values = new Array<string | undefined>(members.length)
    readObject(reader, (shown) => {
      const { at } = reader
      if (shown === undefined) readValue(reader)
      else
        for (const index of shown) {
          reader.at = at
          values[index] = members[index]?.write?.(reader, source)
        }
    })
    let text = '{'
    for (let index = 0; index < members.length; index++) {
      const { key, write } = members[index] as PlannedMember
      text += key
      if (write) text += values[index] ?? write({ text: ABSENT, at: 0 }, source)
    }
    return `${text}}`
  }
}

const orNull =
  (write: WriteValue): WriteValue =>
  (reader, source) =>
    isNull(reader) ? readValue(reader) : write(reader, source)

/** Plans a stored value. */
export const planValue = (
  context: ValuePlanContext,
  { type, ...place }: ValueType,
  selected: MergedField,
): WriteValue => {
  if (isNonNullType(type)) {
    const write = planValue(context, { type: type.ofType, ...place }, selected)
    return (reader, source) => {
      if (isNull(reader)) throw new NotPlannedError()
      return write(reader, source)
    }
  }
  if (isListType(type))
    return orNull(writeList(planValue(context, { type: type.ofType, ...place }, selected)))
  if (!isLeafType(type)) return orNull(planObject(context, { type, ...place }, selected))
  const write = writeLeaf(type)
  return orNull((reader) => write(readValue(reader)))
}
