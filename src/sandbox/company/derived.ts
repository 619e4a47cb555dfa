/** Records of derived collections: plausible values, chosen by the kind and the name of each field. */
import type { ExampleSource, Field, Fields } from '../../definition/kinds/kind.ts'
import type { Resource } from '../../definition/resource.ts'
import { catalogue } from '../../generated/catalogue.ts'
import { ofCents } from '../amounts.ts'
import { derivedName } from '../kinds/derived.ts'
import { derivedKinds, type KindInput, type KindName, kindNames, kinds } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import { generateCity, generateCompanyName, generateName, mailOf, slug } from './contacts.ts'
import type { SimulatedEvent } from './event.ts'
import { remarks, streets } from './words.ts'

/** Existing ids for a reference target: a topic, or a nested list (`commerce/products.variants`). */
type FindIds = (target: string) => readonly string[]

const COUNT = 12

/** Generators of texts by field name; the first match applies. */
const texts: readonly (readonly [RegExp, (random: Random, resource: Resource) => string])[] = [
  [/mail/i, (random) => mailOf(generateName(random), 'harbour')],
  [/phone|fax|mobile/i, (random) => random.digits(generateCity(random).phone)],
  [/url|web|link|page/i, (random) => `https://www.${slug(generateCompanyName(random))}.example`],
  [/city|town/i, (random) => generateCity(random).city],
  [/country/i, (random) => generateCity(random).countryName],
  [/state$|region/i, (random) => generateCity(random).region],
  [/zip|postal/i, (random) => random.digits(generateCity(random).postcode)],
  [/street|address/i, (random) => `${random.integer(1, 180)} ${random.pick(streets)}`],
  [/firstName/i, (random) => generateName(random).firstName],
  [/lastName/i, (random) => generateName(random).lastName],
  [/owner|author|person|assignee/i, (random) => personName(random)],
  [/company|customer|vendor|account|supplier/i, (random) => generateCompanyName(random)],
  [/number|code|sku|reference/i, (random) => random.digits('R-######')],
  [/description|content|text|memo|comment|summary/i, (random) => random.pick(remarks)],
  [/./, (random, { name }) => `${generateCompanyName(random)} ${name}`],
]

const personName = (random: Random): string => {
  const { firstName, lastName } = generateName(random)
  return `${firstName} ${lastName}`
}

/** Generates the fields of a record, in the form in which the connector writes them. */
const generateFields = (resource: Resource, random: Random, findIds: FindIds): object => {
  const sourceOf = (name: string, { kind }: Field): ExampleSource => {
    const text = () => texts.find(([names]) => names.test(name))?.[1](random, resource) ?? name
    return {
      text,
      entry: text,
      code: () => random.pick(kind.values ?? ['']),
      amount: (otherwise) =>
        otherwise.includes('.') ? ofCents(random.integer(500, 90_000)) : `${random.integer(1, 99)}`,
      day: () => `2026-0${random.integer(1, 9)}-${random.integer(10, 28)}`,
      reference: ({ target }) => random.pick(findIds(target)),
      shape: ({ fields }) => samplesOf(fields),
    }
  }
  const sampleOf = (name: string, field: Field): unknown => {
    const { kind } = field
    if (kind.reference && findIds(kind.reference.target).length === 0) return undefined
    return (kind.nested ?? kind).input.parse(kind.example(sourceOf(name, field)))
  }
  const samplesOf = (fields: Fields): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields).flatMap(([name, field]) => {
        const value = sampleOf(name, field)
        return value === undefined ? [] : [[name, value]]
      }),
    )
  return Object.fromEntries(
    Object.entries(samplesOf(resource.fields)).map(([name, value]) => [derivedName(name), value]),
  )
}

/** Finds ids of a topic, or of the entries of a list in its records. */
const openIds = async (workspace: Workspace): Promise<FindIds> => {
  const live = new Map<string, readonly { readonly id: string; readonly fields: object }[]>()
  for (const kind of kindNames) live.set(kinds[kind].topic, await workspace.where(kind))
  return (target) => {
    const [topic = '', list] = target.split('.')
    const records = live.get(topic) ?? []
    if (list === undefined) return records.map(({ id }) => id)
    return records
      .flatMap(({ fields }): unknown => Object(fields)[list] ?? [])
      .map((entry) => String(Object(entry).id))
  }
}

/** Adds records to each derived collection, first to those that others reference. */
export const addDerived: SimulatedEvent = async (workspace, random) => {
  const pending = new Map(derivedKinds)
  const fill = async (topic: string, kind: KindName): Promise<void> => {
    pending.delete(topic)
    const resource = catalogue.get(topic)
    for (const {
      kind: { reference },
    } of Object.values(resource.fields)) {
      const target = reference && pending.get(reference.target)
      if (reference && target) await fill(reference.target, target)
    }
    for (let index = 0; index < COUNT; index++) {
      const fields = generateFields(resource, random, await openIds(workspace))
      // Safe cast: the schema of the kind validates the input.
      await workspace.create(kind, fields as KindInput<KindName>)
    }
  }
  for (const [topic, kind] of derivedKinds) if (pending.has(topic)) await fill(topic, kind)
}
