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
  readonly firstName: string
  readonly lastName: string
}

/** Generates a name; not unique. */
export const generateName = (random: Random): PersonName => ({
  firstName: random.pick(givenNames),
  lastName: random.pick(familyNames),
})

/** Generates the name of a company; not unique. */
export const generateCompanyName = (random: Random): string =>
  `${random.pick(companyWords.first)} ${random.pick(companyWords.last)}`

/** Picks a city. */
export const generateCity = (random: Random): City => random.pick(cities)

/** `maeve.quinn@harbour-foods.example`; .example is reserved (RFC 2606). */
export const mailOf = ({ firstName, lastName }: PersonName, company: string): string =>
  `${slug(firstName)}.${slug(lastName)}@${slug(company)}.example`

const street = (random: Random): string => `${random.integer(1, 180)} ${random.pick(streets)}`

const floor = (random: Random): string | null =>
  random.chance(35) ? `Unit ${random.integer(1, 40)}` : null

/** Generates a billing address of a party, and sometimes a delivery address. */
export const generateAddresses = (random: Random, city: City) => {
  const address = (addressType: 'BILLING' | 'SHIPPING') => ({
    addressType,
    street1: street(random),
    street2: floor(random),
    city: city.city,
    state: city.region,
    countrySubdivision: city.regionCode,
    zipCode: random.digits(city.postcode),
    country: city.country,
  })
  return random.chance(40) ? [address('BILLING'), address('SHIPPING')] : [address('BILLING')]
}

/** Generates a location of a CRM organization or person. */
export const generateLocation = (random: Random, city: City, addressType: string) => ({
  addressType,
  street1: street(random),
  city: city.city,
  state: city.region,
  postalCode: random.digits(city.postcode),
  country: city.countryName,
})

/** Generates a shipping address. */
export const generatePostal = (
  random: Random,
  { firstName, lastName }: { readonly [Part in keyof PersonName]: string | null },
  phone: string | null,
) => {
  const { city, region, postcode, country } = generateCity(random)
  return {
    firstName,
    lastName,
    address1: street(random),
    address2: floor(random),
    city,
    region,
    postalCode: random.digits(postcode),
    countryCode: country,
    phone,
  }
}

/** Generates one or two telephone numbers in a city. */
export const generatePhones = (random: Random, city: City) => {
  const phone = (phoneNumberType: 'PRIMARY' | 'MOBILE' | 'FAX' | 'OTHER') => ({
    phoneNumberType,
    phoneNumber: random.digits(city.phone),
  })
  const second = random.pick(['MOBILE', 'FAX', 'OTHER', null] as const)
  return second === null ? [phone('PRIMARY')] : [phone('PRIMARY'), phone(second)]
}
