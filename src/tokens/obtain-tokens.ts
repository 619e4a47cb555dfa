/** How each method obtains its next tokens: a refresh, a grant for the client, or a login. */
import type { AuthMethod, SessionMethod } from '../definition/auth.ts'
import { normalize } from '../definition/authenticate.ts'
import type { TokenSet } from '../definition/token-set.ts'
import { AppAuthenticationError, AppRefusedError } from '../outbound/app-error.ts'
import type { AppClient } from '../outbound/http.ts'
import { malformedResponse } from '../outbound/malformed-response.ts'
import type { TokenEndpoint } from '../outbound/oauth/token-endpoint.ts'
import type { TokenRequest } from '../outbound/token-source.ts'
import type { OAuthClient, OAuthClientKey } from '../store/accounts/oauth-clients.ts'

/** The dependencies of obtaining tokens. */
export interface ObtainOptions {
  readonly endpoint: TokenEndpoint
  readonly login: AppClient['login']
  readonly loadClient: (key: OAuthClientKey) => Promise<OAuthClient | undefined>
  /** The database's clock. */
  readonly nowMs: () => number
}

const logIn = async (
  { login, nowMs }: ObtainOptions,
  method: SessionMethod,
  { connector, credential, facts }: TokenRequest,
  signal: AbortSignal,
): Promise<TokenSet> => {
  const startedMs = nowMs()
  const buildRequest = () => {
    try {
      return method.login(credential.values)
    } catch {
      // The error itself may contain a value.
      throw new AppAuthenticationError({ ...facts, reason: 'its values are not those of a login' })
    }
  }
  const request = buildRequest()
  const response = await login(connector, credential, request, signal)
  try {
    const { accessToken, expiresInSeconds } = method.readLogin(response)
    if (expiresInSeconds === undefined) return { accessToken, values: {} }
    const expiresAt = new Date(startedMs + expiresInSeconds * 1000).toISOString()
    return { accessToken, expiresAt, values: {} }
  } catch {
    throw malformedResponse(
      connector,
      { request, response },
      'the response to the login has no token',
    )
  }
}

const refresh = async (
  { endpoint, loadClient }: ObtainOptions,
  method: AuthMethod & { readonly type: 'oauth2' },
  { connector, credential, facts }: TokenRequest,
  before: TokenSet | undefined,
  signal: AbortSignal,
): Promise<TokenSet> => {
  if (before?.refreshToken === undefined)
    throw new AppAuthenticationError({
      ...facts,
      reason: 'its access token has expired, and the app has issued no refresh token',
    })
  const { environmentId = '', values } = credential
  const client = await loadClient({ environmentId, app: connector.app })
  if (!client)
    throw new AppRefusedError(
      { ...facts, reason: 'no OAuth client is configured for the app in this environment' },
      'refused',
    )
  const tokens = { ...before, refreshToken: before.refreshToken }
  const subject = { connector, method, values: normalize(method, values) }
  return endpoint.refresh(subject, client, tokens, signal)
}

/** Obtains the next tokens of a credential. @throws AppError; APP_AUTHENTICATION: the app issues no more */
export const obtainTokens = async (
  options: ObtainOptions,
  method: AuthMethod,
  request: TokenRequest,
  before: TokenSet | undefined,
  signal: AbortSignal,
): Promise<TokenSet> => {
  const { connector, credential } = request
  switch (method.type) {
    case 'oauth2':
      return refresh(options, method, request, before, signal)
    case 'session':
      return logIn(options, method, request, signal)
    case 'clientCredentials':
      try {
        const subject = { connector, method, values: normalize(method, credential.values) }
        return await options.endpoint.requestClientCredentials(subject, signal)
      } catch (error) {
        // The end user entered the client that the app rejects.
        throw error instanceof AppRefusedError ? new AppAuthenticationError(error) : error
      }
    case 'apiKey':
      throw new TypeError(`The method of ${connector.app} has no tokens.`)
  }
}
