/** What must be known of the shop to read its amounts: asked once a listing, with its first page. */
import { type Values, valuesOf } from './graphql.ts'

/** Kept in the mark between pages; each record gets it under Vendure's own names. */
export type Shop = {
  /** Amounts are integers of 10^-this. */
  readonly moneyStrategyPrecision: number
  /** The currency that the channel prices in unless asked otherwise. */
  readonly defaultCurrencyCode: string
  /** Whether the prices of variants include tax; amounts of orders are asked for with it. */
  readonly pricesIncludeTax: boolean
  /** What a variant's `trackInventory: INHERIT` stands for. */
  readonly trackInventory: boolean
}

/** Root fields beside the list; each costs a check of the key (NOTES 3). */
export const SHOP_QUERY = `
  activeChannel { defaultCurrencyCode pricesIncludeTax }
  globalSettings { trackInventory serverConfig { moneyStrategyPrecision } }`

/** Reads the answer to `SHOP_QUERY`. @throws Error if it is not there */
export const readShop = (root: Values): Shop => {
  const { defaultCurrencyCode, pricesIncludeTax } = valuesOf(root.activeChannel)
  const { trackInventory, serverConfig } = valuesOf(root.globalSettings)
  const { moneyStrategyPrecision } = valuesOf(serverConfig)
  if (typeof defaultCurrencyCode !== 'string' || typeof moneyStrategyPrecision !== 'number')
    throw new Error('Vendure does not tell the currency and the money precision of its shop.')
  return {
    moneyStrategyPrecision,
    defaultCurrencyCode,
    pricesIncludeTax: pricesIncludeTax === true,
    trackInventory: trackInventory !== false,
  }
}
