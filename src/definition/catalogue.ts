/** All resources together: looked up by topic, checked against each other, with the references between them. */
import type { Field, Fields, Shape } from './field.ts'
import { resourceTag } from './identity.ts'
import { pascalCase, type Resource } from './resource.ts'

/** A reference, seen from the record that it points to. */
export interface IncomingReference {
  /** The resource that holds the reference. */
  readonly from: Resource
  /** Its reference field. */
  readonly field: string
  /** The GraphQL field on the target: `payments`, or `paymentsByAccount` where several fields point here. */
  readonly as: string
}

export interface Catalogue {
  readonly resources: readonly Resource[]
  /** @throws RangeError for an unknown topic, with the nearest. */
  get(topic: string): Resource
  find(topic: string): Resource | undefined
  /** By the tag in a record's id. */
  findByTag(tag: string): Resource | undefined
  incoming(topic: string): readonly IncomingReference[]
  /** Every nested shape, once. */
  readonly shapes: readonly Shape[]
}

/** The name of the linked record beside the field that holds its id: `vendorId` → `vendor`. */
export const linkName = (name: string, field: Extract<Field, { target: string }>): string => {
  if (field.as !== undefined) return field.as
  if (field.kind === 'reference' && name.endsWith('Id')) return name.slice(0, -2)
  if (field.kind === 'references' && name.endsWith('Ids')) {
    const word = name.slice(0, -3)
    return word.endsWith('y') ? `${word.slice(0, -1)}ies` : `${word}s`
  }
  throw new TypeError(`Reference ${name} does not end in Id: name its link with { as }.`)
}

const editDistance = (a: string, b: string): number => {
  let previous = Array.from({ length: b.length + 1 }, (_, column) => column)
  for (let row = 1; row <= a.length; row++) {
    const current = [row]
    for (let column = 1; column <= b.length; column++)
      current.push(
        Math.min(
          (previous[column] ?? 0) + 1,
          (current[column - 1] ?? 0) + 1,
          (previous[column - 1] ?? 0) + (a[row - 1] === b[column - 1] ? 0 : 1),
        ),
      )
    previous = current
  }
  return previous[b.length] ?? 0
}

/** The closest of `names`, for messages. */
export const nearest = (name: string, names: Iterable<string>): string | undefined =>
  [...names]
    .map((candidate) => ({ candidate, distance: editDistance(name, candidate) }))
    .sort((a, b) => a.distance - b.distance)[0]?.candidate

/** Every field with its place, nested ones too: `lineItems.productId`. */
function* walk(
  fields: Fields,
  place: string,
): Generator<{ name: string; place: string; field: Field }> {
  for (const [name, field] of Object.entries(fields)) {
    yield { name, place: `${place}.${name}`, field }
    if (field.kind === 'list' || field.kind === 'object')
      yield* walk(field.shape.fields, `${place}.${name}`)
  }
}

/** Nested lists whose entries have ids of their own can be pointed at: `commerce/products.variants`. */
const referenceTargets = (resources: readonly Resource[]): ReadonlySet<string> =>
  new Set(
    resources.flatMap(({ topic, fields }) => [
      topic,
      ...Object.entries(fields).flatMap(([name, field]) =>
        field.kind === 'list' && 'id' in field.shape.fields ? [`${topic}.${name}`] : [],
      ),
    ]),
  )

const unique = (values: readonly (readonly [string, string])[], what: string): void => {
  const seen = new Map<string, string>()
  for (const [value, owner] of values) {
    const other = seen.get(value)
    if (other !== undefined)
      throw new TypeError(`${owner} and ${other} have the same ${what}: ${value}.`)
    seen.set(value, owner)
  }
}

/** @throws TypeError naming the place if a reference points nowhere or two names clash. */
export const createCatalogue = (resources: readonly Resource[]): Catalogue => {
  const byTopic = new Map(resources.map((resource) => [resource.topic, resource]))
  unique(
    resources.map(({ topic }) => [resourceTag(topic), topic]),
    'tag',
  )
  unique(
    resources.map(({ typeName, topic }) => [typeName, topic]),
    'type name',
  )

  const targets = referenceTargets(resources)
  const shapes = new Map<string, Shape>()
  for (const { topic, fields } of resources)
    for (const { place, field } of walk(fields, topic)) {
      if ('target' in field && !targets.has(field.target))
        throw new TypeError(
          `${place} refers to ${field.target}, which is not a resource. Did you mean ${nearest(field.target, targets)}?`,
        )
      if (field.kind === 'reference')
        for (const embed of field.embeds ?? [])
          if (byTopic.get(field.target)?.fields[embed]?.kind !== 'text')
            throw new TypeError(`${place} embeds ${embed}, which is no text field of its target.`)
      if (field.kind !== 'list' && field.kind !== 'object') continue
      const other = shapes.get(field.shape.name)
      if (other !== undefined && other !== field.shape)
        throw new TypeError(`${place}: another shape is named ${field.shape.name} already.`)
      shapes.set(field.shape.name, field.shape)
    }

  const incoming = new Map<string, IncomingReference[]>()
  for (const from of resources) {
    const references = Object.entries(from.fields).flatMap(([name, field]) =>
      field.kind === 'reference' ? [{ name, field }] : [],
    )
    for (const { name, field } of references) {
      const isOnly = references.filter((other) => other.field.target === field.target).length === 1
      const sameCategory = field.target.startsWith(`${from.category}/`)
      const plural = sameCategory ? from.plural : from.category + pascalCase(from.plural)
      const as = isOnly ? plural : `${plural}By${pascalCase(linkName(name, field))}`
      incoming.set(field.target, [...(incoming.get(field.target) ?? []), { from, field: name, as }])
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
