/** Where each resource is found over REST: the routes and the OpenAPI document are made from this. */
import { type Resource, snakeCase } from '../../definition/resource.ts'

/** The unified API (interface 9.2). */
export const UNIFIED_PREFIX = '/2024-03/one'

export interface ResourcePath {
  /** `/2024-03/one/commerce/orders/:orderId/fulfillments` */
  readonly path: string
  /** The reference field that the path fills in: `orderId`. */
  readonly parent: string | undefined
}

/** The list paths of a resource: its own, and the one below its parent where it has one. */
export const resourcePaths = (resource: Resource): readonly ResourcePath[] => {
  const own = { path: UNIFIED_PREFIX + resource.restPath, parent: undefined }
  const { parent } = resource
  const field = parent === undefined ? undefined : resource.fields[parent]
  if (parent === undefined || field?.kind !== 'reference') return [own]
  const parentPath = snakeCase(field.target).replaceAll('_', '-')
  const child = snakeCase(resource.plural).replaceAll('_', '-')
  return [own, { path: `${UNIFIED_PREFIX}/${parentPath}/:${parent}/${child}`, parent }]
}
