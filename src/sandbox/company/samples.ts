/**
 * Plausible values for the fields of any resource, chosen by the name and kind of each field. E-mail domains and
 * telephone numbers are reserved, so they reach no one.
 */
import { z } from 'zod'
import type { ExampleSource, Field, Fields } from '../../definition/kinds/kind.ts'
import { ofCents } from '../amounts.ts'
import { objectsOf } from '../kinds/kind.ts'
import { type KindInput, type KindName, kindOfTopic, kinds } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import {
  type City,
  cities,
  companyNames,
  familyNames,
  givenNames,
  listed,
  remarks,
  team,
  trades,
} from './words.ts'

/** Calendar day of the workspace's instant, or `days` after it. */
export const dayOf = ({ now }: Workspace, days = 0): string =>
  new Date(Date.parse(now) + days * 86_400_000).toISOString().slice(0, 10)

/** Slug of a name, for e-mail and web addresses: `Björn` becomes `bjorn`. */
export const slug = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}|'/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** The person, company and city that the values of one record are about. */
export interface Subject {
  readonly firstName: string
  readonly lastName: string
  readonly company: string
  readonly city: City
}

/** Picks a subject, except for the parts in `known`. */
export const pickSubject = (random: Random, known: Partial<Subject> = {}): Subject => ({
  firstName: random.pick(givenNames),
  lastName: random.pick(familyNames),
  company: `${random.pick(companyNames)} ${random.pick(trades)}`,
  city: random.pick(cities),
  ...known,
})

/** `maeve.quinn@harbour-foods.example`; .example is reserved (RFC 2606). */
export const mailOf = ({ firstName, lastName, company }: Omit<Subject, 'city'>): string =>
  `${slug(firstName)}.${slug(lastName)}@${slug(company)}.example`

const streets = listed(`
  Abbey Road, Bridge Street, Canal Walk, Dock Lane, Exchange Square, Foundry Street, Grove Avenue,
  Hill Street, Kiln Lane, Market Place, Quay Street, Station Road`)

const notes = [
  'Wants a revised quote by the end of the month.',
  'Happy with the last delivery and asked about a second site.',
  'Budget is approved; decision in the next board meeting.',
  'Has a competing offer. Follow up next week.',
]

/** Texts to choose from, or a function that composes one. */
type TextSource = readonly string[] | ((subject: Subject, random: Random) => string)

/** Texts by the name of their field; the first match applies. */
const texts: readonly (readonly [RegExp, TextSource])[] = [
  [/owner|author|person|assignee/i, team],
  [/type$/i, ['work', 'home']],
  [/mail/i, mailOf],
  [/phone|fax|mobile/i, ({ city }, random) => random.digits(city.phone)],
  [/url|web|link|page/i, ({ company }) => `https://www.${slug(company)}.example`],
  [/image/i, ({ company }) => `https://www.${slug(company)}.example/picture.jpg`],
  [/tag/i, ['new', 'gift', 'bestseller', 'organic', 'sale']],
  [/city|town/i, ({ city }) => city.city],
  [/subdivision/i, ({ city }) => city.regionCode],
  [/country/i, ({ city }) => city.countryName],
  [/state$|region/i, ({ city }) => city.region],
  [/zip|postal/i, ({ city }, random) => random.digits(city.postcode)],
  [/street2|address2/i, (_, random) => `Unit ${random.integer(1, 40)}`],
  [/street|address/i, (_, random) => `${random.integer(1, 180)} ${random.pick(streets)}`],
  [/firstName/i, ({ firstName }) => firstName],
  [/lastName/i, ({ lastName }) => lastName],
  [/title/i, listed('Head of Operations, Purchasing Manager, Office Manager, Founder, Accountant')],
  [/source/i, listed('Web form, Trade fair, Referral, Newsletter, Cold call, Partner')],
  [/carrier/i, ['Emerald Parcels', 'Kestrel Couriers', 'Northern Freight']],
  [/service/i, ['Tracked', 'Next day', 'Standard']],
  [/industry/i, listed('Food and drink, Logistics, Manufacturing, Software, Hospitality, Retail')],
  [/subject/i, listed('Send quote, Call back, Prepare demo, Check credit, Book site survey')],
  [/number|code|sku|reference/i, ({ city }, random) => random.digits(`${city.country}#########`)],
  [/content|text/i, notes],
  [/description|memo|comment|summary/i, remarks],
  [/./, ({ company }) => company],
]

