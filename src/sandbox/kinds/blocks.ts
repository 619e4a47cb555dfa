/** Field schemas that the kinds of the sandbox share. */
import { z } from 'zod'
import { plainDecimal } from '../../definition/decimal.ts'
import { digitsInput } from '../../definition/kinds/digits.ts'
import { isStorableText } from '../../definition/value.ts'
import { amount, units } from '../amounts.ts'

/** A non-empty line of text. */
export const line = () => z.string().min(1).max(250).refine(isStorableText)

/** A line of text, or null. */
export const lineOrNull = () => line().nullable().default(null)

/** The digits of a decimal number, from text or a JSON number, if they match a pattern. */
const digits = (pattern: RegExp) =>
  // Safe cast: other values are rejected.
  (digitsInput as z.ZodType<string, string | number>)
    .transform(plainDecimal)
    .pipe(z.string().regex(pattern))

/** An amount of money with at most four decimals, stored with two to four: `'1234.50'`, `'0.125'`. */
export const money = () =>
  digits(/^-?\d{1,10}(?:\.\d{1,4}0{0,20})?$/).transform((text) => amount(units(text)))

/** An amount of money, or null. */
export const moneyOrNull = () => money().nullable().default(null)

/** A rate: `'0.9150'`. */
export const rate = () => digits(/^\d{1,6}(?:\.\d{1,6})?$/)

/** A percentage: `'23'`, `'7.5'`. */
export const percent = () => rate().refine((text) => Number(text) <= 100)

/** An e-mail address, as permissive as mail servers, including non-ASCII characters. */
export const email = () => line().regex(/^[^\s@]+@[^\s@]+$/)

/** A list of up to 100 entries. Default: empty. */
export const list = <T extends z.ZodType>(entry: T) => z.array(entry).max(100).default([])
