/** The bodies of new and changed variants. */
import { type Json, WriteRejection } from '../../definition/connector.ts'
import { isObject } from '../../definition/value.ts'
import { priceOf, type RawVariant } from './product.ts'

/** A JSON object of a request. */
type Body = { readonly [name: string]: Json }

/** A variant in the input of a write. */
export interface InputVariant {
  /** Medusa's id of an existing variant; undefined: a new one. */
  readonly id: string | undefined
  /** The path in the input: `variants[0]`. */
  readonly at: string
  readonly parts: Body
}

/** The variants of a write; undefined if the write does not include them. */
export const variantsOf = (input: Json | undefined): readonly InputVariant[] | undefined => {
  if (input === undefined) return
  // Safe: the engine has validated a list of variants, or null.
  return ((input ?? []) as readonly Body[]).map(({ id, remoteId, ...parts }, index) => {
    const known = remoteId ?? id
    return { id: typeof known === 'string' ? known : undefined, at: `variants[${index}]`, parts }
  })
}

/** The options of a variant: `{ Size: 'L' }`. @throws WriteRejection if one has no name or value */
export const optionsOf = ({ parts, at }: InputVariant): Readonly<Record<string, string>> => {
  // Safe: the engine has validated a list of options, or null.
  const entries = (parts.optionValues ?? []) as readonly Body[]
  return Object.fromEntries(
    entries.map(({ name, value }) => {
      if (typeof name === 'string' && typeof value === 'string') return [name, value]
      throw new WriteRejection('Each option needs a name and a value.', `${at}.optionValues`)
    }),
  )
}

// A JSON number is exact up to 15 digits.
const EXACT_DIGITS = 15

/** @throws WriteRejection if there is no amount, or a JSON number would round it */
const amountOf = ({ parts: { price }, at }: InputVariant): number => {
  const digits = String(price ?? '')
  if (digits === '') throw new WriteRejection('Medusa requires a price.', `${at}.price`)
  if (digits.replaceAll(/\D/g, '').length > EXACT_DIGITS)
    throw new WriteRejection(`Medusa stores at most ${EXACT_DIGITS} digits.`, `${at}.price`)
  return Number(digits)
}

const weightOf = ({ parts: { weight }, at }: InputVariant): Body => {
  if (weight === undefined) return {}
  // Safe: the engine has validated a weight, or null.
  const { value = null, unit } = isObject(weight) ? (weight as Body) : {}
  if (unit) throw new WriteRejection('Medusa stores no unit.', `${at}.weight.unit`)
  return { weight: value }
}

const skuOf = ({ parts: { sku } }: InputVariant): Body => (sku === undefined ? {} : { sku })

/** The body of a new variant. */
export const newVariant = (input: InputVariant, currency: string): Body => {
  const options = optionsOf(input)
  return {
    title: input.parts.title ?? (Object.values(options).join(' / ') || 'Default'),
    prices: [{ currency_code: currency, amount: amountOf(input) }],
    options,
    ...skuOf(input),
    ...weightOf(input),
  }
}

/** The prices of a variant after a change; Medusa deletes those that an update omits. */
const changedPrices = (input: InputVariant, raw: RawVariant, currency: string): Body => {
  if (input.parts.price === undefined) return {}
  const amount = amountOf(input)
  const present = priceOf(raw, currency)
  if (present?.amount === amount) return {}
  const others = (raw.prices ?? [])
    .filter((price) => price !== present && !price.price_list_id)
    .map(({ id, currency_code, amount: unchanged, rules = {} }) => ({
      id,
      currency_code,
      amount: unchanged,
      ...(Object.keys(rules).length > 0 && { rules }),
    }))
  return {
    prices: [...others, { ...(present && { id: present.id }), currency_code: currency, amount }],
  }
}

/** The body of an update of a variant: its id and what changes. */
export const changedVariant = (input: InputVariant, raw: RawVariant, currency: string): Body => {
  const { title, optionValues } = input.parts
  if (title === null) throw new WriteRejection('Medusa requires a title.', `${input.at}.title`)
  return {
    id: raw.id,
    ...(title !== undefined && { title }),
    ...(optionValues !== undefined && { options: optionsOf(input) }),
    ...skuOf(input),
    ...weightOf(input),
    ...changedPrices(input, raw, currency),
  }
}
