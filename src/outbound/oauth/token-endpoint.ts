/** Requests to the token endpoint of an authorization server, one function per grant. */
import {
  allowInsecureRequests,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  processGenericTokenEndpointResponse,
  type TokenEndpointResponse,
} from 'oauth4webapi'
import type {
  ClientCredentialsMethod,
  CredentialValues,
  OAuthMethod,
} from '../../definition/auth.ts'
import type { Connector } from '../../definition/connector.ts'
import { fillText, fillUrl } from '../../definition/fill-template.ts'
import { parseJson } from '../../definition/parse-json.ts'
import type { TokenSet } from '../../definition/token-set.ts'
import {
  AppAddressError,
  AppAuthenticationError,
  AppUnavailableError,
  factsOf,
} from '../app-error.ts'
import type { Exchange, ExchangeResponse } from '../exchange.ts'
import { toAppError } from '../exchange-failure.ts'
import { createReasonRedactor } from '../read-response.ts'
import { readTokenFailure } from './token-failure.ts'

/** The OAuth client of this service at the token endpoint. */
export interface TokenClient {
  readonly clientId: string
  readonly clientSecret: string
}

/** The credential that the tokens are for. */
export interface TokenSubject<Method> {
  readonly connector: Pick<Connector, 'app' | 'name'>
  readonly method: Method
  /** The values that fill the address of the endpoint. */
  readonly values: CredentialValues
}

/** The result of an authorization. */
export interface AuthorizationCode {
  readonly code: string
  /** Exactly as in the authorization request. */
  readonly redirectUri: string
  /** Undefined: the app does not support PKCE. */
  readonly codeVerifier: string | undefined
}

/** Requests tokens. @throws AppError APP_AUTHENTICATION | APP_REFUSED | APP_RATE_LIMITED | APP_UNAVAILABLE | APP_ADDRESS */
export interface TokenEndpoint {
  /** RFC 6749, section 4.1.3. */
  exchangeCode(
    subject: TokenSubject<OAuthMethod>,
    client: TokenClient,
    code: AuthorizationCode,
    signal?: AbortSignal,
  ): Promise<TokenSet>
  /** RFC 6749, section 6. What the response leaves out stays as it was. */
  refresh(
    subject: TokenSubject<OAuthMethod>,
    client: TokenClient,
    tokens: TokenSet & { readonly refreshToken: string },
    signal?: AbortSignal,
  ): Promise<TokenSet>
  /** RFC 6749, section 4.4. */
  requestClientCredentials(
    subject: TokenSubject<ClientCredentialsMethod>,
    signal?: AbortSignal,
  ): Promise<TokenSet>
}

export interface TokenEndpointOptions {
  readonly exchange: Exchange
  /** The database's clock. */
  readonly nowMs: () => number
}

type EndpointMethod = OAuthMethod | ClientCredentialsMethod

