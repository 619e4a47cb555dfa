/** How a vendor's authorization server behaves. */
import type { Account } from '../accounts.ts'
import type { JsonObject } from '../json.ts'

export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: string
  /** Redirect addresses are compared exactly. */
  readonly redirectUris: readonly string[]
}

/** The facts that a token response can contain. */
export interface IssuedTokens {
  readonly accessToken: string
  readonly accessTokenSeconds: number
  /** Undefined if the vendor issues no refresh tokens. */
  readonly refreshToken: string | undefined
  /** Until the refresh token expires, if it is not used. */
  readonly refreshTokenSeconds: number
  readonly accountId: string
  readonly scopes: readonly string[]
  /** Whether the tokens were requested with a code or with a refresh token. */
  readonly grant: 'authorization_code' | 'refresh_token'
}

/** The facts that the introspection of a valid token can contain. */
export interface IntrospectedToken {
  readonly token: string
  readonly use: 'access_token' | 'refresh_token'
  readonly expiresInSeconds: number
  readonly accountId: string
  readonly clientId: string
  readonly scopes: readonly string[]
}

export interface TokenError {
  readonly status: number
  /** `invalid_grant` */
  readonly code: string
  readonly description: string
}

export interface RefreshPolicy {
  /** A refresh returns a new refresh token if the current one is at least this old. 0: always; Infinity: never. */
  readonly rotatesAfterMs: number
  /** How long a replaced refresh token is still accepted. */
  readonly graceMs: number
  /** Whether the first use of the replacement ends that time. Default: false. */
  readonly graceEndsOnUse?: boolean
  /** What the use of a replaced token does after that: it is rejected, or the whole grant is revoked as well. */
  readonly reuse: 'refused' | 'revokes-grant'
}

export interface OAuthPolicy {
  /** Path templates; several are equivalent, e.g. versions of one endpoint. */
  readonly paths: {
    readonly authorize: string
    readonly token: string | readonly string[]
    readonly revoke?: string | readonly string[]
    readonly introspect?: string | readonly string[]
  }
  /** Every scope that a client may request. */
  readonly scopes: readonly string[]
  readonly scopeSeparator: ' ' | ','
  readonly pkce: 'unsupported' | 'optional' | 'required'
  /** Where the client's id and secret may be. */
  readonly clientAuthentication: readonly ('basic' | 'body')[]
  /** The media types of token and revocation requests. */
  readonly bodies: readonly ('application/x-www-form-urlencoded' | 'application/json')[]
  readonly codeSeconds: number
  readonly accessTokenSeconds: number
  readonly refreshTokenSeconds: number
  /** Absent: no refresh tokens. */
  readonly refresh?: RefreshPolicy
  /** Parameters of OAuth that the vendor does not need; it needs them by default. */
  readonly optionalParameters?: readonly ('response_type' | 'grant_type' | 'redirect_uri')[]
  /** Parameters of the authorization request in addition to those of OAuth. */
  readonly authorizeParameters?: readonly string[]
  /** The name of the parameter with optional scopes, which are granted only to accounts that have the resources. */
  readonly optionalScopes?: {
    readonly parameter: string
    readonly isGranted: (account: Account, scope: string) => boolean
  }
  /** Parameters of the token request in addition to those of OAuth. */
  readonly tokenParameters?: readonly string[]
  /** Why the vendor rejects the parameters of a token request; undefined: it does not. */
  readonly checkTokenRequest?: (body: ReadonlyMap<string, string>) => string | undefined
  /** The account that the authorization page is for; undefined: the user chooses one. */
  readonly accountOf?: (path: Readonly<Record<string, string>>) => string | undefined
  /** Parameters of the callback in addition to `code` and `state`. */
  readonly callbackParameters?: (callback: {
    readonly accountId: string
    readonly code: string
    readonly state: string | undefined
    readonly client: OAuthClient
    readonly nowMs: number
  }) => Readonly<Record<string, string>>
  readonly tokenResponse: (issued: IssuedTokens) => JsonObject
  /** Default: `active` alone. Undefined: the token is unknown, expired or revoked. */
  readonly introspectionResponse?: (token: IntrospectedToken | undefined) => JsonObject
  /** The body of a rejected token request. Default: that of RFC 6749, section 5.2. */
  readonly errorResponse?: (error: TokenError) => JsonObject
}
