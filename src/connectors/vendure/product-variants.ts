/** The variants of a product, as Vendure takes them: those that it has, and new ones. */
import { type Json, WriteRefusal } from '../../definition/connector.ts'
import { unitsOf } from './money.ts'
import { isCounted, priceOf, type RawVariant, stockOf } from './product.ts'
import type { Catalogue } from './shop.ts'

/** What must be known to write texts, prices and stocks. */
export type Shop = Catalogue & { readonly defaultLanguageCode: string }

export type Input = { readonly [name: string]: Json }

interface GivenOption {
  readonly name?: string | null
  readonly value?: string | null
}

/** A variant of a write. */
export interface GivenVariant {
  readonly id?: string | null
  readonly remoteId?: string | null
  readonly title?: string | null
  readonly price?: string | null
  readonly sku?: string | null
  readonly optionValues?: readonly GivenOption[] | null
  readonly inventory?: { readonly totalCount?: number | null } | null
}

/** A variant and where it stands in the write. */
export interface Placed {
  readonly variant: GivenVariant
  /** `variants.0`. */
  readonly at: string
}

/** What a variant is told apart by: `Size` → `L`. */
export type Options = ReadonlyMap<string, string>

/** The variants of a write; undefined if they are left as they are. */
export const variantsOf = (given: Json | undefined): readonly Placed[] | undefined =>
  given === undefined
    ? undefined
    : // The engine has checked it: a list of variants, or null.
      ((given ?? []) as readonly GivenVariant[]).map((variant, index) => ({
        ...{ variant, at: `variants.${index}` },
      }))

const byName = (a: GivenOption, b: GivenOption): number =>
  String(a.name) < String(b.name) ? -1 : 1

/** The variants of a write as they are listed: the choices of each by name (NOTES 37). */
export const listedVariants = (given: Json | undefined): Json | undefined =>
  variantsOf(given)?.map(({ variant }) => {
    const optionValues = variant.optionValues?.toSorted(byName)
    // What was given, in another order.
    return { ...variant, ...(optionValues && { optionValues }) } as Json
  })

/** @throws WriteRefusal if a choice has no name or value, or two have the same name */
export const optionsOf = ({ variant, at }: Placed): Options => {
  const options = new Map<string, string>()
  for (const { name, value } of variant.optionValues ?? []) {
    if (!name || !value || options.has(name))
      throw new WriteRefusal('each choice has a name of its own and a value', `${at}.optionValues`)
    options.set(name, value)
  }
  return options
}

/** What a variant of the product chooses. */
export const chosenBy = ({ options }: RawVariant): Options =>
  new Map(options.map(({ name, group }) => [group.name, name]))

export const isSameChoice = (a: Options, b: Options): boolean =>
  a.size === b.size && [...a].every(([name, option]) => b.get(name) === option)

/** Where the stock of a variant is kept. */
type Locations = readonly string[] | undefined

const stockInput = ({ variant, at }: Placed, counted: boolean, locations: Locations): Input => {
  const { inventory } = variant
  if (inventory === undefined || inventory?.totalCount === undefined)
    return inventory === null && counted ? { trackInventory: 'FALSE' } : {}
  const { totalCount } = inventory
  if (totalCount === null) return counted ? { trackInventory: 'FALSE' } : {}
  const [location, ...others] = locations ?? []
  if (others.length > 0)
    throw new WriteRefusal(
      'the stock is kept in several places, and a sum does not say in which it changes',
      `${at}.inventory.totalCount`,
    )
  return {
    ...(!counted && { trackInventory: 'TRUE' }),
    ...(location === undefined
      ? { stockOnHand: totalCount }
      : { stockLevels: [{ stockLocationId: location, stockOnHand: totalCount }] }),
  }
}

/** A `CreateProductVariantInput`, but for its product and its options. */
export const newVariant = (placed: Placed, productName: string, shop: Shop): Input => {
  const { variant, at } = placed
  if (variant.price === undefined || variant.price === null)
    throw new WriteRefusal('without one, Vendure would give the variant away', `${at}.price`)
  const name = variant.title ?? [productName, ...optionsOf(placed).values()].join(' ')
  return {
    translations: [{ languageCode: shop.defaultLanguageCode, name }],
    sku: variant.sku ?? '',
    price: unitsOf(variant.price, shop.moneyStrategyPrecision, `${at}.price`),
    ...stockInput(placed, shop.globalTrackInventory, undefined),
  }
}

/** An `UpdateProductVariantInput`, but for its id, which leaves out what stays. */
export const changedVariant = (
  placed: Placed,
  raw: RawVariant,
  shop: Shop,
  locations: readonly string[],
): Input => {
  const { variant, at } = placed
  const { title, price, sku, optionValues, inventory } = variant
  if (optionValues !== undefined && !isSameChoice(optionsOf(placed), chosenBy(raw)))
    throw new WriteRefusal('a variant keeps the choices it was made for', `${at}.optionValues`)
  if (title === null) throw new WriteRefusal('a variant of Vendure has a name', `${at}.title`)
  if (price === null) throw new WriteRefusal('a variant keeps a price', `${at}.price`)

  const precision = shop.moneyStrategyPrecision
  const units = price === undefined ? undefined : unitsOf(price, precision, `${at}.price`)
  const before = priceOf(raw, shop)
  const counted = isCounted(raw, shop)
  const isStockSame = counted && inventory?.totalCount === stockOf(raw)
  return {
    ...(title !== undefined &&
      title !== raw.name && {
        translations: [{ languageCode: shop.defaultLanguageCode, name: title }],
      }),
    ...(units !== undefined && units !== before && { price: units }),
    ...(sku !== undefined && (sku ?? '') !== raw.sku && { sku: sku ?? '' }),
    ...(!isStockSame && stockInput(placed, counted, locations)),
  }
}
