/** The settings of a shop and of its channel. */
import { defineContext } from '../../definition/context.ts'
import { rootFields } from '../../definition/graphql.ts'
import { minorUnits } from '../../definition/mapping/minor-units.ts'
import type { Converter } from '../../definition/mapping/rule.ts'
import { requiredNumber, requiredText, valuesOf } from '../../definition/raw-values.ts'
import { query } from './graphql.ts'

const SETTINGS = `query {
  activeChannel { defaultCurrencyCode defaultLanguageCode pricesIncludeTax }
  globalSettings { trackInventory serverConfig { moneyStrategyPrecision } } }`

/** The context of a credential. */
export const shop = defineContext({
  version: 1,
  *read() {
    const { activeChannel, globalSettings } = rootFields(yield query(SETTINGS, {}))
    return {
      moneyStrategyPrecision: requiredNumber(globalSettings, 'serverConfig.moneyStrategyPrecision'),
      defaultCurrencyCode: requiredText(activeChannel, 'defaultCurrencyCode'),
      defaultLanguageCode: requiredText(activeChannel, 'defaultLanguageCode'),
      pricesIncludeTax: valuesOf(activeChannel).pricesIncludeTax === true,
      /** The value that a variant with `trackInventory: INHERIT` uses. */
      globalTrackInventory: valuesOf(globalSettings).trackInventory !== false,
    }
  },
})

/** The settings of a shop. */
export type Shop = ReturnType<typeof shop.of>

/** An amount, an integer of 10^-precision (NOTES "amounts are integers of a unit that the shop sets"). */
export const amount = (from: Parameters<typeof minorUnits>[0]): Converter =>
  minorUnits(from, (context) => shop.of(context).moneyStrategyPrecision)
