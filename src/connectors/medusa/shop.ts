/** The settings of the shop, which define the prices that are shown and written (NOTES "prices"). */
import type { AppResponse } from '../../definition/connector.ts'
import { defineContext } from '../../definition/context.ts'
import { entriesOf, valuesOf } from '../../definition/raw-values.ts'

const currencyOf = ({ body }: AppResponse): string => {
  const [store] = entriesOf(valuesOf(body).stores)
  const currencies = entriesOf(store?.supported_currencies)
  const { currency_code: code } =
    currencies.find(({ is_default }) => is_default === true) ?? currencies[0] ?? {}
  if (typeof code === 'string') return code
  throw new Error('The shop has no currency.')
}

/** The context of an account: the default currency of the shop. */
export const shop = defineContext({
  version: 1,
  *read() {
    const path = '/admin/stores?fields=id,*supported_currencies&limit=1'
    return { currency: currencyOf(yield { method: 'GET', path }) }
  },
})