/** A text for a field of this name. */
const textOf = (name: string, subject: Subject, random: Random): string => {
  const source = texts.find(([names]) => names.test(name))?.[1] ?? [name]
  return typeof source === 'function' ? source(subject, random) : random.pick(source)
}

/** Ids that the fields can reference, by target: a topic, or a nested list (`commerce/products.variants`). */
const referencesOf = async (
  workspace: Workspace,
  fields: Fields,
  ids = new Map<string, readonly string[]>(),
): Promise<ReadonlyMap<string, readonly string[]>> => {
  for (const { kind } of Object.values(fields)) {
    if (kind.shape) await referencesOf(workspace, kind.shape.fields, ids)
    const { target = '' } = kind.reference ?? {}
    const [topic = '', list] = target.split('.')
    const collection = kindOfTopic.get(topic)
    if (!collection) continue
    const records = await workspace.where(collection)
    const entries = list
      ? records.flatMap(({ fields }) => objectsOf(Object(fields)[list]))
      : records
    ids.set(
      target,
      entries.map(({ id }) => String(id)),
    )
  }
  return ids
}

/** Input of a record of the kind, with a value for most fields that are not computed. */
export const sampleOf = async <K extends KindName>(
  kind: K,
  workspace: Workspace,
  random: Random,
  subject: Subject = pickSubject(random),
): Promise<KindInput<K>> => {
  const { definitions, fields: inputs } = kinds[kind]
  const references = await referencesOf(workspace, definitions)
  const sourceOf = (name: string, { kind }: Field, index: number): ExampleSource => {
    const { city } = subject
    const text = () => textOf(name, subject, random)
    return {
      text,
      entry: text,
      code: () => {
        const values = kind.values ?? ['']
        const ofCity = values.find((value) => value === city.country || value === city.currency)
        return ofCity ?? (random.chance(85) ? (values[index] ?? '') : random.pick(values))
      },
      amount: (otherwise) =>
        otherwise.includes('.') ? ofCents(random.integer(500, 90_000)) : `${random.integer(1, 99)}`,
      day: () => dayOf(workspace, random.integer(2, 90) * (/due|close/i.test(name) ? 1 : -1)),
      reference: ({ target }) => random.pick(references.get(target) ?? []),
      shape: ({ fields }) => samplesOf(fields),
    }
  }
  const sampleField = (name: string, field: Field, index: number): unknown => {
    const { reference, nested = field.kind, shape, isList, isScalar, values, example } = field.kind
    const source = sourceOf(name, field, index)
    if (reference && !references.get(reference.target)?.length) return undefined
    if (values) return source.code()
    if (name.endsWith('At')) return workspace.now
    if (isScalar && !field.required && random.chance(8)) return undefined
    if (!shape || !isList) return nested.input.parse(example(source))
    // Entries of several types: a billing and a shipping address.
    const isTyped = Object.values(shape.fields).some(({ kind }) => kind.values)
    const entries = Array.from({ length: isTyped ? random.integer(1, 2) : 1 })
    return entries.map((_, position) => samplesOf(shape.fields, position))
  }
  const samplesOf = (fields: Fields, index = 0): Record<string, unknown> =>
    Object.fromEntries(
      Object.entries(fields)
        .map(([name, field]) => [name, sampleField(name, field, index)] as const)
        .filter(([, value]) => value !== undefined),
    )
  const schemas: Readonly<Record<string, unknown>> = inputs.shape
  // Safe cast: the schema of the kind validates the input.
  return Object.fromEntries(
    Object.entries(samplesOf(definitions))
      .filter(([name]) => Object.hasOwn(schemas, name))
      // The sandbox assigns the numbers of documents.
      .filter(([name]) => !(schemas[name] instanceof z.ZodOptional)),
  ) as KindInput<K>
}
