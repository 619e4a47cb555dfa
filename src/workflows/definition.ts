/** Workflow definitions and their validation: `when` a record changes, `then` perform one action. */
import type { Catalogue } from '../definition/catalogue.ts'
import type { Connector } from '../definition/connector.ts'
import type { Fields } from '../definition/kinds/kind.ts'
import { nearest } from '../definition/nearest.ts'
import type { Resource } from '../definition/resource.ts'
import { invalidParameter } from '../errors.ts'
import type { ChangeKind } from '../store/changes/changes.ts'
import { checkMappedValue, type FieldMapping, type MappedValue } from './mapping.ts'
import { fieldAt } from './record-path.ts'

/** A value that a condition compares a field with. */
export type ConditionValue = string | number | boolean | null

/** The changes that a workflow reacts to. */
export interface Trigger {
  /** The app of the credential that the record belongs to. */
  readonly app: string
  /** The resource: `commerce/orders`. */
  readonly topic: string
  /** Default: `created` and `updated`. */
  readonly kinds: readonly ChangeKind[]
  /** Required values of the record, by path. All must match. */
  readonly if: Readonly<Record<string, ConditionValue>>
}

/** The action that creates or updates a record in an app. */
export interface Upsert {
  readonly app: string
  readonly resource: string
  readonly fields: FieldMapping
}

/** The action that sends the change to an address. */
export interface Post {
  readonly address: string
}

/** A checked workflow definition: one trigger and one action. */
export interface WorkflowDefinition {
  readonly when: Trigger
  /** `then` in JSON; renamed because an object with a `then` member is treated as a promise. */
  readonly action: { readonly upsert: Upsert } | { readonly post: Post }
}

type JsonObject = Readonly<Record<string, unknown>>

const KINDS: readonly ChangeKind[] = ['created', 'updated', 'deleted']
const MAX_CONDITIONS = 20
const MAX_ADDRESS_LENGTH = 2048
const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]'])

/** Reads an object without members other than these; any members if `names` is empty. */
const readObject = (value: unknown, path: string, names: readonly string[]): JsonObject => {
  const expected = `an object with ${names.join(', ')}`
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidParameter(path, expected)
  for (const name of Object.keys(value))
    if (names.length > 0 && !names.includes(name))
      throw invalidParameter(`${path}.${name.slice(0, 64)}`, `${expected}, and no other member`)
  // An object that is not an array has members by name.
  return value as JsonObject
}

const readName = (value: unknown, path: string, what: string, known: readonly string[]): string => {
  if (typeof value === 'string' && known.includes(value)) return value
  const near = typeof value === 'string' ? nearest(value, known) : known[0]
  throw invalidParameter(
    path,
    near === undefined ? `${what} (none exists)` : `${what}, such as ${near}`,
  )
}

interface DefinitionContext {
  readonly catalogue: Catalogue
  readonly connectors: ReadonlyMap<string, Connector>
}

const readConnector = (
  { connectors }: DefinitionContext,
  value: unknown,
  path: string,
): Connector => {
  const app = readName(value, path, 'an app', [...connectors.keys()])
  const connector = connectors.get(app)
  if (!connector) throw new RangeError(`No connector ${app}.`)
  return connector
}

const readConditions = (value: unknown, source: Resource, path: string): Trigger['if'] => {
  if (value === undefined) return {}
  const conditions = readObject(value, path, [])
  if (Object.keys(conditions).length > MAX_CONDITIONS)
    throw invalidParameter(path, `at most ${MAX_CONDITIONS} fields`)
  return Object.fromEntries(
    Object.entries(conditions).map(([name, expected]) => {
      const where = `${path}.${name.slice(0, 64)}`
      const field = fieldAt(source, name)
      if (!field?.kind.isScalar) {
        const near = nearest(name, Object.keys(source.allFields))
        throw invalidParameter(
          where,
          `a field of ${source.topic} with a single value, such as ${near}`,
        )
      }
      if (!(expected === null || ['string', 'number', 'boolean'].includes(typeof expected)))
        throw invalidParameter(where, 'a text, a number, true, false or null')
      // The check above accepts these four types only.
      return [name, expected as ConditionValue]
    }),
  )
}

