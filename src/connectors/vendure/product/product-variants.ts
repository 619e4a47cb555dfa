/** Inputs for the new and changed variants of a product. */
import { type Json, WriteRejection } from '../../../definition/connector.ts'
import { unitsOf } from '../money.ts'
import type { ShopCatalogue } from '../shop.ts'
import { isStockTracked, priceOf, type RawVariant, stockOf } from './product.ts'

/** The shop settings for writing texts, prices and stock. */
export type Shop = ShopCatalogue & { readonly defaultLanguageCode: string }

/** A GraphQL input object. */
export type VariantInput = { readonly [name: string]: Json }

interface InputOption {
  readonly name?: string | null
  readonly value?: string | null
}

/** A variant in the input of a write. */
export interface InputVariant {
  readonly id?: string | null
  readonly remoteId?: string | null
  readonly title?: string | null
  readonly price?: string | null
  readonly sku?: string | null
  readonly optionValues?: readonly InputOption[] | null
  readonly inventory?: { readonly totalCount?: number | null } | null
}

/** A variant and its path in the input. */
export interface VariantEntry {
  readonly variant: InputVariant
  /** The path, e.g. `variants.0`. */
  readonly at: string
}

/** The options of a variant, by group: `Size` → `L`. */
export type Options = ReadonlyMap<string, string>

/** The variants of a write; undefined if the write does not include them. */
export const variantsOf = (input: Json | undefined): readonly VariantEntry[] | undefined =>
  input === undefined
    ? undefined
    : // Safe: the engine has validated a list of variants, or null.
      ((input ?? []) as readonly InputVariant[]).map((variant, index) => ({
        variant,
        at: `variants.${index}`,
      }))

const byName = (a: InputOption, b: InputOption): number =>
  String(a.name) < String(b.name) ? -1 : 1

/**
 * The variants of a write in the form of a listing, with options sorted by name (NOTES "a product takes
 * several calls").
 */
export const listedVariants = (input: Json | undefined): Json | undefined =>
  variantsOf(input)?.map(({ variant }) => {
    const optionValues = variant.optionValues?.toSorted(byName)
    // Safe: the input in another order.
    return { ...variant, ...(optionValues && { optionValues }) } as Json
  })

/**
 * The options of an input variant.
 * @throws WriteRejection if an option has no name or value, or two have the same name
 */
export const optionsOf = ({ variant, at }: VariantEntry): Options => {
  const options = new Map<string, string>()
  for (const { name, value } of variant.optionValues ?? []) {
    if (!name || !value || options.has(name))
      throw new WriteRejection(
        'each option needs a value and a name that no other option of the variant has',
        `${at}.optionValues`,
      )
    options.set(name, value)
  }
  return options
}

/** The options of an existing variant. */
export const chosenBy = ({ options }: RawVariant): Options =>
  new Map(options.map(({ name, group }) => [group.name, name]))

/** Whether two variants have the same options. */
export const isSameChoice = (a: Options, b: Options): boolean =>
  a.size === b.size && [...a].every(([name, option]) => b.get(name) === option)

/** The ids of the stock locations of a variant. */
type Locations = readonly string[] | undefined

const stockInput = (
  { variant, at }: VariantEntry,
  counted: boolean,
  locations: Locations,
): VariantInput => {
  const { inventory } = variant
  if (inventory === undefined || inventory?.totalCount === undefined)
    return inventory === null && counted ? { trackInventory: 'FALSE' } : {}
  const { totalCount } = inventory
  if (totalCount === null) return counted ? { trackInventory: 'FALSE' } : {}
  const [location, ...others] = locations ?? []
  if (others.length > 0)
    throw new WriteRejection(
      'the variant has several stock locations, so Vendure cannot set the total; change the stock in Vendure',
      `${at}.inventory.totalCount`,
    )
  return {
    ...(!counted && { trackInventory: 'TRUE' }),
    ...(location === undefined
      ? { stockOnHand: totalCount }
      : { stockLevels: [{ stockLocationId: location, stockOnHand: totalCount }] }),
  }
}

/** A `CreateProductVariantInput` without product and options. */
export const newVariant = (entry: VariantEntry, productName: string, shop: Shop): VariantInput => {
  const { variant, at } = entry
  if (variant.price === undefined || variant.price === null)
    throw new WriteRejection(
      'a new variant needs a price; Vendure would set it to 0',
      `${at}.price`,
    )
  const name = variant.title ?? [productName, ...optionsOf(entry).values()].join(' ')
  return {
    translations: [{ languageCode: shop.defaultLanguageCode, name }],
    sku: variant.sku ?? '',
    price: unitsOf(variant.price, shop.moneyStrategyPrecision, `${at}.price`),
    ...stockInput(entry, shop.globalTrackInventory, undefined),
  }
}

/** An `UpdateProductVariantInput` with only the changed fields and without its id. */
export const changedVariant = (
  entry: VariantEntry,
  raw: RawVariant,
  shop: Shop,
  locations: readonly string[],
): VariantInput => {
  const { variant, at } = entry
  const { title, price, sku, optionValues, inventory } = variant
  if (optionValues !== undefined && !isSameChoice(optionsOf(entry), chosenBy(raw)))
    throw new WriteRejection('Vendure cannot change the options of a variant', `${at}.optionValues`)
  if (title === null) throw new WriteRejection('Vendure requires a title', `${at}.title`)
  if (price === null) throw new WriteRejection('Vendure requires a price', `${at}.price`)

  const precision = shop.moneyStrategyPrecision
  const units = price === undefined ? undefined : unitsOf(price, precision, `${at}.price`)
  const before = priceOf(raw, shop)
  const counted = isStockTracked(raw, shop)
  const isStockSame = counted && inventory?.totalCount === stockOf(raw)
  return {
    ...(title !== undefined &&
      title !== raw.name && {
        translations: [{ languageCode: shop.defaultLanguageCode, name: title }],
      }),
    ...(units !== undefined && units !== before && { price: units }),
    ...(sku !== undefined && (sku ?? '') !== raw.sku && { sku: sku ?? '' }),
    ...(!isStockSame && stockInput(entry, counted, locations)),
  }
}
