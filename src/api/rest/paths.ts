/** The REST paths of resources, for the routes and the OpenAPI document. */
import { type Resource, snakeCase } from '../../definition/resource.ts'

/** The path prefix of the unified API. The date is the API version and does not change. */
export const UNIFIED_PREFIX = '/2024-03/one'

export interface ResourcePath {
  /** `/2024-03/one/commerce/orders/:orderId/fulfillments` */
  readonly path: string
  /** The reference field whose value the path contains: `orderId`. */
  readonly parent: string | undefined
}

/**
 * The list paths of a resource: its own, and the one below its parent if it has one.
 * @throws TypeError if `parent` is not a reference field of the resource
 */
export const resourcePaths = (resource: Resource): readonly ResourcePath[] => {
  const own = { path: UNIFIED_PREFIX + resource.restPath, parent: undefined }
  const { parent } = resource
  if (parent === undefined) return [own]
  const reference = resource.fields[parent]?.kind.reference
  if (reference === undefined)
    throw new TypeError(
      `${resource.topic}: the parent ${parent} is not a reference field of the resource.`,
    )
  const parentPath = snakeCase(reference.target).replaceAll('_', '-')
  const child = snakeCase(resource.plural).replaceAll('_', '-')
  return [own, { path: `${UNIFIED_PREFIX}/${parentPath}/:${parent}/${child}`, parent }]
}
