/** The context of a company: what its records leave out (NOTES "currencies"). */
import type { AppRequest, AppResponse } from '../../definition/connector.ts'
import { defineContext } from '../../definition/context.ts'
import { withQuery } from '../../definition/paging/pager.ts'
import { type Values, valuesAt, valuesOf } from '../../definition/raw-values.ts'

/** The request for the company info, which a company has once. */
export const selectCompanyInfo: AppRequest = {
  method: 'GET',
  path: withQuery('/query', { query: 'SELECT * FROM CompanyInfo' }),
}

/** The company info in that response; empty if there is none. */
export const companyInfoIn = ({ body }: AppResponse): Values =>
  valuesOf(valuesAt(body, 'QueryResponse.CompanyInfo').flat()[0])

const textOf = (value: unknown, name: string): string => {
  if (typeof value === 'string') return value
  throw new Error(`The company has no ${name}.`)
}

/** The context of an account: the id of its company info, its home currency, and whether it uses others. */
export const company = defineContext({
  version: 1,
  *read() {
    const info = companyInfoIn(yield selectCompanyInfo)
    const preferences = valuesOf((yield { method: 'GET', path: '/preferences' }).body)
    const { HomeCurrency, MultiCurrencyEnabled } = valuesOf(
      valuesOf(preferences.Preferences).CurrencyPrefs,
    )
    return {
      companyId: textOf(info.Id, 'id'),
      currency: textOf(valuesOf(HomeCurrency).value, 'home currency'),
      isMultiCurrency: MultiCurrencyEnabled === true,
    }
  },
})
