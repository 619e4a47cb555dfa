/**
 * How a connector authenticates: the ways to connect an app, the values that each needs, and what they add to a
 * request. These are declarations. The engine sends the requests of a login, stores the tokens and renews them.
 */

import type { AppRequest, AppResponse } from './steps.ts'
import { trimTrailing } from './value.ts'

/**
 * `normalize` of the address of a server: without spaces around it, slashes at its end, and the path of the API.
 * @param apiPath `/admin-api`; requests contain it
 */
export const serverAddress =
  (apiPath = '') =>
  (text: string): string => {
    const address = trimTrailing(text.trim(), '/')
    return address.endsWith(apiPath) ? address.slice(0, address.length - apiPath.length) : address
  }

/** One value that an end user enters to connect the app. */
export interface CredentialField {
  /** The name that people read: "API key". Default: the field's name in words. */
  readonly label?: string
  readonly doc: string
  readonly secret: boolean
  readonly example?: string
  /** The end user may leave the value out. What contains it is then left out of requests. */
  readonly optional?: true
  /** The form of the value in requests, e.g. an address without the path of the API. Pure. */
  normalize?(value: string): string
}

/**
 * The values of a credential, by name: the fields that the end user entered, values that a login returned, such as
 * the id of a company, and `accessToken` for the methods that have one.
 */
export type CredentialValues = Readonly<Record<string, string>>

/**
 * A text with the names of values in braces: `Bearer {accessToken}`, `https://{shop}.myshopify.com/admin`.
 * In a URL, a value at the start is an address, `{instanceUrl}/services`; any other stands for a part and is
 * encoded. A URL contains no secret.
 */
export type Template = string

/** What authenticates a request. */
export interface RequestCredentials {
  readonly headers?: Readonly<Record<string, Template>>
  readonly query?: Readonly<Record<string, Template>>
  /** HTTP Basic. */
  readonly basic?: { readonly user: Template; readonly password: Template }
}

interface Method {
  /** The name that people read, if an app has several methods: "Sign in with QuickBooks". */
  readonly label?: string
  /** The values that the end user enters, by name. */
  readonly fields: Readonly<Record<string, CredentialField>>
  readonly baseUrl: Template
  readonly request: RequestCredentials
}

/** The values that the end user enters authenticate each request: an API key, or a user name and password. */
export interface KeyMethod extends Method {
  readonly type: 'apiKey'
}

/** An access token that the entered values buy, again whenever it expires or the app rejects it. */
export interface SessionMethod extends Method {
  readonly type: 'session'
  /** The request that logs in. Its path is relative to `baseUrl`; `request` is not added to it. */
  login(values: CredentialValues): AppRequest
  /** @throws Error if the response has no token */
  readLogin(response: AppResponse): {
    readonly accessToken: string
    /** Undefined: valid until the app rejects it. */
    readonly expiresInSeconds?: number
  }
}

/** The token endpoint of an authorization server, and how the OAuth client authenticates there. */
interface TokenEndpoint {
  readonly tokenUrl: Template
  readonly clientAuthentication: 'basic' | 'body'
  /** The scopes that the connector needs; the integrator's OAuth client may name others. */
  readonly scopes: readonly string[]
  /** Default: a space, as RFC 6749 has it. */
  readonly scopeSeparator?: ' ' | ','
  /** Parameters that the app adds to the standard ones of a token request. */
  readonly tokenParameters?: Readonly<Record<string, string>>
  /** How long an access token is valid if the response does not say; undefined: until the app rejects it. */
  readonly defaultLifetimeSeconds?: number
}

/** OAuth 2 client credentials. The entered values may provide the client: `{clientId}`, `{clientSecret}`. */
export interface ClientCredentialsMethod extends Method, TokenEndpoint {
  readonly type: 'clientCredentials'
  readonly client: { readonly id: Template; readonly secret: Template }
}

/** One of several accounts that an access token opens, such as the companies of a user. */
export interface AppAccount {
  /** The app's own id of the account. */
  readonly id: string
  /** The name that the end user knows it by. */
  readonly label: string
  /** The values that the account adds to the credential. */
  readonly values: CredentialValues
}

/** OAuth 2 authorization code. The OAuth client is the integrator's; it is configured for an environment. */
export interface OAuthMethod extends Method, TokenEndpoint {
  readonly type: 'oauth2'
  readonly authorizationUrl: Template
  /** RFC 7009; the token is revoked when the credential is deleted. */
  readonly revocationUrl?: Template
  /** The issuer that the authorization response must name (RFC 9207), for servers that name it. */
  readonly issuer?: Template
  /** `none` only for apps that reject the parameters of PKCE. */
  readonly pkce: 'S256' | 'none'
  readonly authorizationParameters?: Readonly<Record<string, string>>
  /** Values in the query of the callback, by name: `{ realmId: 'realmId' }`. They are not secret. */
  readonly callbackValues?: Readonly<Record<string, string>>
  /**
   * Values in the token response, by name: `{ instanceUrl: 'instance_url' }`. A refresh reads them again. They are
   * not secret.
   */
  readonly tokenValues?: Readonly<Record<string, string>>
  /** Lists the accounts that the token opens. The end user chooses one of several. */
  readonly accounts?: {
    readonly request: AppRequest
    /** The base URL of the request, if the credential's own needs a value of the account. */
    readonly baseUrl?: Template
    /** The names of the values that an account adds to the credential. They are not secret. */
    readonly valueNames: readonly string[]
    /** @throws Error if the response has an unexpected form */
    read(response: AppResponse): readonly AppAccount[]
  }
  /**
   * `rotating`: each refresh returns a new refresh token · `constant`: the first one stays valid · `none`: the access
   * token does not expire.
   */
  readonly refresh: 'rotating' | 'constant' | 'none'
  /** How long a refresh token that was replaced is still accepted; a lost response is survived within it. Default: 0. */
  readonly refreshGraceSeconds?: number
}

/** One way to connect an app. */
export type AuthMethod = KeyMethod | SessionMethod | ClientCredentialsMethod | OAuthMethod

/** The ways to connect an app, by name; the first is offered first. */
export type AuthMethods = Readonly<Record<string, AuthMethod>>
