/** Lets a connector be checked with an access token that was issued elsewhere, such as in the app's developer portal. */
import type { CredentialField } from '../../../src/definition/auth.ts'
import { methodOf, valueNames } from '../../../src/definition/authenticate.ts'
import type { Connector } from '../../../src/definition/connector.ts'

const ACCESS_TOKEN: CredentialField = { doc: 'An access token of the app.', secret: true }
const RETURNED: CredentialField = {
  doc: 'A value of the authorization.',
  secret: false,
  optional: true,
}

/**
 * The connector with one of its ways to connect replaced: `accessToken`, and what an authorization would return, are
 * entered like the other values. A method that has no token stays as it is.
 */
export const withEnteredToken = (connector: Connector, methodName: string): Connector => {
  const method = methodOf(connector.auth, methodName)
  if (!method || method.type === 'apiKey') return connector
  const { baseUrl, request } = method
  const fields = {
    ...Object.fromEntries(valueNames(method).map((name) => [name, RETURNED])),
    ...method.fields,
    accessToken: ACCESS_TOKEN,
  }
  const entered = { type: 'apiKey', fields, baseUrl, request } as const
  return { ...connector, auth: { ...connector.auth, [methodName]: entered } }
}
