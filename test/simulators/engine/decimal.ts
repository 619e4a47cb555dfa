/** Decimal arithmetic on JSON numbers: amounts are exact to the last digit. */

const SCALE_DIGITS = 10
const ONE = 10n ** BigInt(SCALE_DIGITS)

/** A value in ten-billionths (`SCALE` digits), as an integer. */
type Scaled = bigint

const toScaled = (value: number): Scaled => BigInt(value.toFixed(SCALE_DIGITS).replace('.', ''))

const divideRounded = (value: bigint, divisor: bigint): bigint => {
  const half = divisor / 2n
  return value < 0n ? -((-value + half) / divisor) : (value + half) / divisor
}

const toNumber = (value: Scaled): number => Number(value) / Number(ONE)

export const sum = (values: readonly number[]): number =>
  toNumber(values.map(toScaled).reduce((total, value) => total + value, 0n))

export const multiply = (a: number, b: number): number =>
  toNumber(divideRounded(toScaled(a) * toScaled(b), ONE))

/** Rounds half away from zero. */
export const round = (value: number, digits: number): number => {
  const step = 10n ** BigInt(SCALE_DIGITS - digits)
  return toNumber(divideRounded(toScaled(value), step) * step)
}
