/** The changes of an order, computed from the input and the current order. */
import { type Json, WriteRejection } from '../../../definition/connector.ts'
import {
  addressFields,
  type RawAddress,
  type RawOrder,
  splitName,
  unifiedAddress,
} from './order.ts'

type Input = { readonly [name: string]: Json }

/**
 * The single full name that Vendure stores. The mapping splits it again before its last word.
 * @throws WriteRejection if splitting it would not return the same names
 */
const joinName = (firstName: string | null, lastName: string | null, field: string): string => {
  const fullName = [firstName, lastName].filter(Boolean).join(' ')
  const split = splitName(fullName)
  const changed =
    split.lastName !== lastName
      ? 'lastName'
      : split.firstName !== firstName
        ? 'firstName'
        : undefined
  if (changed !== undefined)
    throw new WriteRejection(
      `Vendure stores one full name, whose last word is the last name; send ${JSON.stringify(split)}`,
      `${field}.${changed}`,
    )
  return fullName
}

/**
 * An `UpdateOrderAddressInput` with the changed fields; undefined if none changes.
 * @throws WriteRejection if the input removes the address or its country
 */
export const addressChange = (
  input: Json | undefined,
  raw: RawAddress | null,
  field: string,
): Input | undefined => {
  if (input === undefined) return undefined
  if (input === null)
    throw new WriteRejection('Vendure cannot remove an address from an order', field)
  // Safe: the engine has validated an object of strings and nulls.
  const requested = input as Readonly<Record<string, string | null>>
  const current = unifiedAddress(raw)
  const newValue = (name: string): string | null =>
    (requested[name] === undefined ? current[name] : requested[name]) || null
  const changes = (name: string): boolean => newValue(name) !== (current[name] ?? null)

  if (changes('countryCode') && newValue('countryCode') === null)
    throw new WriteRejection('Vendure cannot clear the country', `${field}.countryCode`)
  const change: Record<string, Json> = {}
  for (const [name, remote] of Object.entries(addressFields))
    if (changes(name)) change[remote] = newValue(name)
  if (changes('firstName') || changes('lastName'))
    change.fullName = joinName(newValue('firstName'), newValue('lastName'), field)
  return Object.keys(change).length > 0 ? change : undefined
}

interface InputLine {
  readonly variantId?: string | null
  readonly quantity?: number | null
}

/** A line's variant and its new quantity. @throws WriteRejection if one is missing or invalid */
const checkLine = ({ variantId, quantity }: InputLine, field: string) => {
  if (typeof variantId !== 'string')
    throw new WriteRejection('a line needs the id of its variant', `${field}.variantId`)
  if (typeof quantity !== 'number' || quantity < 0)
    throw new WriteRejection('the quantity must be 0 or more', `${field}.quantity`)
  return { variantId, quantity }
}

/**
 * The adjusted and added lines, from the complete list of the input. Quantity 0 removes a line. Leaving a
 * line out is an error, so that a caller who sends one line does not lose the others.
 * @throws WriteRejection if a line is missing or a variant occurs twice
 */
export const lineChanges = (input: Json | undefined, { lines }: Pick<RawOrder, 'lines'>): Input => {
  if (input === undefined) return {}
  const remaining = [...lines]
  const added = new Map<string, number>()
  const adjusted: Json[] = []
  // Safe: the engine has validated a list of lines, or null.
  for (const [index, entry] of ((input ?? []) as readonly InputLine[]).entries()) {
    const field = `lineItems.${index}`
    const { variantId, quantity } = checkLine(entry, field)
    const place = remaining.findIndex(({ productVariant }) => productVariant.id === variantId)
    const [line] = place < 0 ? [] : remaining.splice(place, 1)
    if (line) {
      if (line.quantity !== quantity) adjusted.push({ orderLineId: line.id, quantity })
      continue
    }
    if (added.has(variantId) || lines.some(({ productVariant }) => productVariant.id === variantId))
      throw new WriteRejection('the order already has a line of this variant', `${field}.variantId`)
    if (quantity > 0) added.set(variantId, quantity)
  }
  const missing = remaining.find(({ quantity }) => quantity > 0)
  if (missing)
    throw new WriteRejection(
      `the line of ${missing.productVariant.name} is missing; send quantity 0 to remove a line`,
      'lineItems',
    )
  return {
    ...(adjusted.length > 0 && { adjustOrderLines: adjusted }),
    ...(added.size > 0 && {
      addItems: [...added].map(([productVariantId, quantity]) => ({ productVariantId, quantity })),
    }),
  }
}
