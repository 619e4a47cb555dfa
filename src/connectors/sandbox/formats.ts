/** The numbers of the sandbox (NOTES "Amounts are decimal strings", "Amounts have two to four decimals"). */
import { orElse } from '../../definition/mapping/converters.ts'
import { decimal } from '../../definition/mapping/decimal.ts'
import type { Converter } from '../../definition/mapping/rule.ts'

/** An amount of money: `12.5` becomes `'12.50'`. */
export const money = (path: string): Converter =>
  decimal(path, { as: 'text', whole: 10, fraction: 4, padTo: 2 })

/** An exchange rate: `0.9150` becomes `'0.915'`. */
export const rate = (path: string): Converter => {
  const notNegative = { name: 'An exchange rate' }
  return orElse(decimal(path, { as: 'text', whole: 6, fraction: 6, notNegative }), '1')
}

/** A quantity, which the sandbox stores as a JSON number. */
export const quantity = (path: string): Converter => decimal(path, { as: 'number' })
