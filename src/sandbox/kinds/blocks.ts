/** The building blocks of the sandbox's records. */
import { z } from 'zod'

// PostgreSQL keeps neither U+0000 nor half a surrogate pair.
const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes('\0')

const stored = (max: number): z.ZodString => z.string().max(max).refine(isStorable)

/** A line of text that says something. */
export const line = (): z.ZodString => stored(250).min(1)

/** A line of text, or null. */
export const lineOrNull = () => line().nullable().default(null)

/** A text of several lines, or null. */
export const prose = () => stored(20_000).nullable().default(null)

/** An amount of money: `'1234.50'`. */
export const money = () => z.string().regex(/^-?\d{1,10}\.\d{2}$/)

/** A percentage: `'23'`, `'7.5'`. */
export const percent = () => rate().refine((digits) => Number(digits) <= 100)

/** A rate: `'0.9150'`. */
export const rate = () => z.string().regex(/^\d{1,6}(?:\.\d{1,6})?$/)

/** A calendar day: `'2026-05-04'`. */
export const day = () => z.iso.date()

/** An instant, with any offset. */
export const instant = () => z.iso.datetime({ offset: true })

/** The currencies that the sandbox does business in. */
export const currency = () => z.enum(['EUR', 'GBP', 'USD', 'SEK', 'CHF', 'CAD'])

/** An e-mail address. */
export const email = () => z.email().max(250)

/** A web address. */
export const webAddress = () =>
  z
    .url({ protocol: /^https?$/ })
    .max(1000)
    .refine(isStorable)

const several = <T extends z.ZodType>(entry: T) => z.array(entry).max(100).default([])

/** A list of up to 100 entries; empty unless given. */
export const list = several

const place = {
  city: lineOrNull(),
  region: lineOrNull(),
  postcode: lineOrNull(),
}

/** Where a party in the books is reached. */
export const address = z.object({
  kind: z.enum(['billing', 'delivery']),
  line1: line(),
  line2: lineOrNull(),
  ...place,
  region_code: lineOrNull(),
  country: z
    .string()
    .regex(/^[A-Z]{2}$/)
    .nullable()
    .default(null),
})

/** Where an organisation or a person of the CRM is. */
export const location = z.object({
  label: lineOrNull(),
  street: lineOrNull(),
  ...place,
  country: lineOrNull(),
})

/** Where a parcel or a letter of the shop goes. */
export const postal = z.object({
  given_name: lineOrNull(),
  family_name: lineOrNull(),
  line1: line(),
  line2: lineOrNull(),
  ...place,
  country: z.string().regex(/^[A-Z]{2}$/),
  phone: lineOrNull(),
})

/** A telephone number and what it is for. */
export const phone = z.object({
  use: z.enum(['work', 'mobile', 'fax', 'home']),
  number: line(),
})

/** An e-mail address and what it is for. */
export const mailbox = z.object({ use: lineOrNull(), address: email() })
