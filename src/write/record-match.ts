/** Compares a record of the app with a requested write, field by field. */
import type { ResourceConnector, WriteInput } from '../definition/connector.ts'
import type { Comparison, Field } from '../definition/kinds/kind.ts'
import type { RecordRow } from '../definition/mapping.ts'
import { isEmpty, matchesValue } from '../definition/matching.ts'
import { commonFields } from '../definition/resource.ts'
import { isObject } from '../definition/value.ts'

/** A record as the app has it. */
export interface FoundRecord {
  readonly raw: unknown
  readonly row: RecordRow
  /** The context of the account, for `normalize`; absent if the connector declares none. */
  readonly context?: unknown
}

const isSameText: Comparison['isSameText'] = (found, requested) => found === requested

/** A text reduced to lower-case letters and digits: apps trim texts, change their case and reformat numbers. */
const normalizeText = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

const isSimilarText: Comparison['isSameText'] = (found, requested) =>
  normalizeText(found) === normalizeText(requested)

/** A requested value and the value that the record has for it. */
interface ComparedField {
  readonly field: Field
  readonly requested: unknown
  readonly found: unknown
}

/** Whether the record has the requested value. */
const isEqualBy =
  (by: Comparison) =>
  ({ field, found, requested }: ComparedField): boolean =>
    matchesValue(field, found, requested, by)

const comparedFields = (
  { resource }: ResourceConnector['mapping'],
  { fields, remoteFields }: WriteInput,
  { raw, row }: FoundRecord,
): readonly ComparedField[] => [
  ...Object.entries(fields).flatMap(([name, requested]) => {
    const field = resource.fields[name]
    return field === undefined ? [] : [{ field, requested, found: row[name] }]
  }),
  ...Object.entries(remoteFields).map(([name, requested]) => ({
    field: commonFields.remoteFields,
    requested,
    found: isObject(raw) ? raw[name] : undefined,
  })),
]

const names = ({ fields, remoteFields }: WriteInput): readonly string[] => [
  ...Object.keys(fields),
  ...Object.keys(remoteFields).map((name) => `remoteFields.${name}`),
]

/** Whether a record has every requested value. References are the app's own ids. */
export const isAsRequested = (
  { mapping, write }: ResourceConnector,
  credentialId: string,
  requested: WriteInput,
  found: FoundRecord,
): boolean => {
  const normalized = write?.normalize?.(requested, found.context) ?? requested
  return (
    // A value that the app does not return may not have been written.
    names(normalized).length === names(requested).length &&
    comparedFields(mapping, normalized, found).every(isEqualBy({ credentialId, isSameText }))
  )
}

/** Whether a new record is the requested one, may be it after changes by the app, or is another. */
export type RecordMatch = 'same' | 'unclear' | 'other'

const isReference = ({ kind }: Field): boolean => kind.reference !== undefined && !kind.isList

/** Compares a new record with a requested one, by those requested values that the app returns. */
export const matchRecord = (
  { mapping, write }: ResourceConnector,
  credentialId: string,
  requested: WriteInput,
  found: FoundRecord,
): RecordMatch => {
  const { raw, context } = found
  const { fields, remoteFields } = write?.normalize?.(requested, context) ?? requested
  const returned = Object.entries(remoteFields).filter(
    ([name]) => isObject(raw) && Object.hasOwn(raw, name),
  )
  const compared = comparedFields(
    mapping,
    { fields, remoteFields: Object.fromEntries(returned) },
    found,
  )
  const withValue = compared.filter((one) => !isEmpty(one.requested))
  if (withValue.length > 0 && compared.every(isEqualBy({ credentialId, isSameText }))) return 'same'

  const isSimilar = isEqualBy({ credentialId, isSameText: isSimilarText })
  const refersElsewhere = withValue.some(
    (one) => isReference(one.field) && !isEmpty(one.found) && !isSimilar(one),
  )
  if (refersElsewhere) return 'other'
  const distinctive = withValue.filter(({ field }) => !field.kind.isCommon)
  // An app that changes values leaves most of them; two different records rarely agree in half.
  return distinctive.filter(isSimilar).length * 2 >= distinctive.length ? 'unclear' : 'other'
}
