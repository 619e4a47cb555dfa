/** Requests with access tokens: each is sent with the current token, and again if the app has rejected it. */
import { methodOf } from '../definition/authenticate.ts'
import type { AppResponse, Connector } from '../definition/connector.ts'
import type { StoredTokens, TokenSet } from '../definition/token-set.ts'
import { AppAuthenticationError } from './app-error.ts'
import type { AppCredential, RequestFacts } from './compose-request.ts'

/** Tokens that a request can use. */
export type UsableTokens = StoredTokens & { readonly tokens: TokenSet }

/** A request that needs an access token. */
export interface TokenRequest {
  readonly connector: Connector
  readonly credential: AppCredential
  readonly facts: RequestFacts
  readonly signal: AbortSignal | undefined
}

/** The access tokens of credentials. */
export interface TokenSource {
  /**
   * The tokens for a request. Those that expire soon are renewed first.
   * @throws AppAuthenticationError if the app issues none, AppError if they cannot be renewed now
   */
  current(request: TokenRequest): Promise<UsableTokens>
  /**
   * Newer tokens than those that the app has rejected; undefined: there are none, and the rejection has another cause.
   * @throws as `current`
   */
  renew(request: TokenRequest, rejected: UsableTokens): Promise<UsableTokens | undefined>
}

const fill = (credential: AppCredential, { tokens }: UsableTokens): AppCredential => ({
  ...credential,
  values: { ...credential.values, ...tokens.values, accessToken: tokens.accessToken },
})

/**
 * Sends a request with the values of the current tokens, and once more with new ones if the app rejects these. A
 * credential whose method has no tokens is used as it is.
 */
export const withTokens = async (
  source: TokenSource | undefined,
  request: TokenRequest,
  send: (credential: AppCredential) => Promise<AppResponse>,
): Promise<AppResponse> => {
  const { connector, credential } = request
  const method = methodOf(connector.auth, credential.method)
  if (!source || !method || method.type === 'apiKey') return send(credential)
  const tokens = await source.current(request)
  const sendAgain = async (): Promise<AppResponse | undefined> => {
    const renewed = await source.renew(request, tokens)
    return renewed && send(fill(credential, renewed))
  }
  let response: AppResponse
  try {
    response = await send(fill(credential, tokens))
  } catch (error) {
    const second = error instanceof AppAuthenticationError ? await sendAgain() : undefined
    if (second) return second
    throw error
  }
  // A response that is passed on unchanged, whatever its status.
  return response.status === 401 ? ((await sendAgain()) ?? response) : response
}
