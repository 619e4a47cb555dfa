/** Associations of records: typed, in both directions, without an effect on the records' own times. */
import type { JsonObject } from '../engine/json.ts'
import type { StoredRecord } from '../engine/store.ts'
import { validationError } from './errors.ts'
import { type ObjectType, objectTypes } from './object-types.ts'
import type { Portal } from './portal.ts'

export interface AssociationType {
  readonly from: string
  readonly to: string
  readonly typeId: number
  readonly inverseId: number
  readonly category: 'HUBSPOT_DEFINED' | 'USER_DEFINED'
  /** Absent: the unlabeled type of the pair. */
  readonly label?: string
  /** As it is named in lists of records: `contact_to_company`. */
  readonly name: string
}

/** A record by the name of its type and its id. */
export interface RecordKey {
  readonly type: string
  readonly id: string
}

const PRIMARY = 'Primary'

const pair = (
  from: string,
  to: string,
  [typeId, inverseId]: readonly [number, number],
  label?: string,
): readonly AssociationType[] => {
  const names = [from, to].map((name) => objectTypes.get(name)?.singular ?? name)
  // The older unlabeled types between contacts, companies and deals share their names with the primary ones.
  const suffix = UNLABELED.includes(typeId) ? '_unlabeled' : ''
  const category = label === undefined || label === PRIMARY ? 'HUBSPOT_DEFINED' : 'USER_DEFINED'
  const common = { category, ...(label !== undefined && { label }) } as const
  const nameOf = (from = '', to = ''): string =>
    category === 'USER_DEFINED'
      ? String(label).toLowerCase().replaceAll(' ', '_')
      : `${from}_to_${to}${suffix}`
  const there = { from, to, typeId, inverseId, name: nameOf(...names) }
  const back = { from: to, to: from, typeId: inverseId, inverseId: typeId }
  return typeId === inverseId
    ? [{ ...there, ...common }]
    : [
        { ...there, ...common },
        { ...back, name: nameOf(names[1], names[0]), ...common },
      ]
}

const UNLABELED = [279, 341]

export const associationTypes: readonly AssociationType[] = [
  ...pair('contacts', 'companies', [279, 280]),
  ...pair('contacts', 'companies', [1, 2], PRIMARY),
  ...pair('deals', 'contacts', [3, 4]),
  ...pair('deals', 'companies', [341, 342]),
  ...pair('deals', 'companies', [5, 6], PRIMARY),
  ...pair('leads', 'contacts', [608, 609]),
  ...pair('leads', 'contacts', [578, 579], PRIMARY),
  ...pair('leads', 'companies', [610, 611]),
  ...pair('leads', 'companies', [580, 581], PRIMARY),
  ...pair('notes', 'contacts', [202, 201]),
  ...pair('notes', 'companies', [190, 189]),
  ...pair('notes', 'deals', [214, 213]),
  ...pair('notes', 'leads', [855, 854]),
  ...pair('tasks', 'contacts', [204, 203]),
  ...pair('tasks', 'companies', [192, 191]),
  ...pair('tasks', 'deals', [216, 215]),
  ...pair('tasks', 'leads', [647, 646]),
  // A user-defined label that exists in every portal.
  ...pair('contacts', 'companies', [1001, 1002], 'Decision maker'),
  ...pair('contacts', 'contacts', [449, 449]),
  ...pair('companies', 'companies', [450, 450]),
]

/** The unlabeled type of a pair. @throws ApiError if these types cannot be associated */
export const defaultType = (from: string, to: string): AssociationType => {
  const found = associationTypes.find(
    (type) => type.from === from && type.to === to && type.label === undefined,
  )
  if (!found) throw validationError(`${from} and ${to} cannot be associated`)
  return found
}

/** @throws ApiError if the pair has no type with this id and category */
export const associationTypeOf = (
  from: string,
  to: string,
  { associationTypeId, associationCategory }: JsonObject,
): AssociationType => {
  const found = associationTypes.find(
    (type) => type.from === from && type.to === to && type.typeId === associationTypeId,
  )
  if (!found || associationCategory !== found.category)
    throw validationError(
      `The association type ${associationCategory} ${associationTypeId} is not valid from ${from} to ${to}`,
      { associationTypeId: [String(associationTypeId)] },
    )
  return found
}

const keyOf = (from: RecordKey, to: RecordKey, typeId: number): string =>
  `${from.type}/${from.id}/${to.type}/${to.id}/${typeId}`

interface Association {
  readonly from: RecordKey
  readonly to: RecordKey
  readonly typeId: number
}

/** The content of a stored association. */
export const associationOf = ({ value }: StoredRecord): Association => ({
  from: { type: String(value.fromType), id: String(value.fromId) },
  to: { type: String(value.toType), id: String(value.toId) },
  typeId: Number(value.typeId),
})

