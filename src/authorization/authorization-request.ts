/** The request of an authorization: the URL that the service redirects the end user's browser to. */
import { hash, randomBytes } from 'node:crypto'
import type { CredentialValues, OAuthMethod } from '../definition/auth.ts'
import { fillUrl } from '../definition/fill-template.ts'
import { joinScopes } from '../outbound/oauth/token-endpoint.ts'

/** 256 random bits, which need no slow hash. */
export const newSecret = (): string => randomBytes(32).toString('base64url')

/** The single-use part of the URL that starts an authorization. The log redacts texts of this form. */
export const newTicket = (): string => `tl_auth_${randomBytes(24).toString('hex')}`

/** The stored form of tickets, states and cookies: SHA-256, hex. */
export const hashSecret = (secret: string): string => hash('sha256', secret, 'hex')

/**
 * The name of the cookie that binds a browser to a state, so that several authorizations can be open at a time. Over
 * https, no subdomain and no page on http can set it (RFC 6265bis, section 4.1.3.2).
 */
export const cookieName = (publicUrl: string, state: string): string =>
  `${publicUrl.startsWith('https:') ? '__Host-' : ''}trunkline-oauth-${hashSecret(state).slice(0, 16)}`

/** The redirect URI, which is registered with the app and sent unchanged. */
export const redirectUriOf = (publicUrl: string): string => `${publicUrl}/oauth/callback`

interface AuthorizationRequest {
  readonly method: OAuthMethod
  readonly values: CredentialValues
  readonly clientId: string
  readonly scopes: readonly string[]
  readonly publicUrl: string
  readonly state: string
  readonly verifier: string | undefined
}

/** RFC 6749, section 4.1.1; RFC 7636, section 4.3. A URL without an origin is one of this service. */
export const authorizationUrl = ({
  method,
  values,
  clientId,
  scopes,
  publicUrl,
  state,
  verifier,
}: AuthorizationRequest): string => {
  const declared = fillUrl(method.authorizationUrl, values)
  const url = new URL(declared.startsWith('/') ? publicUrl + declared : declared)
  const parameters = {
    ...method.authorizationParameters,
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUriOf(publicUrl),
    ...(scopes.length > 0 && { scope: joinScopes(method, scopes) }),
    state,
    ...(verifier !== undefined && {
      code_challenge: hash('sha256', verifier, 'base64url'),
      code_challenge_method: 'S256',
    }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}
