/** Resources without files of their own here: the sandbox has their fields under the same names. */
import type { ResourceConnector } from '../../definition/connector.ts'
import { notNull } from '../../definition/mapping/converters.ts'
import type { Resource } from '../../definition/resource.ts'
import { collection } from './collection.ts'

// Names of the sandbox's own fields, which every record has.
const taken: ReadonlySet<string> = new Set(['id', 'version', 'created', 'modified', 'deleted'])

const sandboxName = (name: string): string => (taken.has(name) ? `own_${name}` : name)

/** The connector of the collection that the sandbox derives from a resource: `/v1/crm_campaigns`. */
export const derivedCollection = (resource: Resource): ResourceConnector => {
  const rules = Object.entries(resource.fields).map(([name, { required }]) => {
    const path = sandboxName(name)
    return [name, required ? notNull(path) : path] as const
  })
  return collection(resource.table, resource, Object.fromEntries(rules))
}