/** The associations of every record. */
const indexOf = ({ store }: Portal): ReadonlyMap<string, readonly Association[]> =>
  store.view(['association'], 'by record', (all) =>
    Map.groupBy(all.map(associationOf), ({ from }) => `${from.type}/${from.id}`),
  )

/** The associations of a record, in the order of their writes. */
export const associationsOf = (portal: Portal, { type, id }: RecordKey): readonly Association[] =>
  indexOf(portal).get(`${type}/${id}`) ?? []

const insert = ({ store }: Portal, from: RecordKey, to: RecordKey, typeId: number): void => {
  const key = keyOf(from, to, typeId)
  if (store.find('association', key)) return
  store.insert('association', key, {
    fromType: from.type,
    fromId: from.id,
    toType: to.type,
    toId: to.id,
    typeId,
  })
}

/** The key under which the primary associate of a record is stored, so that it is found without the index. */
const primaryKey = ({ type, id }: RecordKey, typeId: number): string => `${type}/${id}/${typeId}`

const remove = ({ store }: Portal, from: RecordKey, to: RecordKey, typeId: number): void => {
  const key = keyOf(from, to, typeId)
  if (store.find('association', key)) store.remove('association', key)
  const primary = primaryKey(from, typeId)
  if (store.find('primary', primary)?.value.to === to.id) store.remove('primary', primary)
}

/** Which record of a pair has only one primary associate: the left one of `associationTypes`. */
const hasOnePrimary = ({ typeId, label }: AssociationType): boolean =>
  label === PRIMARY && [1, 5, 578, 580].includes(typeId)

/** Makes `to` the only primary associate of `from`. */
const movePrimary = (
  portal: Portal,
  from: RecordKey,
  to: RecordKey,
  { typeId, inverseId }: AssociationType,
): void => {
  const key = primaryKey(from, typeId)
  const before = portal.store.find('primary', key)
  if (before) {
    const old = { type: to.type, id: String(before.value.to) }
    remove(portal, from, old, typeId)
    remove(portal, old, from, inverseId)
  }
  portal.store.insert('primary', key, { to: to.id })
}

/** Associates two records, in both directions. A labeled association is an unlabeled one as well. */
export const associate = (
  portal: Portal,
  from: RecordKey,
  to: RecordKey,
  type: AssociationType,
): void => {
  if (portal.store.find('association', keyOf(from, to, type.typeId))) return
  const inverse = { ...type, typeId: type.inverseId, inverseId: type.typeId }
  if (type.label !== undefined) associate(portal, from, to, defaultType(from.type, to.type))
  if (hasOnePrimary(type)) movePrimary(portal, from, to, type)
  if (hasOnePrimary(inverse)) movePrimary(portal, to, from, inverse)
  insert(portal, from, to, type.typeId)
  insert(portal, to, from, type.inverseId)
}

/** Removes the associations of two records: all, or those of some types. */
export const dissociate = (
  portal: Portal,
  from: RecordKey,
  to: RecordKey,
  types: readonly AssociationType[] = associationTypes,
): void => {
  for (const type of types)
    if (type.from === from.type && type.to === to.type) {
      remove(portal, from, to, type.typeId)
      remove(portal, to, from, type.inverseId)
    }
}

/** Gives two records exactly these labels of users. */
export const replaceLabels = (
  portal: Portal,
  from: RecordKey,
  to: RecordKey,
  types: readonly AssociationType[],
): void => {
  const others = associationTypes.filter(
    (type) => type.category === 'USER_DEFINED' && !types.includes(type),
  )
  dissociate(portal, from, to, others)
  for (const type of types) associate(portal, from, to, type)
}

/** Moves the associations of a record to another one. */
export const moveAssociations = (portal: Portal, from: RecordKey, into: RecordKey): void => {
  for (const { to, typeId } of associationsOf(portal, from)) {
    const type = associationTypes.find(
      (known) => known.typeId === typeId && known.from === from.type && known.to === to.type,
    )
    dissociate(portal, from, to)
    if (type) associate(portal, into, to, type)
  }
}

export const isLive = ({ store }: Portal, { type, id }: RecordKey): boolean => {
  const record = store.find(type, id)
  return record !== undefined && record.value.archivedAt === undefined
}

/** The records of a type that a record is associated with, each with the types, in the order of ids. */
export const associatesOf = (
  portal: Portal,
  from: RecordKey,
  to: ObjectType,
): readonly { readonly id: string; readonly types: readonly AssociationType[] }[] => {
  const found = associationsOf(portal, from).filter(
    (association) => association.to.type === to.name && isLive(portal, association.to),
  )
  return [...Map.groupBy(found, (association) => association.to.id)]
    .map(([id, group]) => ({
      id,
      types: group.flatMap(({ typeId }) =>
        associationTypes.filter(
          (type) => type.typeId === typeId && type.from === from.type && type.to === to.name,
        ),
      ),
    }))
    .sort((a, b) => Number(a.id) - Number(b.id))
}
