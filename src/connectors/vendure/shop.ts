/** Shop settings that the mappings need, queried with the first page of each listing. */
import { type Values, valuesOf } from './graphql.ts'

/**
 * A query for shop settings. Use few root fields: each verifies the API key (NOTES "every root field
 * verifies the key").
 */
export interface ShopQuery<Settings extends ShopSettings = ShopSettings> {
  /** Root fields to select in addition to the list. */
  readonly query: string
  /** @throws Error if the response lacks a setting */
  read(root: Values): Settings
}

/** Shop settings, kept in the cursor between pages and added to each raw record under Vendure's names. */
export type ShopSettings = { readonly [name: string]: string | number | boolean }

/** The unit of all amounts of a shop. */
export type MoneyUnit = {
  /** Amounts are integers of 10^-this (NOTES "amounts are integers of a unit that the shop sets"). */
  readonly moneyStrategyPrecision: number
}

/** The query for the unit of amounts. */
export const moneyUnit: ShopQuery<MoneyUnit> = {
  query: 'globalSettings { serverConfig { moneyStrategyPrecision } }',
  read: ({ globalSettings }) => {
    const { moneyStrategyPrecision } = valuesOf(valuesOf(globalSettings).serverConfig)
    if (typeof moneyStrategyPrecision !== 'number')
      throw new Error('Vendure returned no precision of amounts (moneyStrategyPrecision).')
    return { moneyStrategyPrecision }
  },
}

/** The settings that define prices and stock. */
export type ShopCatalogue = MoneyUnit & {
  /** The default currency of the channel's prices. */
  readonly defaultCurrencyCode: string
  /** Whether the prices of variants include tax. */
  readonly pricesIncludeTax: boolean
  /** The value that a variant with `trackInventory: INHERIT` uses. */
  readonly globalTrackInventory: boolean
}

/** The query for the settings that define prices and stock. */
export const catalogue: ShopQuery<ShopCatalogue> = {
  query: `activeChannel { defaultCurrencyCode pricesIncludeTax }
    globalSettings { trackInventory serverConfig { moneyStrategyPrecision } }`,
  read: (root) => {
    const { defaultCurrencyCode, pricesIncludeTax } = valuesOf(root.activeChannel)
    if (typeof defaultCurrencyCode !== 'string')
      throw new Error('Vendure returned no currency of the channel (defaultCurrencyCode).')
    return {
      ...moneyUnit.read(root),
      defaultCurrencyCode,
      pricesIncludeTax: pricesIncludeTax === true,
      globalTrackInventory: valuesOf(root.globalSettings).trackInventory !== false,
    }
  },
}
