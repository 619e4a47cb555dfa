/** A shop: its name, and the settings that amounts and times depend on. */
import { defineContext } from '../../definition/context.ts'
import { rootFields } from '../../definition/graphql.ts'
import { requiredText } from '../../definition/raw-values.ts'
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
    return {
      currency: requiredText(fields, 'shop.currencyCode'),
      timeZone: requiredText(fields, 'shop.ianaTimezone'),
    }
  },
})
