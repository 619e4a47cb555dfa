/** Whether a record of the app is what it was asked to be: field by field, as far as was asked. */
import type { ResourceConnector, WriteInput } from '../definition/connector.ts'
import { compareDecimals, parseDecimal } from '../definition/decimal.ts'
import type { Field, Shape } from '../definition/field.ts'
import type { RecordRow } from '../definition/mapping.ts'
import { commonFields } from '../definition/resource.ts'
import { isObject, normalizeValue } from '../definition/value.ts'

/** A record as the app has it. */
export interface FoundRecord {
  readonly raw: unknown
  readonly row: RecordRow
}

/** How values are compared. */
interface Comparison {
  readonly credentialId: string
  readonly isSameText: (found: string, given: string) => boolean
}

const isSameLiterally: Comparison['isSameText'] = (found, given) => found === given

/** Letters and digits alone. Apps trim texts, change their case, and bring numbers to a form of theirs. */
const essenceOf = (text: string): string =>
  text
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]/gu, '')

const isSameInEssence: Comparison['isSameText'] = (found, given) =>
  essenceOf(found) === essenceOf(given)

/** Whether it says nothing: what is given as an empty text an app may keep as null, and the reverse. */
const isEmpty = (value: unknown): boolean =>
  value === null ||
  value === undefined ||
  value === '' ||
  (Array.isArray(value)
    ? value.length === 0
    : isObject(value) && Object.values(value).every(isEmpty))

const isSameNumber = (found: unknown, given: unknown): boolean => {
  const a = parseDecimal(String(found))
  const b = parseDecimal(String(given))
  return a !== undefined && b !== undefined && compareDecimals(a, b) === 0
}

const saysEach = (
  found: unknown,
  given: unknown,
  saysEntry: (found: unknown, given: unknown) => boolean,
): boolean =>
  Array.isArray(found) &&
  Array.isArray(given) &&
  found.length === given.length &&
  given.every((entry, index) => saysEntry(found[index], entry))

const saysJson = (found: unknown, given: unknown, by: Comparison): boolean => {
  if (isEmpty(given)) return isEmpty(found)
  if (Array.isArray(given))
    return saysEach(found, given, (one, wanted) => saysJson(one, wanted, by))
  if (isObject(given))
    return (
      isObject(found) &&
      Object.entries(given).every(([name, value]) => saysJson(found[name], value, by))
    )
  return typeof found === 'string' && typeof given === 'string'
    ? by.isSameText(found, given)
    : found === given
}

const saysShape = (shape: Shape, found: unknown, given: unknown, by: Comparison): boolean =>
  isObject(found) &&
  isObject(given) &&
  Object.entries(given).every(([name, value]) => {
    const field = shape.fields[name]
    return field !== undefined && says(field, found[name], value, by)
  })

/** Whether `found`, of a row, says what was given, and perhaps more: an object may have further fields. */
const says = (field: Field, found: unknown, given: unknown, by: Comparison): boolean => {
  if (isEmpty(given)) return isEmpty(found)
  switch (field.kind) {
    case 'list':
      return saysEach(found, given, (one, wanted) => saysShape(field.shape, one, wanted, by))
    case 'object':
      return saysShape(field.shape, found, given, by)
    case 'number':
    case 'decimal':
      return isSameNumber(found, given)
    default: {
      // In the form of a row: references as ids of ours, labels capitalised.
      const context = { credentialId: by.credentialId, report: () => {} }
      return saysJson(found, normalizeValue(field, given, context, ''), by)
    }
  }
}

/** One of the things asked for, and what the record has in its place. */
interface Answered {
  readonly field: Field
  readonly given: unknown
  readonly found: unknown
}

/** Whether the record says a thing that was asked for. */
const isSaid =
  (by: Comparison) =>
  ({ field, found, given }: Answered): boolean =>
    says(field, found, given, by)

const answersOf = (
  { resource }: ResourceConnector['mapping'],
  { fields, remoteFields }: WriteInput,
  { raw, row }: FoundRecord,
): readonly Answered[] => [
  ...Object.entries(fields).flatMap(([name, given]) => {
    const field = resource.fields[name]
    return field === undefined ? [] : [{ field, given, found: row[name] }]
  }),
  ...Object.entries(remoteFields).map(([name, given]) => ({
    ...{ field: commonFields.remoteFields, given },
    found: isObject(raw) ? raw[name] : undefined,
  })),
]

const names = ({ fields, remoteFields }: WriteInput): readonly string[] => [
  ...Object.keys(fields),
  ...Object.keys(remoteFields).map((name) => `remoteFields.${name}`),
]

/** Whether a record is as it was asked to be, in all that was asked; references are the app's own ids. */
export const isAsAsked = (
  { mapping, write }: ResourceConnector,
  credentialId: string,
  asked: WriteInput,
  found: FoundRecord,
): boolean => {
  const shown = write?.shownAs?.(asked) ?? asked
  return (
    // What the app does not show may not have happened.
    names(shown).length === names(asked).length &&
    answersOf(mapping, shown, found).every(isSaid({ credentialId, isSameText: isSameLiterally }))
  )
}

/** What a new record is to one that was asked for: itself, perhaps itself in words of the app's, or another. */
export type Likeness = 'same' | 'unclear' | 'other'

// Many records have them in common: whom they belong to, days, and words of a fixed list.
const COMMON_KINDS: readonly Field['kind'][] = [
  'reference',
  'references',
  'enumeration',
  'boolean',
  'date',
  'timestamp',
]

/** Told by what the app shows of what was asked, which is perhaps not all. */
export const likenessOf = (
  { mapping, write }: ResourceConnector,
  credentialId: string,
  asked: WriteInput,
  found: FoundRecord,
): Likeness => {
  const { fields, remoteFields } = write?.shownAs?.(asked) ?? asked
  const { raw } = found
  const shown = Object.entries(remoteFields).filter(
    ([name]) => isObject(raw) && Object.hasOwn(raw, name),
  )
  const answers = answersOf(mapping, { fields, remoteFields: Object.fromEntries(shown) }, found)
  const given = answers.filter((one) => !isEmpty(one.given))
  if (given.length > 0 && answers.every(isSaid({ credentialId, isSameText: isSameLiterally })))
    return 'same'

  const isAlike = isSaid({ credentialId, isSameText: isSameInEssence })
  const belongsElsewhere = given.some(
    (one) => one.field.kind === 'reference' && !isEmpty(one.found) && !isAlike(one),
  )
  if (belongsElsewhere) return 'other'
  const telling = given.filter(({ field }) => !COMMON_KINDS.includes(field.kind))
  // An app that rewrites a record leaves most of it; two different records seldom agree in half.
  return telling.filter(isAlike).length * 2 >= telling.length ? 'unclear' : 'other'
}
