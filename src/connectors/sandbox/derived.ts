/** Resources without files of their own here: the sandbox has their fields under the same names. */
import type { ResourceConnector } from '../../definition/connector.ts'
import { defineMapping } from '../../definition/mapping.ts'
import type { Resource } from '../../definition/resource.ts'
import { collection } from './collection.ts'
import { required, same, sameList } from './conversion.ts'
import { as } from './inverse.ts'
import { recordFields } from './shared.ts'

// Names of the sandbox's own fields, which every record has.
const taken: ReadonlySet<string> = new Set(['id', 'version', 'created', 'modified', 'deleted'])

const sandboxName = (name: string): string => (taken.has(name) ? `own_${name}` : name)

/** The connector of the collection that the sandbox derives from a resource: `/v1/crm_campaigns`. */
export const derivedCollection = (resource: Resource): ResourceConnector => {
  const fields = Object.entries(resource.fields)
  const mapping = defineMapping(resource, {
    ...recordFields,
    ...Object.fromEntries(fields.map(([name]) => [name, sandboxName(name)])),
  })
  const writable = resource.verbs.some((verb) => verb !== 'list' && verb !== 'get')
  const inverse = Object.fromEntries(
    fields.map(([name, field]) => {
      const conversion = field.kind.isList ? sameList : field.required ? required() : same
      return [name, as(sandboxName(name), conversion)]
    }),
  )
  return collection(resource.table, mapping, writable ? inverse : undefined)
}
