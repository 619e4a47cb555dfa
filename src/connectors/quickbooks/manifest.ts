/** The connector for QuickBooks Online. @see NOTES.md for the behaviour of its API */
import type { OAuthMethod } from '../../definition/auth.ts'
import { defineConnector } from '../../definition/connector.ts'
import type { RequestLimits } from '../../definition/request-limits.ts'
import { accounts } from './account.ts'
import { bills } from './bill.ts'
import { company, companyInfoIn, selectCompanyInfo } from './company.ts'
import { companies } from './company-info.ts'
import { changes } from './feed.ts'
import { invoices } from './invoice.ts'
import { items } from './item.ts'
import { customers, vendors } from './party.ts'
import { payments } from './payment.ts'
import { purchaseOrders } from './purchase-order.ts'
import { readFailure } from './read-failure.ts'
import { taxRates } from './tax-rate.ts'
import { trackingCategories } from './tracking.ts'
import { webhooks } from './webhooks.ts'

/** The way to sign in to a company on one of the two hosts (NOTES "sandbox companies"). */
const signIn = (label: string, host: string): OAuthMethod => ({
  type: 'oauth2',
  label,
  fields: {},
  authorizationUrl: 'https://appcenter.intuit.com/connect/oauth2',
  tokenUrl: 'https://oauth.platform.intuit.com/oauth2/v1/tokens/bearer',
  revocationUrl: 'https://developer.api.intuit.com/v2/oauth2/tokens/revoke',
  pkce: 'none',
  clientAuthentication: 'basic',
  scopes: ['com.intuit.quickbooks.accounting'],
  // The company that the end user has chosen.
  callbackValues: { realmId: 'realmId' },
  // NOTES "tokens"
  refresh: 'rotating',
  defaultLifetimeSeconds: 3600,
  baseUrl: `https://${host}/v3/company/{realmId}`,
  request: {
    headers: { authorization: 'Bearer {accessToken}' },
    query: { minorversion: '75' },
  },
})

/** NOTES "limits": those of a company, with a margin in each second for requests that are delayed on their way. */
const limits: RequestLimits = {
  windows: [
    { name: 'perMinute', scope: 'account', unit: 'requests', max: 500, per: 'minute' },
    { name: 'perSecond', scope: 'account', unit: 'requests', max: 8, per: 'second' },
  ],
  concurrency: { scope: 'account', max: 10 },
  // The check of a credential confirms that the token opens this company.
  account: 'realmId',
}

export const connector = defineConnector({
  app: 'quickbooks',
  name: 'QuickBooks',
  doc: 'The books of a company in QuickBooks Online.',
  auth: {
    oauth: signIn('Sign in with QuickBooks', 'quickbooks.api.intuit.com'),
    sandbox: signIn('Sandbox company of a developer', 'sandbox-quickbooks.api.intuit.com'),
  },
  readFailure,
  check: selectCompanyInfo,
  readAccountName: (response) => {
    const { CompanyName } = companyInfoIn(response)
    return typeof CompanyName === 'string' && CompanyName !== '' ? CompanyName : undefined
  },
  context: company,
  limits,
  webhooks,
  feeds: { changes },
  resources: {
    'accounting/accounts': accounts,
    'accounting/bills': bills,
    'accounting/companyInfo': companies,
    'accounting/customers': customers,
    'accounting/invoices': invoices,
    'accounting/items': items,
    'accounting/payments': payments,
    'accounting/purchaseOrders': purchaseOrders,
    'accounting/taxRates': taxRates,
    'accounting/trackingCategories': trackingCategories,
    'accounting/vendors': vendors,
  },
})
