/** The writers of entities. Each write returns the whole record, so nothing is read back. */
import type { ResourceConnector, ResourceWriter } from '../../definition/connector.ts'
import { bodyWriter } from '../../definition/mapping/body-writer.ts'
import type { Mapping } from '../../definition/mapping.ts'
import { getBy } from '../../definition/paging/compose.ts'
import {
  app,
  type Entity,
  pagesOf,
  post,
  RESERVED,
  readManyOf,
  sparseOf,
  sync,
  versionOf,
  writtenIn,
} from './entity.ts'

const writerOf = (
  mapping: Mapping,
  entity: Entity,
  sideEffects: ResourceWriter['sideEffects'],
): ResourceWriter =>
  bodyWriter(mapping, {
    app,
    guard: 'version',
    remoteFields: { reserved: RESERVED },
    get: getBy(readManyOf(entity)),
    ...(sideEffects && { sideEffects }),
    *create(body, attempt) {
      return writtenIn(entity, yield post(entity, body, attempt))
    },
    *update(body, stored, attempt) {
      const sparse = sparseOf(entity, mapping, body, stored)
      return writtenIn(entity, yield post(entity, sparse, attempt))
    },
    *delete(stored, attempt) {
      // NOTES "deletions": names are only made inactive.
      yield entity.hasActive
        ? post(entity, sparseOf(entity, mapping, { Active: false }, stored), attempt)
        : post(entity, versionOf(entity, stored), attempt, 'delete')
    },
  })

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
  write: writerOf(mapping, entity, sideEffects),
})
