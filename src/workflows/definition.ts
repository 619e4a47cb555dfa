/** What a workflow is, as JSON, and whether it can work: `when` something changes, `then` do one thing. */
import { type Catalogue, nearest } from '../definition/catalogue.ts'
import type { Connector } from '../definition/connector.ts'
import type { Field, Fields } from '../definition/field.ts'
import type { Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import type { ChangeKind } from '../store/changes.ts'
import { checkMappedValue, type FieldMapping, type MappedValue } from './mapping.ts'
import { fieldAt } from './record-path.ts'

export type ConditionValue = string | number | boolean | null

export interface Trigger {
  /** The app whose credential the record belongs to. */
  readonly app: string
  /** The resource: `commerce/orders`. */
  readonly topic: string
  /** `created` and `updated` unless given. */
  readonly kinds: readonly ChangeKind[]
  /** What the record must hold, by path; all of it. */
  readonly if: Readonly<Record<string, ConditionValue>>
}

export interface Upsert {
  readonly app: string
  readonly resource: string
  readonly fields: FieldMapping
}

export interface Post {
  readonly address: string
}

export interface WorkflowDefinition {
  readonly when: Trigger
  /** `then` in JSON: an object with a member of that name would pass for a promise. */
  readonly action: { readonly upsert: Upsert } | { readonly post: Post }
}

type Given = Readonly<Record<string, unknown>>

const KINDS: readonly ChangeKind[] = ['created', 'updated', 'deleted']
const MAX_CONDITIONS = 20
const MAX_ADDRESS_LENGTH = 2048
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** An object with no other members than these. */
const objectOf = (value: unknown, path: string, names: readonly string[]): Given => {
  const expected = `an object with ${names.join(', ')}`
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidParameter(path, expected)
  for (const name of Object.keys(value))
    if (names.length > 0 && !names.includes(name))
      throw invalidParameter(`${path}.${name.slice(0, 64)}`, `${expected}, and nothing else`)
  // An object that is no list has members by name.
  return value as Given
}

const oneOf = (value: unknown, path: string, what: string, known: readonly string[]): string => {
  if (typeof value === 'string' && known.includes(value)) return value
  const near = typeof value === 'string' ? nearest(value.slice(0, 64), known) : known[0]
  throw invalidParameter(
    path,
    near === undefined ? `${what}: there is none` : `${what}, such as ${near}`,
  )
}

interface World {
  readonly catalogue: Catalogue
  readonly connectors: ReadonlyMap<string, Connector>
}

const readConnector = ({ connectors }: World, value: unknown, path: string): Connector => {
  const app = oneOf(value, path, 'an app', [...connectors.keys()])
  const connector = connectors.get(app)
  if (!connector) throw new RangeError(`No connector ${app}.`)
  return connector
}

const comparable = new Set<Field['kind']>([
  ...(['text', 'label', 'enumeration', 'integer', 'number', 'decimal'] as const),
  ...(['boolean', 'timestamp', 'date', 'json'] as const),
])

const readConditions = (value: unknown, source: Resource, path: string): Trigger['if'] => {
  if (value === undefined) return {}
  const given = objectOf(value, path, [])
  if (Object.keys(given).length > MAX_CONDITIONS)
    throw invalidParameter(path, `at most ${MAX_CONDITIONS} fields`)
  return Object.fromEntries(
    Object.entries(given).map(([name, expected]) => {
      const where = `${path}.${name.slice(0, 64)}`
      const field = fieldAt(source, name)
      if (!field || !comparable.has(field.kind)) {
        const near = nearest(name.slice(0, 64), Object.keys(source.allFields))
        throw invalidParameter(where, `a field of ${source.topic} with one value, such as ${near}`)
      }
      if (!(expected === null || ['string', 'number', 'boolean'].includes(typeof expected)))
        throw invalidParameter(where, 'a text, a number, true, false or null')
      // One of the four that were let through.
      return [name, expected as ConditionValue]
    }),
  )
}

const readTrigger = (world: World, value: unknown, path: string): [Trigger, Resource] => {
  const given = objectOf(value, path, ['app', 'topic', 'kinds', 'if'])
  const connector = readConnector(world, given.app, `${path}.app`)
  const topics = Object.keys(connector.resources)
  const topic = oneOf(given.topic, `${path}.topic`, `a resource of ${connector.app}`, topics)
  const kinds = given.kinds ?? ['created', 'updated']
  const isListed =
    Array.isArray(kinds) && kinds.length > 0 && kinds.every((kind) => KINDS.includes(kind))
  if (!isListed || new Set(kinds).size < kinds.length)
    throw invalidParameter(`${path}.kinds`, `a list of ${KINDS.join(', ')}, each at most once`)
  const source = world.catalogue.get(topic)
  const conditions = readConditions(given.if, source, `${path}.if`)
  return [{ app: connector.app, topic, kinds, if: conditions }, source]
}

/** Whether a connector names a field among those that it writes, whole or in part. */
export const isTaken = (fields: readonly string[], name: string): boolean =>
  fields.some((field) => field === name || field.startsWith(`${name}.`))

const readUpsert = (world: World, source: Resource, value: unknown, path: string): Upsert => {
  const given = objectOf(value, path, ['app', 'resource', 'fields'])
  const { app, resources } = readConnector(world, given.app, `${path}.app`)
  const writable = Object.keys(resources).filter(
    (topic) => resources[topic]?.write?.create && resources[topic]?.write?.update,
  )
  const what = `a resource whose records ${app} creates and updates`
  const topic = oneOf(given.resource, `${path}.resource`, what, writable)
  const target = world.catalogue.get(topic)
  const writes = resources[topic]?.write?.create?.fields ?? []
  const names = Object.keys(target.fields).filter((name) => isTaken(writes, name))
  const mapping = objectOf(given.fields, `${path}.fields`, [])
  if (Object.keys(mapping).length === 0)
    throw invalidParameter(`${path}.fields`, `at least one field, such as ${names[0]}`)
  for (const [name, mapped] of Object.entries(mapping)) {
    const where = `${path}.fields.${name.slice(0, 64)}`
    const field = (target.fields as Fields)[oneOf(name, where, `a field that ${app} takes`, names)]
    // Any JSON stands for a constant until it is checked.
    if (field) checkMappedValue({ name, target: field, source }, mapped as MappedValue, where)
  }
  for (const [name, { required }] of Object.entries(target.fields as Fields))
    if (required && !Object.hasOwn(mapping, name))
      throw invalidParameter(`${path}.fields.${name}`, 'a value (required)')
  // Each value was checked above.
  return { app, resource: topic, fields: mapping as FieldMapping }
}

const readPost = (value: unknown, path: string): Post => {
  const { address } = objectOf(value, path, ['address'])
  const url =
    typeof address === 'string' && address.length <= MAX_ADDRESS_LENGTH
      ? URL.parse(address)
      : undefined
  const isSafe =
    url?.protocol === 'https:' || (url?.protocol === 'http:' && LOOPBACK.has(url.hostname))
  if (!url || !isSafe || url.username !== '' || url.password !== '')
    throw invalidParameter(`${path}.address`, 'an https:// address without a password')
  return { address: url.href }
}

/**
 * Checks a workflow and completes it with what was left out. `path` is where the caller gave it.
 * @throws INVALID_PARAMETER naming the place in the definition and what was expected there
 */
export const checkWorkflowDefinition = (
  catalogue: Catalogue,
  connectors: ReadonlyMap<string, Connector>,
  json: unknown,
  path = 'definition',
): WorkflowDefinition => {
  const world = { catalogue, connectors }
  const given = objectOf(json, path, ['when', 'then'])
  const [when, source] = readTrigger(world, given.when, `${path}.when`)
  const then = objectOf(given.then, `${path}.then`, ['upsert', 'post'])
  if (Object.keys(then).length !== 1)
    throw invalidParameter(`${path}.then`, 'either upsert or post')
  return 'upsert' in then
    ? { when, action: { upsert: readUpsert(world, source, then.upsert, `${path}.then.upsert`) } }
    : { when, action: { post: readPost(then.post, `${path}.then.post`) } }
}
