/** Where each resource is found over REST: the routes and the OpenAPI document are made from this. */
import { type Resource, snakeCase } from '../../definition/resource.ts'

/** Under which the addresses of the unified API stand: the date is its version, and stays. */
export const UNIFIED_PREFIX = '/2024-03/one'

export interface ResourcePath {
  /** `/2024-03/one/commerce/orders/:orderId/fulfillments` */
  readonly path: string
  /** The reference field that the path fills in: `orderId`. */
  readonly parent: string | undefined
}

/**
 * The list paths of a resource: its own, and the one below its parent where it has one.
 * @throws TypeError if what it names as its parent is no reference of it
 */
export const resourcePaths = (resource: Resource): readonly ResourcePath[] => {
  const own = { path: UNIFIED_PREFIX + resource.restPath, parent: undefined }
  const { parent } = resource
  if (parent === undefined) return [own]
  const field = resource.fields[parent]
  if (field?.kind !== 'reference')
    throw new TypeError(`${resource.topic}: its parent ${parent} is not one of its references.`)
  const parentPath = snakeCase(field.target).replaceAll('_', '-')
  const child = snakeCase(resource.plural).replaceAll('_', '-')
  return [own, { path: `${UNIFIED_PREFIX}/${parentPath}/:${parent}/${child}`, parent }]
}
