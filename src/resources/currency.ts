import { enumeration, type Field } from '../definition/field.ts'
import { currencyCodes } from './codes.ts'

/** A currency field. All resources share the enumeration `CurrencyCode`. */
export const currency = <const Op extends 'equals' | 'notEquals' = 'equals' | 'notEquals'>(
  doc: string,
  options?: { readonly filters?: readonly Op[]; readonly required?: boolean },
): Field<string | null, Op, string> =>
  enumeration(doc, currencyCodes, { ...options, enumName: 'CurrencyCode' })
