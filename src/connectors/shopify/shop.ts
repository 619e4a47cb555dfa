/** A shop: its name, and the settings that amounts and times depend on. */
import { defineContext } from '../../definition/context.ts'
import { rootFields } from '../../definition/graphql.ts'
import { textsAt } from '../../definition/raw-values.ts'
import { query } from './graphql.ts'

const DOMAIN = '.myshopify.com'

/** The name of a shop: its domain without `.myshopify.com`. */
export const shopName = (text: string): string => {
  const [host = ''] = text
    .trim()
    .toLowerCase()
    .replace(/^https?:\/\//, '')
    .split('/')
  return host.endsWith(DOMAIN) ? host.slice(0, -DOMAIN.length) : host
}

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
