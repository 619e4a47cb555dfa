import { enumeration, type Field } from '../definition/field.ts'
import { currencyNames } from './currency-codes.ts'

/** A currency field. All resources share the enumeration `CurrencyCode`. */
export const currency = <const Op extends 'equals' | 'notEquals' = 'equals' | 'notEquals'>(
  doc: string,
  options?: { readonly filters?: readonly Op[]; readonly required?: boolean },
): Field<string | null, Op, string> =>
  enumeration(doc, currencyNames, {
    ...options,
    shared: { name: 'CurrencyCode', doc: 'A currency code of ISO 4217.' },
  })
