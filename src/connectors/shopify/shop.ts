/** The settings of a shop that amounts and times depend on. */
import { defineContext } from '../../definition/context.ts'
import { rootFields } from '../../definition/graphql.ts'
import { textsAt } from '../../definition/raw-values.ts'
import { query } from './graphql.ts'

/** The context of a credential: the currency of amounts without one, such as the price of a variant, and the time zone. */
export const shop = defineContext({
  version: 1,
  *read() {
    const fields = rootFields(yield query('query { shop { currencyCode ianaTimezone } }', {}))
    const [currency] = textsAt(fields, 'shop.currencyCode')
    const [timeZone] = textsAt(fields, 'shop.ianaTimezone')
    if (currency === undefined || timeZone === undefined)
      throw new Error('Shopify returned no currency or no time zone of the shop.')
    return { currency, timeZone }
  },
})
