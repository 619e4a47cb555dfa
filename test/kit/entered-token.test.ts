/** An app with OAuth is checked with an access token that was issued elsewhere. */
import { expect, test } from 'vitest'
import { connectors } from '../../src/generated/registry.ts'
import { composeRequest } from '../../src/outbound/compose-request.ts'
import { withEnteredToken } from '../../tools/app-kit/check/entered-token.ts'

const connectorOf = (app: string) => {
  const connector = connectors.get(app)
  if (!connector) throw new Error(`There is no connector ${app}.`)
  return connector
}

test.each([
  [
    'quickbooks',
    'sandbox',
    { realmId: '4620816365' },
    'https://sandbox-quickbooks.api.intuit.com/v3/company/4620816365/x?minorversion=75',
    ['authorization', 'Bearer t-1'],
  ],
  [
    'shopify',
    'oauth',
    { shop: 'my-shop.myshopify.com' },
    'https://my-shop.myshopify.com/x',
    ['x-shopify-access-token', 't-1'],
  ],
  [
    'medusa',
    'password',
    { url: 'https://shop.example.com' },
    'https://shop.example.com/x',
    ['authorization', 'Bearer t-1'],
  ],
])('%s by its method %s', (app, method, values, url, [header = '', value]) => {
  const connector = withEnteredToken(connectorOf(app), method)
  const credential = { method, values: { ...values, accessToken: 't-1' } }
  const request = { method: 'GET', path: '/x' } as const
  const facts = { app, appName: connector.name, request: 'GET /x' }
  const { outgoing, secrets } = composeRequest(connector, credential, request, facts)
  expect([String(outgoing.url), outgoing.headers[header]]).toEqual([url, value])
  expect(secrets).toContain('t-1')
  expect(secrets).not.toContain('4620816365')
})

test('a method with an entered key stays as it is', () => {
  const connector = connectorOf('gnucash')
  expect(withEnteredToken(connector, 'address')).toBe(connector)
})