interface Grant {
  readonly type: 'authorization_code' | 'refresh_token' | 'client_credentials'
  readonly parameters: Readonly<Record<string, string>>
  readonly client: TokenClient
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const readObject = ({ text }: ExchangeResponse): Readonly<Record<string, unknown>> | undefined => {
  try {
    const body = parseJson(text)
    return isObject(body) ? body : undefined
  } catch {
    return undefined
  }
}

/** The members of a token response that this service uses. Apps leave out the token type, and add ID tokens. */
const relevantMembers = ({
  id_token,
  scope,
  expires_in,
  ...body
}: Readonly<Record<string, unknown>>) => ({
  token_type: 'Bearer',
  ...body,
  ...(expires_in !== null && { expires_in }),
})

/** A value of the response as text; undefined if it is not a text or a number. */
const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : undefined

const readValues = (method: EndpointMethod, response: TokenEndpointResponse): CredentialValues =>
  Object.fromEntries(
    Object.entries(method.type === 'oauth2' ? (method.tokenValues ?? {}) : {}).flatMap(
      ([name, member]) => {
        const text = textOf(response[member])
        return text === undefined ? [] : [[name, text]]
      },
    ),
  )

/** The scopes as a parameter. */
export const joinScopes = (
  { scopeSeparator = ' ' }: Pick<EndpointMethod, 'scopeSeparator'>,
  scopes: readonly string[],
): string => scopes.join(scopeSeparator)

/** The address of the token endpoint. @throws AppAddressError */
const locate = (
  connector: TokenSubject<EndpointMethod>['connector'],
  { tokenUrl }: EndpointMethod,
  values: CredentialValues,
): URL => {
  const facts = factsOf(connector, { method: 'POST', path: '/' })
  try {
    const url = new URL(fillUrl(tokenUrl, values))
    if (['https:', 'http:'].includes(url.protocol)) return url
  } catch {
    // The error of the URL parser contains the value.
  }
  throw new AppAddressError({
    ...facts,
    reason: 'its values contain no address of a token endpoint',
  })
}

/** The client that the entered values provide. @throws AppAuthenticationError */
const enteredClient = ({
  connector,
  method,
  values,
}: TokenSubject<ClientCredentialsMethod>): TokenClient => {
  try {
    const { id, secret } = method.client
    return { clientId: fillText(id, values), clientSecret: fillText(secret, values) }
  } catch {
    const facts = factsOf(connector, { method: 'POST', path: '/' })
    throw new AppAuthenticationError({ ...facts, reason: 'its values contain no OAuth client' })
  }
}

/** Creates the client of token endpoints. */
export const createTokenEndpoint = ({ exchange, nowMs }: TokenEndpointOptions): TokenEndpoint => {
  const request = async (
    { connector, method, values }: TokenSubject<EndpointMethod>,
    { type, parameters, client }: Grant,
    before: TokenSet | undefined,
    signal: AbortSignal | undefined,
  ): Promise<TokenSet> => {
    const url = locate(connector, method, values)
    const facts = factsOf(connector, { method: 'POST', path: url.pathname })
    const { clientId, clientSecret } = client
    const authenticate =
      method.clientAuthentication === 'basic'
        ? ClientSecretBasic(clientSecret)
        : ClientSecretPost(clientSecret)
    const server = { issuer: url.origin, token_endpoint: url.href }
    const redact = createReasonRedactor([clientSecret, ...Object.values(parameters)])
    const sentMs = nowMs()
    const send = async (
      href: string,
      {
        headers,
        body,
      }: { readonly headers: Record<string, string>; readonly body: URLSearchParams },
    ): Promise<Response> => {
      const outgoing = { method: 'POST', url: new URL(href), headers, body: body.toString() }
      const httpResponse = await exchange.send(outgoing, signal)
      try {
        const object = readObject(httpResponse)
        const failure = readTokenFailure(httpResponse, object, facts, redact)
        if (failure) throw failure
        return Response.json(relevantMembers(object ?? {}))
      } finally {
        httpResponse.release()
      }
    }
    try {
      const all = { ...method.tokenParameters, ...parameters }
      const oauthClient = { client_id: clientId }
      const httpResponse = await genericTokenEndpointRequest(
        server,
        oauthClient,
        authenticate,
        type,
        all,
        {
          // The exchange decides which addresses are allowed.
          [allowInsecureRequests]: true,
          [customFetch]: send,
        },
      )
      const response = await processGenericTokenEndpointResponse(server, oauthClient, httpResponse)
      const { access_token: accessToken, refresh_token: refreshToken = before?.refreshToken } =
        response
      const lifetimeSeconds = response.expires_in ?? method.defaultLifetimeSeconds
      const hasExpiry = !(method.type === 'oauth2' && method.refresh === 'none')
      return {
        accessToken,
        ...(refreshToken !== undefined && { refreshToken }),
        ...(lifetimeSeconds !== undefined &&
          hasExpiry && { expiresAt: new Date(sentMs + lifetimeSeconds * 1000).toISOString() }),
        values: { ...before?.values, ...readValues(method, response) },
      }
    } catch (error) {
      if (signal?.aborted) throw error
      const known = toAppError(error, facts)
      if (known) throw known
      // The library's errors contain the response.
      const reason = 'the response is not a token response'
      throw new AppUnavailableError({ ...facts, reason }, 'malformed')
    }
  }

  return {
    exchangeCode: (subject, client, { code, redirectUri, codeVerifier }, signal) => {
      const parameters = {
        code,
        redirect_uri: redirectUri,
        ...(codeVerifier !== undefined && { code_verifier: codeVerifier }),
      }
      return request(subject, { type: 'authorization_code', parameters, client }, undefined, signal)
    },
    refresh: (subject, client, tokens, signal) => {
      const parameters = { refresh_token: tokens.refreshToken }
      return request(subject, { type: 'refresh_token', parameters, client }, tokens, signal)
    },
    requestClientCredentials: async (subject, signal) => {
      const { method } = subject
      const client = enteredClient(subject)
      const scope = joinScopes(method, method.scopes)
      const parameters = { ...(scope !== '' && { scope }) }
      return request(subject, { type: 'client_credentials', parameters, client }, undefined, signal)
    },
  }
}
