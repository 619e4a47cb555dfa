/** What is to be changed of an order, told from what it is. */
import { type Json, WriteRefusal } from '../../definition/connector.ts'
import { type RawAddress, type RawOrder, splitName, unifiedAddress } from './order.ts'

type Input = { readonly [name: string]: Json }

/** Vendure's fields of an address but the name, by the unified ones. */
const addressFields = {
  address1: 'streetLine1',
  address2: 'streetLine2',
  city: 'city',
  countryCode: 'countryCode',
  phone: 'phoneNumber',
  region: 'province',
  postalCode: 'postalCode',
} as const

/**
 * The one name that Vendure keeps, which is read back as its last word and the words before it.
 * @throws WriteRefusal if it would be read back otherwise than it was given
 */
const joinName = (firstName: string | null, lastName: string | null, field: string): string => {
  const fullName = [firstName, lastName].filter(Boolean).join(' ')
  const read = splitName(fullName)
  const other =
    read.lastName !== lastName ? 'lastName' : read.firstName !== firstName ? 'firstName' : undefined
  if (other !== undefined)
    throw new WriteRefusal(
      `Vendure keeps one name, and its last word is the last name; it can be given as ${JSON.stringify(read)}`,
      `${field}.${other}`,
    )
  return fullName
}

/**
 * An `UpdateOrderAddressInput`, which leaves out what stays; undefined if all does.
 * @throws WriteRefusal if Vendure cannot take it off the order
 */
export const addressChange = (
  given: Json | undefined,
  raw: RawAddress | null,
  field: string,
): Input | undefined => {
  if (given === undefined) return undefined
  if (given === null) throw new WriteRefusal('Vendure takes no address off an order', field)
  // The engine has checked it: an object of texts and nulls.
  const wanted = given as Readonly<Record<string, string | null>>
  const current: Readonly<Record<string, string | null>> = { ...unifiedAddress(raw) }
  const toBe = (name: string): string | null =>
    (wanted[name] === undefined ? current[name] : wanted[name]) || null
  const changes = (name: string): boolean => toBe(name) !== (current[name] ?? null)

  if (changes('countryCode') && toBe('countryCode') === null)
    throw new WriteRefusal('an address in Vendure keeps its country', `${field}.countryCode`)
  const input: Record<string, Json> = {}
  for (const [name, remote] of Object.entries(addressFields))
    if (changes(name)) input[remote] = toBe(name)
  if (changes('firstName') || changes('lastName'))
    input.fullName = joinName(toBe('firstName'), toBe('lastName'), field)
  return Object.keys(input).length > 0 ? input : undefined
}

interface GivenLine {
  readonly variantId?: string | null
  readonly quantity?: number | null
}

/** A line's variant and how many of it there are to be. */
const checkLine = ({ variantId, quantity }: GivenLine, field: string) => {
  if (typeof variantId !== 'string')
    throw new WriteRefusal('a line is named by its variant', `${field}.variantId`)
  if (typeof quantity !== 'number' || quantity < 0)
    throw new WriteRefusal('a line needs a quantity of 0 or more', `${field}.quantity`)
  return { variantId, quantity }
}

/**
 * The lines that get another quantity and those that are new, by the list as it is to be. A line goes
 * by quantity 0, and never by being left out: who sends one line must not lose the others.
 * @throws WriteRefusal if a line is left out, or stands there twice
 */
export const lineChanges = (given: Json | undefined, { lines }: Pick<RawOrder, 'lines'>): Input => {
  if (given === undefined) return {}
  const left = [...lines]
  const added = new Map<string, number>()
  const adjusted: Json[] = []
  // The engine has checked it: a list of lines, or null.
  for (const [index, entry] of ((given ?? []) as readonly GivenLine[]).entries()) {
    const field = `lineItems.${index}`
    const { variantId, quantity } = checkLine(entry, field)
    const place = left.findIndex(({ productVariant }) => productVariant.id === variantId)
    const [line] = place < 0 ? [] : left.splice(place, 1)
    if (line) {
      if (line.quantity !== quantity) adjusted.push({ orderLineId: line.id, quantity })
      continue
    }
    if (added.has(variantId) || lines.some(({ productVariant }) => productVariant.id === variantId))
      throw new WriteRefusal('the variant has a line already', `${field}.variantId`)
    if (quantity > 0) added.set(variantId, quantity)
  }
  const lost = left.find(({ quantity }) => quantity > 0)
  if (lost)
    throw new WriteRefusal(
      `the line of ${lost.productVariant.name} is left out; it goes by quantity 0`,
      'lineItems',
    )
  return {
    ...(adjusted.length > 0 && { adjustOrderLines: adjusted }),
    ...(added.size > 0 && {
      addItems: [...added].map(([productVariantId, quantity]) => ({ productVariantId, quantity })),
    }),
  }
}
