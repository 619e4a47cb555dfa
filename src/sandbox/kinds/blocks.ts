/** Field schemas that the kinds of the sandbox share. */
import { z } from 'zod'
import { currencyCodes } from '../../resources/currency-codes.ts'
import { ref } from './kind.ts'

// PostgreSQL stores neither U+0000 nor lone surrogates.
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const stored = (max: number): z.ZodString => z.string().max(max).refine(isStorable)

/** A non-empty line of text. */
export const line = (): z.ZodString => stored(250).min(1)

/** A line of text, or null. */
export const lineOrNull = () => line().nullable().default(null)

/** An amount without zeros after its second decimal. */
const trimTrailingZeros = (digits: string): string => {
  const shortest = digits.indexOf('.') + 3
  let end = digits.length
  while (end > shortest && digits[end - 1] === '0') end -= 1
  return digits.slice(0, end)
}

/** An amount of money with two to four decimals: `'1234.50'`, `'0.125'`. */
export const money = () =>
  z
    .string()
    .regex(/^-?\d{1,10}\.\d{2,4}$/)
    // Normalized, because amounts are compared as strings.
    .overwrite(trimTrailingZeros)

/** A percentage: `'23'`, `'7.5'`. */
export const percent = () => rate().refine((digits) => Number(digits) <= 100)

/** A rate: `'0.9150'`. */
export const rate = () => z.string().regex(/^\d{1,6}(?:\.\d{1,6})?$/)

/** A calendar day: `'2026-05-04'`. */
export const day = () => z.iso.date()

/** An instant, with any offset. */
export const instant = () => z.iso.datetime({ offset: true })

/** A currency code. */
export const currency = () => z.enum(currencyCodes).default('EUR')

/** A reference to the tenant's company. */
export const company = () => ref('accounting/companyInfo').default('com_0001')

/** An e-mail address, as permissive as mail servers, including non-ASCII characters. */
export const email = () => line().regex(/^[^\s@]+@[^\s@]+$/)

/** A list of up to 100 entries. Default: empty. */
export const list = <T extends z.ZodType>(entry: T) => z.array(entry).max(100).default([])
