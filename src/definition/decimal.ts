/** Exact decimal numbers, parsed from and formatted as strings of digits. */

/**
 * A decimal number in the input of an app or a caller: `12`, `-0.5`, `.5`, `5.`, `1.50e2`. It accepts every
 * other form below. It runs in linear time: no two parts can match the same digits.
 */
export const DECIMAL = /^-?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,3})?$/

/**
 * A decimal number in a query parameter. The OpenAPI document declares it as `number`, so `.5` and `5.` are
 * invalid, as in JSON. Its length is bounded, because it becomes part of a comparison in SQL.
 */
export const JSON_DECIMAL = /^-?\d{1,30}(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?$/i

/**
 * A value of a `numeric` column, which PostgreSQL writes without an exponent. Cursors contain it. The OpenAPI
 * document publishes the pattern, so it is limited to syntax that all regular expression dialects share.
 */
export const COLUMN_DECIMAL = /^-?\d+(\.\d+)?$/

/** The spelling that PostgreSQL uses for a `numeric`: no leading zeros and no sign on a zero. */
const CANONICAL_DECIMAL = /^(?!-[0.]+$)-?(?:0|[1-9]\d*)(?:\.\d+)?$/

/** A decimal number, `unscaled` · 10^-`scale`: `12.50` is 1250 at scale 2, and `1e3` is 1 at scale -3. */
export interface Decimal {
  readonly unscaled: bigint
  readonly scale: number
}

/** Parses a decimal number; undefined if the text is not one. */
export const parseDecimal = (text: string): Decimal | undefined => {
  if (!DECIMAL.test(text)) return
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { unscaled: BigInt(whole + fraction), scale: fraction.length - Number(exponent) }
}

/**
 * The decimal with all digits and without an exponent, as PostgreSQL writes a `numeric`: 150 at scale 1 is
 * `15.0`.
 */
export const formatDecimal = ({ unscaled, scale }: Decimal): string => {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale))
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/**
 * A decimal in the form of a `numeric` column, with all its digits: `1.50e1` is `15.0`.
 * @throws TypeError if the text is not a decimal number
 */
export const plainDecimal = (text: string): string => {
  if (CANONICAL_DECIMAL.test(text)) return text
  const decimal = parseDecimal(text)
  if (decimal) return formatDecimal(decimal)
  throw new TypeError('A number field of a record contains a value that is not a number.')
}

/** The unscaled value at another scale; undefined if digits would be lost (`1.25` at scale 1). */
export const rescale = ({ unscaled, scale }: Decimal, newScale: number): bigint | undefined => {
  if (newScale >= scale) return unscaled * 10n ** BigInt(newScale - scale)
  const unit = 10n ** BigInt(scale - newScale)
  return unscaled % unit === 0n ? unscaled / unit : undefined
}

/** The exact difference `a` - `b`. */
export const subtractDecimals = (a: Decimal, b: Decimal): Decimal => {
  const scale = Math.max(a.scale, b.scale)
  const unscaledAt = (decimal: Decimal) => decimal.unscaled * 10n ** BigInt(scale - decimal.scale)
  return { unscaled: unscaledAt(a) - unscaledAt(b), scale }
}

/** Compares two decimals: negative, 0 or positive if `a` is less than, equal to or greater than `b`. */
export const compareDecimals = (a: Decimal, b: Decimal): number => {
  const { unscaled } = subtractDecimals(a, b)
  return unscaled < 0n ? -1 : unscaled > 0n ? 1 : 0
}
