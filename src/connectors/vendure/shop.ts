/** What must be known of a shop to read its amounts: asked once a listing, with its first page. */
import { type Values, valuesOf } from './graphql.ts'

/** Something to ask of the shop. Each root field costs the shop a check of the key (NOTES 3). */
export interface ShopQuestion<Answer extends ShopAnswer = ShopAnswer> {
  /** Root fields beside the list. */
  readonly query: string
  /** @throws Error if the answer does not tell */
  read(root: Values): Answer
}

/** Kept in the mark between pages, and given to each record under Vendure's own names. */
export type ShopAnswer = { readonly [name: string]: string | number | boolean }

export type MoneyUnit = {
  /** Amounts are integers of 10^-this, whatever the currency (NOTES 22). */
  readonly moneyStrategyPrecision: number
}

/** The unit of amounts. */
export const moneyUnit: ShopQuestion<MoneyUnit> = {
  query: 'globalSettings { serverConfig { moneyStrategyPrecision } }',
  read: ({ globalSettings }) => {
    const { moneyStrategyPrecision } = valuesOf(valuesOf(globalSettings).serverConfig)
    if (typeof moneyStrategyPrecision !== 'number')
      throw new Error('Vendure does not tell the precision of its amounts.')
    return { moneyStrategyPrecision }
  },
}

export type Catalogue = MoneyUnit & {
  /** The currency of the channel's prices, unless another is asked for. */
  readonly defaultCurrencyCode: string
  /** Whether the prices of variants include tax. */
  readonly pricesIncludeTax: boolean
  /** What a variant's `trackInventory: INHERIT` stands for. */
  readonly globalTrackInventory: boolean
}

/** What prices and stocks mean in this shop. */
export const catalogue: ShopQuestion<Catalogue> = {
  query: `activeChannel { defaultCurrencyCode pricesIncludeTax }
    globalSettings { trackInventory serverConfig { moneyStrategyPrecision } }`,
  read: (root) => {
    const { defaultCurrencyCode, pricesIncludeTax } = valuesOf(root.activeChannel)
    if (typeof defaultCurrencyCode !== 'string')
      throw new Error('Vendure does not tell the currency of its channel.')
    return {
      ...moneyUnit.read(root),
      defaultCurrencyCode,
      pricesIncludeTax: pricesIncludeTax === true,
      globalTrackInventory: valuesOf(root.globalSettings).trackInventory !== false,
    }
  },
}
