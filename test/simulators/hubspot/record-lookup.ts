/** How records are found: by id, also after a merge, and by values that only one record has. */
import type { JsonObject } from '../engine/json.ts'
import type { StoredRecord } from '../engine/store.ts'
import { ApiError, conflictError, notFoundError, validationError } from './errors.ts'
import type { ObjectType } from './object-types.ts'
import { definitionNamed, definitionsOf, type Portal } from './portal.ts'

export const isArchived = ({ value }: StoredRecord): boolean => value.archivedAt !== undefined

/** A record by its id, or the one that it was merged into. */
const findById = ({ store }: Portal, type: ObjectType, id: string): StoredRecord | undefined => {
  const merge = store.find('merge', `${type.name}/${id}`)
  return store.find(type.name, merge ? String(merge.value.into) : id)
}

const uniqueKey = (type: ObjectType, name: string, value: string): string =>
  `${type.name}/${name}/${value}`

const uniqueNames = (portal: Portal, type: ObjectType): readonly string[] =>
  [...definitionsOf(portal, type).values()]
    .filter(({ hasUniqueValue }) => hasUniqueValue)
    .map(({ name }) => name)

/**
 * A record by its id or by a property with unique values, archived or not.
 * @throws ApiError if the property's values are not unique
 */
export const findRecord = (
  portal: Portal,
  type: ObjectType,
  id: string,
  idProperty = 'hs_object_id',
): StoredRecord | undefined => {
  if (idProperty === 'hs_object_id') return findById(portal, type, id)
  definitionNamed(portal, type, idProperty)
  if (!uniqueNames(portal, type).includes(idProperty))
    throw validationError(`The values of ${idProperty} are not unique`, {
      idProperty: [idProperty],
    })
  const value = idProperty === 'email' ? id.toLowerCase() : id
  const claim = portal.store.find('unique', uniqueKey(type, idProperty, value))
  return claim && findById(portal, type, String(claim.value.id))
}

/** @throws ApiError 404 unless there is such a record that is not archived */
export const requireRecord = (
  portal: Portal,
  type: ObjectType,
  id: string,
  idProperty?: string,
): StoredRecord => {
  const record = findRecord(portal, type, id, idProperty)
  if (record && !isArchived(record)) return record
  throw notFoundError('Object not found. objectId are usually numeric.', { id: [id] })
}

/**
 * Claims the unique values of a record after a write, and gives up those that it had.
 * @throws ApiError if another record has one of them
 */
export const claimUniqueValues = (
  portal: Portal,
  type: ObjectType,
  id: string,
  before: JsonObject,
  after: JsonObject,
): void => {
  const { store } = portal
  for (const name of uniqueNames(portal, type)) {
    const [old, next] = [before[name], after[name]]
    if (old === next) continue
    if (old !== undefined) store.remove('unique', uniqueKey(type, name, String(old)))
    if (next === undefined) continue
    const key = uniqueKey(type, name, String(next))
    const owner = store.find('unique', key)?.value.id
    if (owner !== undefined && name === 'email')
      throw conflictError(`Contact already exists. Existing ID: ${owner}`)
    if (owner !== undefined)
      throw new ApiError({
        message: `${next} is already the value of ${name} of ${owner}`,
        errors: [
          {
            message: `${next} is already the value of ${name} of ${owner}`,
            code: 'CONFLICTING_UNIQUE_VALUE',
            context: { propertyName: [name] },
          },
        ],
      })
    store.insert('unique', key, { id })
  }
}
