/** Decimal arithmetic on JSON numbers: amounts are exact to the last digit. */

const SCALE = 10
const ONE = 10n ** BigInt(SCALE)

/** A value in ten-billionths (`SCALE` digits), as an integer. */
type Scaled = bigint

const toScaled = (value: number): Scaled => BigInt(value.toFixed(SCALE).replace('.', ''))

const divideRounded = (value: bigint, by: bigint): bigint => {
  const half = by / 2n
  return value < 0n ? -((-value + half) / by) : (value + half) / by
}

const toNumber = (value: Scaled): number => Number(value) / Number(ONE)

export const sum = (values: readonly number[]): number =>
  toNumber(values.map(toScaled).reduce((total, value) => total + value, 0n))

export const multiply = (a: number, b: number): number =>
  toNumber(divideRounded(toScaled(a) * toScaled(b), ONE))

/** Rounds half away from zero. */
export const round = (value: number, digits: number): number => {
  const step = 10n ** BigInt(SCALE - digits)
  return toNumber(divideRounded(toScaled(value), step) * step)
}
