/** Labels of fields whose manifest declares none. */
import { expect, test } from 'vitest'
import { toLabel } from '../../src/definition/label.ts'

test.each([
  ['apiKey', 'API key'],
  ['url', 'URL'],
  ['shopUrl', 'Shop URL'],
  ['channelToken', 'Channel token'],
  ['clientID', 'Client ID'],
  ['companyIds', 'Company IDs'],
  ['APIKey', 'API key'],
  ['tenant', 'Tenant'],
  ['oauth2Token', 'Oauth2 token'],
])('the label of %s is %s', (name, label) => {
  expect(toLabel(name)).toBe(label)
})
