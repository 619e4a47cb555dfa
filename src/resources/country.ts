import { enumeration, type Field } from '../definition/field.ts'
import { countryNames } from './country-codes.ts'

/** A country field. All resources share the enumeration `CountryCode`. */
export const country = (doc: string): Field<string | null> =>
  enumeration(doc, countryNames, {
    shared: { name: 'CountryCode', doc: 'A two-letter country code of ISO 3166-1.' },
  })
