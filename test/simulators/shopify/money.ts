/** Amounts in two currencies, and how the API writes them. */
import { multiply, round, sum } from '../engine/decimal.ts'
import type { Bag } from './records.ts'

export interface Currencies {
  readonly currencyCode: string
  readonly presentmentCurrencyCode: string
}

export interface MoneyInput {
  readonly amount: string
  readonly currencyCode: string
}

export interface MoneyBagInput {
  readonly shopMoney: MoneyInput
  readonly presentmentMoney?: MoneyInput
}

export const NOTHING: Bag = { shop: 0, presentment: 0 }

const digitsOf = new Map<string, number>()

/** 2 for USD, 0 for JPY. */
const minorDigits = (currency: string): number => {
  const known = digitsOf.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const digits = format.resolvedOptions().maximumFractionDigits ?? 2
  digitsOf.set(currency, digits)
  return digits
}

/** The scalar Decimal: `10.0`, `9.99`. */
export const writeDecimal = (amount: number): string =>
  Number.isInteger(amount) ? `${amount}.0` : String(amount)

/** The scalar Money: `10.00`. */
export const writeMoney = (amount: number, currency: string): string =>
  amount.toFixed(minorDigits(currency))

export const addBags = (bags: readonly Bag[]): Bag => ({
  shop: sum(bags.map(({ shop }) => shop)),
  presentment: sum(bags.map(({ presentment }) => presentment)),
})

export const timesBag = ({ shop, presentment }: Bag, factor: number): Bag => ({
  shop: multiply(shop, factor),
  presentment: multiply(presentment, factor),
})

export const subtractBags = (from: Bag, subtrahend: Bag): Bag =>
  addBags([from, timesBag(subtrahend, -1)])

export const roundBag = (
  { shop, presentment }: Bag,
  { currencyCode, presentmentCurrencyCode }: Currencies,
): Bag => ({
  shop: round(shop, minorDigits(currencyCode)),
  presentment: round(presentment, minorDigits(presentmentCurrencyCode)),
})

/** Without an amount in the buyer's currency, both are the same. */
export const readBag = ({ shopMoney, presentmentMoney = shopMoney }: MoneyBagInput): Bag => ({
  shop: Number(shopMoney.amount),
  presentment: Number(presentmentMoney.amount),
})

export const writeMoneyV2 = (amount: number, currencyCode: string) => ({
  amount: writeDecimal(amount),
  currencyCode,
})

/** The type MoneyBag. */
export const writeBag = (
  { shop, presentment }: Bag,
  { currencyCode, presentmentCurrencyCode }: Currencies,
) => ({
  shopMoney: writeMoneyV2(shop, currencyCode),
  presentmentMoney: writeMoneyV2(presentment, presentmentCurrencyCode),
})
