/** Rules that the mappings of several resources share. */
import { missingValue, WriteRejection } from '../../definition/connector.ts'
import {
  blankAsNull,
  createOnly,
  enumeration,
  notNull,
  orElse,
} from '../../definition/mapping/converters.ts'
import { decimal } from '../../definition/mapping/decimal.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { company } from './company.ts'

/** A text. A sparse update removes it with an empty one (NOTES "sparse updates"). */
export const text = (path: string): Converter => orElse(blankAsNull(path), '')

/** A word of a fixed set; words without a unified one are null, and stay in `remoteFields`. */
export const words = (path: string, table: Readonly<Record<string, string>>): Converter => ({
  ...enumeration(path, table),
  read: (word) => table[String(word)] ?? null,
})

/** An amount, a price or a quantity. */
export const amount = (path: string): Converter => notNull(decimal(path, { as: 'number' }))

/** The currency of a record; the home currency if the company uses no other (NOTES "currencies"). */
export const currencyOf = (record: unknown, context: unknown): unknown =>
  valuesOf(valuesOf(record).CurrencyRef).value ?? company.of(context).currency

/** The currency of a new record. It never changes. */
export const currency: Converter = createOnly({
  from: '',
  read: (record, _, context) => currencyOf(record, context),
  apply: (value, { path, put, context }) => {
    const { currency: home, isMultiCurrency } = company.of(context)
    if (value === null) throw missingValue('QuickBooks requires a currency.', path)
    if (isMultiCurrency) put('CurrencyRef.value', value, path)
    else if (value !== home)
      throw new WriteRejection(`The company has only one currency, ${home}.`, path)
    return undefined
  },
  sets: ['CurrencyRef.value'],
})

export const exchangeRate: Converter = notNull(
  decimal('ExchangeRate', { as: 'number', notNegative: { name: 'An exchange rate' } }),
)

/** A reference that a write cannot remove (NOTES "sparse updates"). */
export const referenceTo = (name: string): Converter => notNull(`${name}.value`)

/** The parent of a record of the same entity. A write cannot remove it; `flag` says that it has one. */
export const parent = (flag: string): Converter => ({
  from: 'ParentRef.value',
  apply: (value, { path, put }) => {
    if (value === null) throw new WriteRejection('QuickBooks cannot remove the parent.', path)
    put('ParentRef.value', value, path)
    put(flag, true, path)
    return undefined
  },
  sets: ['ParentRef.value', flag],
})

/** The rules of the fields that every record has. */
export const common = {
  remoteId: 'Id',
  remoteCreatedAt: 'MetaData.CreateTime',
  remoteUpdatedAt: 'MetaData.LastUpdatedTime',
  remoteDeleted: null, // NOTES "deletions": the feed reports them, listings leave them out
  companyId: (_: unknown, __: unknown, context: unknown) => company.of(context).companyId,
} as const
