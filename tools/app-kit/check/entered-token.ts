/** Lets a connector be checked with an access token that was issued elsewhere, such as in the app's developer portal. */
import type { AuthMethod, CredentialField } from '../../../src/definition/auth.ts'
import { methodOf } from '../../../src/definition/authenticate.ts'
import type { Connector } from '../../../src/definition/connector.ts'

const ACCESS_TOKEN: CredentialField = { doc: 'An access token of the app.', secret: true }

/** The values that a login or an authorization adds to those that the end user enters; they are not secret. */
const addedValues = (method: AuthMethod): readonly string[] =>
  method.type === 'oauth2'
    ? [
        ...Object.keys(method.callbackValues ?? {}),
        ...Object.keys(method.tokenValues ?? {}),
        ...(method.accounts?.valueNames ?? []),
      ]
    : []

/**
 * The connector with one of its ways to connect replaced: `accessToken`, and what an authorization would return, are
 * entered like the other values. A method that has no token stays as it is.
 */
export const withEnteredToken = (connector: Connector, methodName: string): Connector => {
  const method = methodOf(connector.auth, methodName)
  if (!method || method.type === 'apiKey') return connector
  const added = addedValues(method).map((name) => [
    name,
    { doc: 'A value of the authorization.', secret: false, optional: true } as const,
  ])
  const { baseUrl, request } = method
  const fields = {
    ...method.fields,
    ...Object.fromEntries(added),
    accessToken: ACCESS_TOKEN,
  }
  const entered = { type: 'apiKey', fields, baseUrl, request } as const
  return { ...connector, auth: { ...connector.auth, [methodName]: entered } }
}
