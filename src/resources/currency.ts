import { type EnumerationField, enumeration } from '../definition/field.ts'
import { currencyCodes } from './codes.ts'

/** A currency code, one enumeration for every resource. */
export const currency = <const Op extends 'equals' | 'notEquals' = 'equals' | 'notEquals'>(
  doc: string,
  options?: { readonly filters?: readonly Op[]; readonly required?: boolean },
): EnumerationField<string, Op> =>
  enumeration(doc, currencyCodes, { ...options, enumName: 'CurrencyCode' })
