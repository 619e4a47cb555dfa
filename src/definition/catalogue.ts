/**
 * The catalogue of all resources: lookup by topic, consistency checks, and the references between
 * resources.
 */
import { resourceTag } from './identity.ts'
import type { Field, Fields, Kind, Shape } from './kinds/kind.ts'
import { isText } from './kinds/text.ts'
import { nearest } from './nearest.ts'
import { pascalCase, type Resource } from './resource.ts'

/** A reference from the point of view of its target. */
export interface IncomingReference {
  /** The resource that holds the reference. */
  readonly from: Resource
  /** The reference field. */
  readonly field: string
  /** The GraphQL field on the target: `payments`, or `paymentsByAccount` where several fields point here. */
  readonly as: string
}

/** Every resource, with indexes by topic, tag and incoming reference. */
export interface Catalogue {
  readonly resources: readonly Resource[]
  /** @throws RangeError for an unknown topic, naming the nearest known one. */
  get(topic: string): Resource
  find(topic: string): Resource | undefined
  /** The resource whose tag is part of a record id. */
  findByTag(tag: string): Resource | undefined
  incoming(topic: string): readonly IncomingReference[]
  /** Every nested shape, without duplicates. */
  readonly shapes: readonly Shape[]
}

/**
 * The name of the link field that belongs to a reference field: `vendorId` → `vendor`.
 * @throws TypeError if the name cannot be derived and the reference has no `as`
 */
export const linkName = (name: string, { reference, isList }: Kind): string => {
  if (reference?.as !== undefined) return reference.as
  if (!isList && name.endsWith('Id')) return name.slice(0, -2)
  if (isList && name.endsWith('Ids')) {
    const word = name.slice(0, -3)
    return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`
  }
  throw new TypeError(`Reference ${name} does not end in Id: set the name of its link with { as }.`)
}

/** Every field with its path, including nested fields: `lineItems.productId`. */
function* walk(
  fields: Fields,
  path: string,
): Generator<{ name: string; path: string; field: Field }> {
  for (const [name, field] of Object.entries(fields)) {
    yield { name, path: `${path}.${name}`, field }
    if (field.kind.shape) yield* walk(field.kind.shape.fields, `${path}.${name}`)
  }
}

/** The valid targets: resources, and nested lists whose entries have an id (`commerce/products.variants`). */
const referenceTargets = (resources: readonly Resource[]): ReadonlySet<string> =>
  new Set(
    resources.flatMap(({ topic, fields }) => [
      topic,
      ...Object.entries(fields).flatMap(([name, { kind }]) =>
        kind.isList && kind.shape && 'id' in kind.shape.fields ? [`${topic}.${name}`] : [],
      ),
    ]),
  )

const assertUnique = (values: readonly (readonly [string, string])[], what: string): void => {
  const seen = new Map<string, string>()
  for (const [value, owner] of values) {
    const other = seen.get(value)
    if (other !== undefined)
      throw new TypeError(`${owner} and ${other} have the same ${what}: ${value}.`)
    seen.set(value, owner)
  }
}

/**
 * Builds the catalogue and checks it.
 * @throws TypeError naming the field if a reference has no target or two names clash
 */
export const createCatalogue = (resources: readonly Resource[]): Catalogue => {
  const byTopic = new Map(resources.map((resource) => [resource.topic, resource]))
  assertUnique(
    resources.map(({ topic }) => [resourceTag(topic), topic]),
    'tag',
  )
  assertUnique(
    resources.map(({ typeName, topic }) => [typeName, topic]),
    'type name',
  )

  const targets = referenceTargets(resources)
  const shapes = new Map<string, Shape>()
  for (const { topic, fields } of resources)
    for (const { path, field } of walk(fields, topic)) {
      const { reference, shape } = field.kind
      if (reference && !targets.has(reference.target))
        throw new TypeError(
          `${path} references ${reference.target}, which is not a resource. Did you mean ${nearest(reference.target, targets)}?`,
        )
      for (const embed of reference?.embeds ?? []) {
        const embedded = byTopic.get(reference?.target ?? '')?.fields[embed]
        if (!embedded || !isText(embedded))
          throw new TypeError(`${path} embeds ${embed}, which is not a text field of its target.`)
      }
      if (!shape) continue
      const other = shapes.get(shape.name)
      if (other !== undefined && other !== shape)
        throw new TypeError(`${path}: another shape is already named ${shape.name}.`)
      shapes.set(shape.name, shape)
    }

  const incoming = new Map<string, IncomingReference[]>()
  for (const from of resources) {
    const references = Object.entries(from.fields).flatMap(([name, { kind }]) =>
      kind.reference && !kind.isList ? [{ name, kind, target: kind.reference.target }] : [],
    )
    for (const { name, kind, target } of references) {
      const isOnly = references.filter((other) => other.target === target).length === 1
      const isSameCategory = target.startsWith(`${from.category}/`)
      const plural = isSameCategory ? from.plural : from.category + pascalCase(from.plural)
      const as = isOnly ? plural : `${plural}By${pascalCase(linkName(name, kind))}`
      incoming.set(target, [...(incoming.get(target) ?? []), { from, field: name, as }])
    }
  }

  const byTag = new Map(resources.map((resource) => [resourceTag(resource.topic), resource]))
  return {
    resources,
    shapes: [...shapes.values()],
    find: (topic) => byTopic.get(topic),
    findByTag: (tag) => byTag.get(tag),
    incoming: (topic) => incoming.get(topic) ?? [],
    get: (topic) => {
      const resource = byTopic.get(topic)
      if (resource) return resource
      throw new RangeError(`No resource ${topic}. Did you mean ${nearest(topic, byTopic.keys())}?`)
    },
  }
}
