/** Classes and departments, and the references to them (NOTES "tracking categories"). */
import { type Json, type ResourceConnector, WriteRejection } from '../../definition/connector.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { defineMapping } from '../../definition/mapping.ts'
import { passes } from '../../definition/paging/compose.ts'
import { type Values, valuesOf } from '../../definition/raw-values.ts'
import { trackingCategory } from '../../resources/accounting/tracking-category.ts'
import {
  ENTITY_TYPE,
  type Entity,
  getOneOf,
  idIn,
  pagesOf,
  remoteIdOf,
  sharedIdOf,
  sync,
} from './entity.ts'
import { common } from './fields.ts'

export const CLASS: Entity = { name: 'Class', hasActive: true, isShared: true }
export const DEPARTMENT: Entity = { name: 'Department', hasActive: true, isShared: true }

const mapping = defineMapping<typeof trackingCategory, Values>(trackingCategory, {
  ...common,
  remoteId: (record) => sharedIdOf(record, record.Id),
  trackingCategoryName: 'Name',
  trackingCategoryStatus: ({ Active }) => (Active === false ? 'Inactive' : 'Active'),
  trackingCategoryType: ENTITY_TYPE,
  parentCategoryId: (record) => {
    const { value } = valuesOf(record.ParentRef)
    return value === undefined ? null : sharedIdOf(record, value)
  },
})

export const trackingCategories: ResourceConnector = {
  mapping,
  ...passes(() => ({ classes: pagesOf(CLASS), departments: pagesOf(DEPARTMENT) })),
  sync,
  write: { get: getOneOf([CLASS, DEPARTMENT]) },
}

const refOf = ({ name }: Entity): string => `${name}Ref`

/** The remote ids of the categories to which an object refers. */
export const categoriesIn = (object: unknown, entities: readonly Entity[]): readonly string[] =>
  entities.flatMap((entity) => {
    const { value } = valuesOf(valuesOf(object)[refOf(entity)])
    return value === undefined || value === null ? [] : [remoteIdOf(entity, value)]
  })

/**
 * The app's own id for each entity that a list of remote ids names; undefined for the others.
 * @throws WriteRejection if the object cannot refer to one of them, or names two of an entity
 */
export const categoryIds = (
  ids: Json,
  entities: readonly Entity[],
  path: string,
): ReadonlyMap<Entity, string> => {
  const found = new Map<Entity, string>()
  for (const remoteId of Array.isArray(ids) ? ids.map(String) : []) {
    const entity = entities.find((one) => idIn(one, remoteId) !== undefined)
    const names = entities.map(({ name }) => name.toLowerCase()).join(' and one ')
    if (!entity || found.has(entity))
      throw new WriteRejection(`QuickBooks accepts one ${names} here.`, path)
    found.set(entity, idIn(entity, remoteId) ?? '')
  }
  return found
}

/** The tracking categories of a transaction; a write sets or replaces each, and cannot remove one. */
export const trackingOf = (...entities: readonly Entity[]): Converter => ({
  from: '',
  read: (record) => categoriesIn(record, entities),
  apply: (value, { path, put, stored }) => {
    const ids = categoryIds(value, entities, path)
    for (const entity of entities) {
      const id = ids.get(entity)
      if (id !== undefined) put(`${refOf(entity)}.value`, id, path)
      else if (valuesOf(valuesOf(stored)[refOf(entity)]).value !== undefined)
        throw new WriteRejection(`QuickBooks cannot remove the ${entity.name.toLowerCase()}.`, path)
    }
    return undefined
  },
  sets: entities.map((entity) => `${refOf(entity)}.value`),
})
