/** Generates records of derived collections: plausible values, chosen by the kind and the name of each field. */
import type { ExampleSource, Field, Fields } from '../../definition/kinds/kind.ts'
import type { Resource } from '../../definition/resource.ts'
import { ofCents } from '../amounts.ts'
import { derivedName } from '../kinds/derived.ts'
import type { SandboxFields } from '../kinds/kind.ts'
import type { Random } from '../random.ts'
import { generateCity, generateCompanyNames, generateName, mailOf, slug } from './contacts.ts'
import { streets } from './words.ts'

/** Existing ids for a reference target: a topic, or a nested list (`commerce/products.variants`). */
export type FindIds = (target: string) => readonly string[]

const REMARKS = ['As agreed by telephone.', 'To be checked next week.', 'Part of the spring plan.']

/** Generators of texts by field name; the first match applies. */
const texts: readonly (readonly [RegExp, (random: Random, resource: Resource) => string])[] = [
  [/mail/i, (random) => mailOf(generateName(random), 'harbour')],
  [/phone|fax|mobile/i, (random) => random.digits(generateCity(random).phone)],
  [/url|web|link|page/i, (random) => `https://www.${slug(companyName(random))}.example`],
  [/city|town/i, (random) => generateCity(random).city],
  [/country/i, (random) => generateCity(random).countryName],
  [/state$|region/i, (random) => generateCity(random).region],
  [/zip|postal/i, (random) => random.digits(generateCity(random).postcode)],
  [/street|address/i, (random) => `${random.integer(1, 180)} ${random.pick(streets)}`],
  [/firstName/i, (random) => generateName(random).given_name],
  [/lastName/i, (random) => generateName(random).family_name],
  [/owner|author|person|assignee/i, (random) => personName(random)],
  [/company|customer|vendor|account|supplier/i, (random) => companyName(random)],
  [/number|code|sku|reference/i, (random) => random.digits('R-######')],
  [/description|content|text|memo|comment|summary/i, (random) => random.pick(REMARKS)],
  [/./, (random, { name }) => `${companyName(random)} ${name}`],
]

const companyName = (random: Random): string => generateCompanyNames(random, 1).join()

const personName = (random: Random): string => {
  const { given_name, family_name } = generateName(random)
  return `${given_name} ${family_name}`
}

/** Generates the fields of a record, in the form in which the connector writes them. */
export const generateDerived = (
  resource: Resource,
  random: Random,
  findIds: FindIds,
): SandboxFields => {
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
