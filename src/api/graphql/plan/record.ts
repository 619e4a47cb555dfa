/** Writes the selected fields of a record from its stored JSON text: most of the text is copied unparsed. */
import { getNamedType, getNullableType, isObjectType, isScalarType } from 'graphql'
import { documentColumns } from '../../../definition/column.ts'
import type { Resource } from '../../../definition/resource.ts'
import { memoize } from '../../../memoize.ts'
import { endOfValue } from '../../../query/json-text.ts'
import { createMemberFinder, type Member } from '../../../query/record-members.ts'
import type { Loaders } from '../loaders.ts'
import { NotPlannedError } from './not-planned.ts'
import { type SelectedField, type SelectionContext, selectedFields } from './selection.ts'
import { isStored, keyText, planValue, type WriteValue } from './value.ts'

/**
 * Returns the response's JSON text of a record.
 * @throws NotPlannedError, RangeError if a stored value does not fit its type
 */
export type WriteRecord = (record: string, credentialOf: Loaders['credentialOf']) => string

/** The members of a stored document. */
const membersOf = memoize((resource: Resource): readonly Member[] => [
  { name: 'id', isNested: false },
  ...documentColumns(resource).map(({ field, sqlType }) => ({
    name: field,
    isNested: sqlType === 'jsonb' || sqlType.endsWith('[]'),
  })),
])

/** A part of the response: constant text, or the stored members `from` to `to`. */
type Part =
  | { readonly kind: 'constant'; readonly text: string }
  | { readonly kind: 'credential'; readonly key: string }
  | { readonly kind: 'custom-fields'; readonly key: string }
  /** Copied with their names. */
  | { readonly kind: 'members'; readonly from: number; readonly to: number }
  | {
      readonly kind: 'value'
      readonly key: string
      readonly at: number
      /** The length of the stored name with its quotation marks and colon. */
      readonly nameLength: number
      readonly convert: WriteValue | undefined
    }

/** The scalars whose values are guaranteed by the types of their columns. */
const GUARANTEED: ReadonlySet<string> = new Set([
  'String',
  'ID',
  'Int',
  'Boolean',
  'DateTime',
  'Decimal',
  'JSON',
])

const planMember = (
  context: SelectionContext,
  resource: Resource,
  selected: SelectedField,
): Part => {
  const { as, name } = selected
  const recordType = context.schema.getType(resource.typeName)
  const graphField = isObjectType(recordType) ? recordType.getFields()[name] : undefined
  const at = membersOf(resource).findIndex((member) => member.name === name)
  const field = resource.allFields[name]
  if (!graphField || at === -1) throw new NotPlannedError()
  if (name !== 'id' && !isStored(resource.allFields, name)) throw new NotPlannedError()
  const nameLength = name.length + 3
  const key = keyText(as)
  const { type } = graphField
  const isGuaranteed =
    isScalarType(getNullableType(type)) && GUARANTEED.has(getNamedType(type).name)
  if (isGuaranteed && as === name) return { kind: 'members', from: at, to: at }
  const fields = field?.kind.fields ?? {}
  const convert = isGuaranteed ? undefined : planValue(context, { type, fields }, selected)
  return { kind: 'value', key, at, nameLength, convert }
}

const planPart = (context: SelectionContext, resource: Resource, selected: SelectedField): Part => {
  const key = keyText(selected.as)
  if (selected.name === '__typename')
    return { kind: 'constant', text: `${key}"${resource.typeName}"` }
  if (selected.name === 'credentialId') return { kind: 'credential', key }
  if (selected.name === 'customFields') return { kind: 'custom-fields', key }
  return planMember(context, resource, selected)
}

/** Joins members that follow each other in the document too: they are copied together. */
const joinMembers = (parts: readonly Part[]): readonly Part[] => {
  const joined: Part[] = []
  for (const part of parts) {
    const last = joined.at(-1)
    if (part.kind === 'members' && last?.kind === 'members' && last.to + 1 === part.from)
      joined[joined.length - 1] = { ...last, to: part.to }
    else joined.push(part)
  }
  return joined
}

/** The members whose positions the parts need. */
const placesOf = (parts: readonly Part[]): ReadonlySet<number> =>
  new Set(
    parts.flatMap((part) => {
      if (part.kind === 'members') return [part.from, part.to + 1]
      if (part.kind === 'value') return [part.at, part.at + 1]
      // The credential follows from the id, the first member.
      return part.kind === 'credential' ? [0, 1] : []
    }),
  )

const CUSTOM_FIELDS = '{"customFields":'

/** The text of a record as its document and the text of its custom fields, which precede the document. */
const splitRecord = (text: string): { readonly document: string; readonly custom: string } => {
  if (!text.startsWith(CUSTOM_FIELDS)) return { document: text, custom: 'null' }
  const end = endOfValue(text, CUSTOM_FIELDS.length)
  return {
    document: `{${text.slice(end + 1)}`,
    custom: text.slice(CUSTOM_FIELDS.length, end),
  }
}

/** Plans the fields of a record. @throws NotPlannedError for a link to other records */
export const planRecord = (
  context: SelectionContext,
  resource: Resource,
  selectionSets: SelectedField['selectionSets'],
): WriteRecord => {
  const type = context.schema.getType(resource.typeName)
  if (!isObjectType(type)) throw new NotPlannedError()
  const selected = selectedFields(context, type, selectionSets)
  const parts = joinMembers(selected.map((field) => planPart(context, resource, field)))
  const find = createMemberFinder(membersOf(resource), placesOf(parts))
  const idStart = '"id":"'.length

  return (record, credentialOf) => {
    const { document, custom } = splitRecord(record)
    const places = find(document)
    /** The position of a member's name; the text between two members is a comma. */
    const place = (index: number): number => places[index] ?? Number.NaN
    let text = '{'
    for (let index = 0; index < parts.length; index++) {
      if (index > 0) text += ','
      const part = parts[index] as Part
      if (part.kind === 'constant') text += part.text
      else if (part.kind === 'custom-fields') text += part.key + custom
      else if (part.kind === 'members')
        text += document.slice(place(part.from), place(part.to + 1) - 1)
      else if (part.kind === 'credential') {
        const id = document.slice(place(0) + idStart, place(1) - 2)
        text += `${part.key}"${credentialOf(id)}"`
      } else {
        const json = document.slice(place(part.at) + part.nameLength, place(part.at + 1) - 1)
        text += part.key
        text += part.convert ? part.convert(json) : json
      }
    }
    return `${text}}`
  }
}
