/** Generates names, addresses and numbers. Domains and telephone numbers are reserved, so they reach no one. */
import type { Random } from '../random.ts'
import { type City, cities, companyWords, familyNames, givenNames, streets } from './words.ts'

/** Slug of a name, for e-mail and web addresses: `Björn` becomes `bjorn`. */
export const slug = (name: string): string =>
  name
    .normalize('NFD')
    .replace(/\p{M}|'/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

/** The name of a person. */
export interface PersonName {
  readonly given_name: string
  readonly family_name: string
}

/** Generates a name; not unique. */
export const generateName = (random: Random): PersonName => ({
  given_name: random.pick(givenNames),
  family_name: random.pick(familyNames),
})

/** Generates the name of a company; not unique. */
export const generateCompanyName = (random: Random): string =>
  `${random.pick(companyWords.first)} ${random.pick(companyWords.last)}`

/** Picks a city. */
export const generateCity = (random: Random): City => random.pick(cities)

/** `maeve.quinn@harbour-foods.example`; .example is reserved (RFC 2606). */
export const mailOf = ({ given_name, family_name }: PersonName, company: string): string =>
  `${slug(given_name)}.${slug(family_name)}@${slug(company)}.example`

const street = (random: Random): string => `${random.integer(1, 180)} ${random.pick(streets)}`

const floor = (random: Random): string | null =>
  random.chance(35) ? `Unit ${random.integer(1, 40)}` : null

/** Generates a billing address of a party, and sometimes a delivery address. */
export const generateAddresses = (random: Random, city: City) => {
  const address = (kind: 'billing' | 'delivery') => ({
    kind,
    line1: street(random),
    line2: floor(random),
    city: city.city,
    region: city.region,
    region_code: city.regionCode,
    postcode: random.digits(city.postcode),
    country: city.country,
  })
  return random.chance(40) ? [address('billing'), address('delivery')] : [address('billing')]
}

/** Generates a location of a CRM organization or person. */
export const generateLocation = (random: Random, city: City, label: string) => ({
  label,
  street: street(random),
  city: city.city,
  region: city.region,
  postcode: random.digits(city.postcode),
  country: city.countryName,
})

/** Generates a shipping address. */
export const generatePostal = (
  random: Random,
  { given_name, family_name }: { readonly [Part in keyof PersonName]: string | null },
  phone: string | null,
) => {
  const { city, region, postcode, country } = generateCity(random)
  return {
    given_name,
    family_name,
    line1: street(random),
    line2: floor(random),
    city,
    region,
    postcode: random.digits(postcode),
    country,
    phone,
  }
}

/** Generates one or two telephone numbers in a city. */
export const generatePhones = (random: Random, city: City) => {
  const phone = (use: 'work' | 'mobile' | 'fax' | 'home') => ({
    use,
    number: random.digits(city.phone),
  })
  const second = random.pick(['mobile', 'fax', 'home', null] as const)
  return second === null ? [phone('work')] : [phone('work'), phone(second)]
}
