/** Conversions of unified values to the sandbox's: amounts, rates, quantities and enumerations. */
import { type Json, WriteRefusal } from '../../definition/connector.ts'
import { formatDecimal, parseDecimal } from '../../definition/decimal.ts'
import { isObject, trimTrailing } from '../../definition/value.ts'

/** A JSON object. */
export type JsonObject = Readonly<Record<string, Json>>

/** Sets one field of the request body. @throws WriteRefusal if the field is already set to another value */
export type Put = (name: string, value: Json, path: string) => void

/** The write that a conversion is part of. */
export interface RecordDraft {
  /** The unified fields that are written. */
  readonly fields: JsonObject
  /** The stored record, with the sandbox's field names; undefined for a new record. */
  readonly stored: Readonly<Record<string, unknown>> | undefined
  readonly put: Put
}

/** Conversion of a unified value to the sandbox's value. */
export interface Conversion {
  /** @throws WriteRefusal naming the path */
  toApp(value: NonNullable<Json>, path: string, draft: RecordDraft): Json
  /** The sandbox's value for null. Without it, null is rejected. */
  readonly empty?: Json
  /** Writable fields of a nested object or of a list's objects. Default: all. */
  readonly nested?: readonly string[]
}

/** Converts a unified value, which may be null. @throws WriteRefusal naming the path */
export const convert = (
  { toApp, empty }: Conversion,
  value: Json,
  path: string,
  draft: RecordDraft,
): Json => {
  if (value !== null) return toApp(value, path, draft)
  if (empty !== undefined) return empty
  throw new WriteRefusal('The sandbox requires a value here; null is not allowed.', path)
}

/** The objects of a list in a response; empty if the value is not a list. */
export const objectsIn = (list: unknown): readonly JsonObject[] =>
  // Safe cast: the value was parsed from JSON.
  Array.isArray(list) ? (list.filter(isObject) as JsonObject[]) : []

/** Passes a value through unchanged. */
export const same: Conversion = { toApp: (value) => value, empty: null }

/** Passes a list through unchanged; null becomes an empty list. */
export const sameList: Conversion = { toApp: (value) => value, empty: [] }

/** A conversion that rejects null. */
export const required = ({ empty: _, ...conversion }: Conversion = same): Conversion => conversion

/** A conversion that sends `empty` for null. */
export const orElse = (conversion: Conversion, empty: Json): Conversion => ({
  ...conversion,
  empty,
})

interface Digits {
  readonly sign: '' | '-'
  /** Without leading zeros; at least one digit. */
  readonly whole: string
  /** Without trailing zeros. */
  readonly fraction: string
}

/** Parses a number: `12.5`, `1.25e1` or a JSON number. */
const readDecimal = (value: Json, path: string): Digits => {
  const decimal = parseDecimal(String(value))
  if (!decimal) throw new WriteRefusal('Expected a decimal number.', path)
  const [whole = '', fraction = ''] = formatDecimal(decimal).replace('-', '').split('.')
  return {
    sign: decimal.unscaled < 0n ? '-' : '',
    whole,
    fraction: trimTrailing(fraction, '0'),
  }
}

const checkSize = (
  { whole, fraction }: Digits,
  most: { readonly whole: number; readonly fraction: number },
  path: string,
): void => {
  // Rejected rather than rounded, so that no amount is changed silently.
  if (fraction.length > most.fraction)
    throw new WriteRefusal(`The sandbox stores at most ${most.fraction} decimals.`, path)
  if (whole.length > most.whole)
    throw new WriteRefusal(
      `The sandbox stores at most ${most.whole} digits before the decimal point.`,
      path,
    )
}

/** An amount of money: `12.5` becomes `'12.50'`. */
export const money: Conversion = {
  toApp: (value, path) => {
    const decimal = readDecimal(value, path)
    checkSize(decimal, { whole: 10, fraction: 4 }, path)
    return `${decimal.sign}${decimal.whole}.${decimal.fraction.padEnd(2, '0')}`
  },
  empty: null,
}

/** An exchange rate: `0.9150` becomes `'0.915'`. */
export const rate: Conversion = {
  toApp: (value, path) => {
    const decimal = readDecimal(value, path)
    checkSize(decimal, { whole: 6, fraction: 6 }, path)
    if (decimal.sign === '-') throw new WriteRefusal('An exchange rate cannot be negative.', path)
    return [decimal.whole, decimal.fraction].filter((digits) => digits !== '').join('.')
  },
  empty: '1',
}

/** A quantity, which the sandbox stores as a JSON number. */
export const quantity: Conversion = {
  toApp: (value, path) => {
    const { sign, whole, fraction } = readDecimal(value, path)
    // A JSON number is exact up to 15 digits.
    if (whole.length + fraction.length > 15)
      throw new WriteRefusal('The sandbox stores at most 15 digits of a number.', path)
    return Number(`${sign}${whole}.${fraction}`)
  },
  empty: null,
}

/**
 * An enumeration: from the unified word to the sandbox's (`{ delivery: 'SHIPPING' }`), or a list of words that
 * both share. Case-insensitive.
 */
export const enumeration = (
  words: Readonly<Record<string, string>> | readonly string[],
): Conversion => {
  const pairs = Array.isArray(words) ? words.map((own) => [own, own]) : Object.entries(words)
  return {
    toApp: (value, path) => {
      const upper = String(value).toUpperCase()
      const idOrName = pairs.find(([, ours]) => ours?.toUpperCase() === upper)
      if (idOrName?.[0] !== undefined) return idOrName[0]
      const known = pairs.map(([, ours]) => ours).join(', ')
      throw new WriteRefusal(`Expected one of ${known}.`, path)
    },
    empty: null,
  }
}

/** A currency code; null is rejected. The sandbox accepts every code of the API. */
export const currency = required()
