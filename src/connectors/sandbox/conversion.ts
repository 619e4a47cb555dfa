/** One unified value as the sandbox is told it: amounts, rates, quantities and words. */
import { type Json, WriteRefusal } from '../../definition/connector.ts'
import { formatDecimal, parseDecimal } from '../../definition/decimal.ts'
import { isObject } from '../../definition/value.ts'

/** The fields of an object, as they are given or sent. */
export type Given = Readonly<Record<string, Json>>

/** Tells the sandbox one of its fields. @throws WriteRefusal if it has been told otherwise */
export type Put = (name: string, value: Json, path: string) => void

/** What a conversion may look at beside the value. */
export interface Draft {
  /** The unified fields that are written. */
  readonly given: Given
  /** The record to be changed, by the sandbox's names; undefined for a new one. */
  readonly stored: Readonly<Record<string, unknown>> | undefined
  readonly put: Put
}

/** From a unified value to the sandbox's. */
export interface Conversion {
  /** @throws WriteRefusal naming the path */
  tell(value: NonNullable<Json>, path: string, draft: Draft): Json
  /** What the sandbox is told for null; without it, the field cannot be emptied. */
  readonly empty?: Json
  /** The names inside of an object, or of a list's objects, that it takes; all, if it does not say. */
  readonly nested?: readonly string[]
}

/** The sandbox's value for a unified one, be it null. */
export const convert = (
  { tell, empty }: Conversion,
  value: Json,
  path: string,
  draft: Draft,
): Json => {
  if (value !== null) return tell(value, path, draft)
  if (empty !== undefined) return empty
  throw new WriteRefusal('The sandbox always has a value here: it cannot be emptied.', path)
}

/** The objects of a list that the sandbox has sent; none if it is no list. */
export const objectsIn = (list: unknown): readonly Given[] =>
  // It was parsed from JSON.
  Array.isArray(list) ? (list.filter(isObject) as Given[]) : []

/** The value as it is. */
export const same: Conversion = { tell: (value) => value, empty: null }

/** A list as it is. */
export const listed: Conversion = { tell: (value) => value, empty: [] }

/** A field that the sandbox is never without. */
export const filled = ({ empty: _, ...conversion }: Conversion = same): Conversion => conversion

/** A field for which null means this. */
export const orElse = (conversion: Conversion, empty: Json): Conversion => ({
  ...conversion,
  empty,
})

interface Digits {
  readonly sign: '' | '-'
  /** Without leading zeros, but one digit. */
  readonly whole: string
  /** Without trailing zeros. */
  readonly fraction: string
}

/** The digits of a number, be they written `12.5`, `1.25e1` or as a JSON number. */
const readDecimal = (value: Json, path: string): Digits => {
  const decimal = parseDecimal(String(value))
  if (!decimal) throw new WriteRefusal('This is no decimal number.', path)
  const [whole = '', fraction = ''] = formatDecimal(decimal).replace('-', '').split('.')
  return {
    sign: decimal.unscaled < 0n ? '-' : '',
    whole,
    fraction: fraction.replace(/0+$/, ''),
  }
}

const checkSize = (
  { whole, fraction }: Digits,
  most: { readonly whole: number; readonly fraction: number },
  path: string,
): void => {
  // Rounding would write an amount that nobody gave.
  if (fraction.length > most.fraction)
    throw new WriteRefusal(`The sandbox keeps ${most.fraction} decimals.`, path)
  if (whole.length > most.whole)
    throw new WriteRefusal(`The sandbox keeps ${most.whole} digits before the point.`, path)
}

/** An amount of money: `12.5` is `'12.50'`. */
export const money: Conversion = {
  tell: (value, path) => {
    const decimal = readDecimal(value, path)
    checkSize(decimal, { whole: 10, fraction: 2 }, path)
    return `${decimal.sign}${decimal.whole}.${decimal.fraction.padEnd(2, '0')}`
  },
  empty: null,
}

/** A rate of exchange: `0.9150` is `'0.915'`. */
export const rate: Conversion = {
  tell: (value, path) => {
    const decimal = readDecimal(value, path)
    checkSize(decimal, { whole: 6, fraction: 6 }, path)
    if (decimal.sign === '-') throw new WriteRefusal('A rate is not negative.', path)
    return [decimal.whole, decimal.fraction].filter((digits) => digits !== '').join('.')
  },
  empty: '1',
}

/** A count that the sandbox keeps as a number. */
export const quantity: Conversion = {
  tell: (value, path) => {
    const { sign, whole, fraction } = readDecimal(value, path)
    // A number of JSON is exact to 15 digits.
    if (whole.length + fraction.length > 15)
      throw new WriteRefusal('The sandbox keeps 15 digits of a number.', path)
    return Number(`${sign}${whole}.${fraction}`)
  },
  empty: null,
}

/**
 * One of the sandbox's words: by ours (`{ delivery: 'SHIPPING' }`), or, where the field has the app's own
 * words, by itself. Upper and lower case are alike.
 */
export const word = (words: Readonly<Record<string, string>> | readonly string[]): Conversion => {
  const pairs = Array.isArray(words) ? words.map((own) => [own, own]) : Object.entries(words)
  return {
    tell: (value, path) => {
      const upper = String(value).toUpperCase()
      const found = pairs.find(([, ours]) => ours?.toUpperCase() === upper)
      if (found?.[0] !== undefined) return found[0]
      const known = pairs.map(([, ours]) => ours).join(', ')
      throw new WriteRefusal(`The sandbox takes one of ${known}.`, path)
    },
    empty: null,
  }
}

/** The currencies that the sandbox does business in. */
export const currency = filled(word(['EUR', 'GBP', 'USD', 'SEK', 'CHF', 'CAD']))
