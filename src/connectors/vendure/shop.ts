/** The settings of a shop and of its channel. */
import { defineContext } from '../../definition/context.ts'
import { rootFields } from '../../definition/graphql.ts'
import { minorUnits } from '../../definition/mapping/minor-units.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { valuesOf } from '../../definition/raw-values.ts'
import { query } from './graphql.ts'

const SETTINGS = `query {
  activeChannel { defaultCurrencyCode defaultLanguageCode pricesIncludeTax }
  globalSettings { trackInventory serverConfig { moneyStrategyPrecision } } }`

/** The context of a credential. */
export const shop = defineContext({
  version: 1,
  *read() {
    const { activeChannel, globalSettings } = rootFields(yield query(SETTINGS, {}))
    const { defaultCurrencyCode, defaultLanguageCode, pricesIncludeTax } = valuesOf(activeChannel)
    const { trackInventory, serverConfig } = valuesOf(globalSettings)
    const { moneyStrategyPrecision } = valuesOf(serverConfig)
    if (typeof moneyStrategyPrecision !== 'number')
      throw new Error('Vendure returned no precision of amounts (moneyStrategyPrecision).')
    if (typeof defaultCurrencyCode !== 'string')
      throw new Error('Vendure returned no currency of the channel (defaultCurrencyCode).')
    return {
      moneyStrategyPrecision,
      defaultCurrencyCode,
      defaultLanguageCode: String(defaultLanguageCode),
      pricesIncludeTax: pricesIncludeTax === true,
      /** The value that a variant with `trackInventory: INHERIT` uses. */
      globalTrackInventory: trackInventory !== false,
    }
  },
})

/** The settings of a shop. */
export type Shop = ReturnType<typeof shop.of>

/** An amount, an integer of 10^-precision (NOTES "amounts are integers of a unit that the shop sets"). */
export const amount = (from: Parameters<typeof minorUnits>[0]): Converter =>
  minorUnits(from, (context) => shop.of(context).moneyStrategyPrecision)
