/** Decimal numbers by their digits: exact, however they are written. */

/** As an app, a caller or JSON may write one: `12`, `-0.5`, `.5`, `5.`, `1.50e2`. */
export const DECIMAL = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d{1,3})?$/

/** `unscaled` · 10^-`scale`: `12.50` is 1250 at scale 2, and `1e3` is 1 at scale -3. */
export interface Decimal {
  readonly unscaled: bigint
  readonly scale: number
}

/** Undefined if the text is no decimal number. */
export const parseDecimal = (text: string): Decimal | undefined => {
  if (!DECIMAL.test(text)) return
  const [mantissa = '', exponent = '0'] = text.toLowerCase().split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  return { unscaled: BigInt(whole + fraction), scale: fraction.length - Number(exponent) }
}

/** All its digits without an exponent, as PostgreSQL's `numeric` writes it: `15.0` of 150 at scale 1. */
export const formatDecimal = ({ unscaled, scale }: Decimal): string => {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale))
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  return `${unscaled < 0n ? '-' : ''}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** The unscaled value at another scale; undefined if digits would be lost: `1.25` has none at scale 1. */
export const rescale = ({ unscaled, scale }: Decimal, wanted: number): bigint | undefined => {
  if (wanted >= scale) return unscaled * 10n ** BigInt(wanted - scale)
  const unit = 10n ** BigInt(scale - wanted)
  return unscaled % unit === 0n ? unscaled / unit : undefined
}

/** Below, at or above 0, as `a` is less than, equal to or greater than `b`. */
export const compareDecimals = (a: Decimal, b: Decimal): number => {
  const scale = Math.max(a.scale, b.scale)
  const unscaledAt = (decimal: Decimal) => decimal.unscaled * 10n ** BigInt(scale - decimal.scale)
  const difference = unscaledAt(a) - unscaledAt(b)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
