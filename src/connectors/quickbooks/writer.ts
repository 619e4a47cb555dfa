/** The writers of entities. Each write returns the whole record, so nothing is read back. */
import type { ResourceConnector, ResourceWriter, StoredRecord } from '../../definition/connector.ts'
import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import type { JsonObject } from '../../definition/mapping/rule.ts'
import type { Mapping } from '../../definition/mapping.ts'
import {
  app,
  type Entity,
  getOneOf,
  idIn,
  pagesOf,
  post,
  RESERVED,
  readManyOf,
  sparseOf,
  sync,
  versionOf,
  writtenIn,
} from './entity.ts'

/** What the records of a resource are in QuickBooks. */
interface Written extends Pick<ResourceWriter, 'sideEffects'> {
  readonly entities: readonly Entity[]
  /** The entity of a new record. */
  entityOfNew(body: JsonObject): Entity
}

/** The writer of a resource. */
export const entityWriter = (
  mapping: Mapping,
  { entities, entityOfNew, ...others }: Written,
): ResourceWriter => {
  const entityOf = ({ remoteId }: StoredRecord): Entity => {
    const found = entities.find((entity) => idIn(entity, remoteId) !== undefined)
    if (found) return found
    throw new TypeError(`No entity has the id ${remoteId}.`)
  }
  return bodyWriter(mapping, {
    app,
    guard: 'version',
    remoteFields: { reserved: RESERVED },
    get: getOneOf(entities),
    ...others,
    *create(body, attempt) {
      const entity = entityOfNew(body)
      return writtenIn(entity, yield post(entity, body, attempt))
    },
    *update(body, stored, attempt) {
      const entity = entityOf(stored)
      const sparse = sparseOf(entity, mapping, body, stored)
      return writtenIn(entity, yield post(entity, sparse, attempt))
    },
    *delete(stored, attempt) {
      const entity = entityOf(stored)
      // NOTES "deletions": names are only made inactive.
      yield entity.hasActive
        ? post(entity, sparseOf(entity, mapping, { Active: false }, stored), attempt)
        : post(entity, versionOf(entity, stored), attempt, 'delete')
    },
  })
}

/** The connector of a resource whose records are those of one entity. */
export const collection = (
  mapping: Mapping,
  entity: Entity,
  sideEffects?: ResourceWriter['sideEffects'],
): ResourceConnector & { readonly write: ResourceWriter } => ({
  mapping,
  ...pagesOf(entity),
  readMany: readManyOf(entity),
  sync,
  write: entityWriter(mapping, {
    entities: [entity],
    entityOfNew: () => entity,
    ...(sideEffects && { sideEffects }),
  }),
})
