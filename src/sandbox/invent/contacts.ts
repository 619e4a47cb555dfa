/** Invented names, addresses and numbers. Domains and telephone numbers are reserved: they reach no one. */
import type { Dice } from '../dice.ts'
import { type City, cities, companyWords, familyNames, givenNames, streets } from './words.ts'

/** Letters, digits and hyphens of a name, for addresses: `Björn` is `bjorn`. */
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

/** A name; there may be others of it. */
export const inventName = (dice: Dice): PersonName => ({
  given_name: dice.pick(givenNames),
  family_name: dice.pick(familyNames),
})

/** Names of companies, no two alike. */
export const inventCompanyNames = (dice: Dice, count: number): string[] =>
  dice.some(
    companyWords.first.flatMap((first) => companyWords.last.map((last) => `${first} ${last}`)),
    count,
  )

/** One of the cities. */
export const inventCity = (dice: Dice): City => dice.pick(cities)

/** `maeve.quinn@harbour-foods.example`; .example is reserved (RFC 2606). */
export const mailOf = ({ given_name, family_name }: PersonName, company: string): string =>
  `${slug(given_name)}.${slug(family_name)}@${slug(company)}.example`

const street = (dice: Dice): string => `${dice.integer(1, 180)} ${dice.pick(streets)}`

const floor = (dice: Dice): string | null =>
  dice.chance(35) ? `Unit ${dice.integer(1, 40)}` : null

/** A party's addresses in the books: where bills go, sometimes also where goods go. */
export const inventAddresses = (dice: Dice, city: City) => {
  const address = (kind: 'billing' | 'delivery') => ({
    kind,
    line1: street(dice),
    line2: floor(dice),
    city: city.city,
    region: city.region,
    region_code: city.regionCode,
    postcode: dice.digits(city.postcode),
    country: city.country,
  })
  return dice.chance(40) ? [address('billing'), address('delivery')] : [address('billing')]
}

/** Where an organisation or a person of the CRM is found. */
export const inventLocation = (dice: Dice, city: City, label: string) => ({
  label,
  street: street(dice),
  city: city.city,
  region: city.region,
  postcode: dice.digits(city.postcode),
  country: city.countryName,
})

/** Where the shop sends a parcel. */
export const inventPostal = (
  dice: Dice,
  city: City,
  name: { readonly [Part in keyof PersonName]: string | null },
  phone: string | null,
) => ({
  ...name,
  line1: street(dice),
  line2: floor(dice),
  city: city.city,
  region: city.region,
  postcode: dice.digits(city.postcode),
  country: city.country,
  phone,
})

/** One or two numbers in a city. */
export const inventPhones = (dice: Dice, city: City) => {
  const phone = (use: 'work' | 'mobile' | 'fax' | 'home') => ({
    use,
    number: dice.digits(city.phone),
  })
  const second = dice.pick(['mobile', 'fax', 'home', null] as const)
  return second === null ? [phone('work')] : [phone('work'), phone(second)]
}