const readTrigger = (
  context: DefinitionContext,
  value: unknown,
  path: string,
): [Trigger, Resource] => {
  const input = readObject(value, path, ['app', 'topic', 'kinds', 'if'])
  const connector = readConnector(context, input.app, `${path}.app`)
  const topics = Object.keys(connector.resources)
  const topic = readName(input.topic, `${path}.topic`, `a resource of ${connector.app}`, topics)
  const kinds = input.kinds ?? ['created', 'updated']
  const isValid =
    Array.isArray(kinds) && kinds.length > 0 && kinds.every((kind) => KINDS.includes(kind))
  if (!isValid || new Set(kinds).size < kinds.length)
    throw invalidParameter(`${path}.kinds`, `a list of ${KINDS.join(', ')}, each at most once`)
  const source = context.catalogue.get(topic)
  const conditions = readConditions(input.if, source, `${path}.if`)
  return [{ app: connector.app, topic, kinds, if: conditions }, source]
}

/** Whether a connector writes a field, as a whole or in part. */
export const isFieldSupported = (fields: readonly string[], name: string): boolean =>
  fields.some((field) => field === name || field.startsWith(`${name}.`))

const readUpsert = (
  context: DefinitionContext,
  source: Resource,
  value: unknown,
  path: string,
): Upsert => {
  const input = readObject(value, path, ['app', 'resource', 'fields'])
  const { app, resources } = readConnector(context, input.app, `${path}.app`)
  const writable = Object.keys(resources).filter(
    (topic) => resources[topic]?.write?.create && resources[topic]?.write?.update,
  )
  const expected = `a resource that ${app} can create and update`
  const topic = readName(input.resource, `${path}.resource`, expected, writable)
  const target = context.catalogue.get(topic)
  const supported = resources[topic]?.write?.create?.fields ?? []
  const names = Object.keys(target.fields).filter((name) => isFieldSupported(supported, name))
  const mapping = readObject(input.fields, `${path}.fields`, [])
  if (Object.keys(mapping).length === 0)
    throw invalidParameter(`${path}.fields`, `at least one field, such as ${names[0]}`)
  for (const [name, mapped] of Object.entries(mapping)) {
    const where = `${path}.fields.${name.slice(0, 64)}`
    const field = (target.fields as Fields)[
      readName(name, where, `a field that ${app} supports`, names)
    ]
    // checkMappedValue accepts any JSON as a constant and checks it.
    if (field) checkMappedValue({ name, target: field, source }, mapped as MappedValue, where)
  }
  for (const [name, { required }] of Object.entries(target.fields as Fields))
    if (required && !Object.hasOwn(mapping, name))
      throw invalidParameter(`${path}.fields.${name}`, 'a value (required)')
  // Each value is checked above.
  return { app, resource: topic, fields: mapping as FieldMapping }
}

const readPost = (value: unknown, path: string): Post => {
  const { address } = readObject(value, path, ['address'])
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
 * Checks a workflow definition and adds its defaults. `path` is its path in the caller's input.
 * @throws INVALID_PARAMETER naming the path of the invalid value and the expected one
 */
export const checkWorkflowDefinition = (
  catalogue: Catalogue,
  connectors: ReadonlyMap<string, Connector>,
  json: unknown,
  path = 'definition',
): WorkflowDefinition => {
  const context = { catalogue, connectors }
  const input = readObject(json, path, ['when', 'then'])
  const [when, source] = readTrigger(context, input.when, `${path}.when`)
  const then = readObject(input.then, `${path}.then`, ['upsert', 'post'])
  if (Object.keys(then).length !== 1)
    throw invalidParameter(`${path}.then`, 'exactly one of upsert and post')
  return 'upsert' in then
    ? { when, action: { upsert: readUpsert(context, source, then.upsert, `${path}.then.upsert`) } }
    : { when, action: { post: readPost(then.post, `${path}.then.post`) } }
}
