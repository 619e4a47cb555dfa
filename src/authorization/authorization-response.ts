/** The response to an authorization: what the app returns in the query of the redirect URI. */
import type { CredentialValues, OAuthMethod } from '../definition/auth.ts'
import { normalize } from '../definition/authenticate.ts'
import { fillUrl } from '../definition/fill-template.ts'

/** The authorization failed. The message is shown to the end user and contains no secret. */
export class AuthorizationError extends Error {
  override readonly name = 'AuthorizationError'
  readonly code = 'AUTHORIZATION_FAILED'
}

/** A code with the values that came with it, or the end user's refusal. */
export type AuthorizationResponse =
  | { readonly kind: 'denied' }
  | { readonly kind: 'code'; readonly code: string; readonly values: CredentialValues }

/** The error codes of RFC 6749, section 4.1.2.1, are short words; anything else is not repeated. */
const describeError = (error: string): string =>
  /^[a-z_]{1,64}$/.test(error) ? `it answered with the error ${error}` : 'it answered with an error'

/** A parameter that may occur once (RFC 6749, section 3.1). @throws AuthorizationError */
const readOnce = (parameters: URLSearchParams, name: string): string | undefined => {
  const [value, ...others] = parameters.getAll(name)
  if (others.length > 0)
    throw new AuthorizationError(`The response of the app repeats the parameter ${name}.`)
  return value === '' ? undefined : value
}

/** RFC 9207, section 2.4: a response of another issuer is not sent to this one's token endpoint. */
const checkIssuer = (
  method: OAuthMethod,
  entered: CredentialValues,
  parameters: URLSearchParams,
): void => {
  const named = readOnce(parameters, 'iss')
  const { issuer } = method
  if (issuer !== undefined && named !== fillUrl(issuer, normalize(method, entered)))
    throw new AuthorizationError('The response is from another authorization server.')
}

/**
 * Reads the response, whose state has been checked.
 * @throws AuthorizationError if it is from another issuer, reports an error or lacks a value
 */
export const readAuthorizationResponse = (
  appName: string,
  method: OAuthMethod,
  entered: CredentialValues,
  parameters: URLSearchParams,
): AuthorizationResponse => {
  checkIssuer(method, entered, parameters)
  const error = readOnce(parameters, 'error')
  if (error === 'access_denied') return { kind: 'denied' }
  if (error !== undefined)
    throw new AuthorizationError(
      `${appName} did not authorize the connection: ${describeError(error)}.`,
    )
  const code = readOnce(parameters, 'code')
  if (code === undefined) throw new AuthorizationError(`The response of ${appName} has no code.`)
  const values = Object.entries(method.callbackValues ?? {}).map(([name, parameter]) => {
    const value = readOnce(parameters, parameter)
    if (value === undefined)
      throw new AuthorizationError(`The response of ${appName} has no ${parameter}.`)
    return [name, value] as const
  })
  return { kind: 'code', code, values: Object.fromEntries(values) }
}
