/** The parts of a vendor's profile. The engine rejects everything that the profile does not declare. */
import type { IncomingHttpHeaders } from 'node:http'
import type { Account } from './accounts.ts'
import type { Clock } from './clock.ts'
import type { Check, Problem } from './contract.ts'
import type { JsonObject } from './json.ts'
import type { Limit, LimitState } from './limits.ts'
import type { OAuthPolicy } from './oauth/policy.ts'
import type { WebhookPolicy } from './webhooks.ts'

/** A request as it arrived. */
export interface ArrivedRequest {
  readonly method: string
  /** Path and query. */
  readonly url: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface Reply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON, unless it is text. */
  readonly body?: JsonObject | readonly JsonObject[] | string
}

/** A request that passed the checks of its route. */
export interface Call {
  readonly route: Route
  /** The variables of the route's path. */
  readonly path: Readonly<Record<string, string>>
  /** The declared query parameters that were sent. */
  readonly query: Readonly<Record<string, string>>
  readonly headers: IncomingHttpHeaders
  /** The text of the body; empty if there is none. */
  readonly text: string
  /** The parsed body of a route that declares a JSON body. */
  readonly body: JsonObject
  readonly account: Account
  /** The scopes of the access token; none on a public route. */
  readonly scopes: readonly string[]
  /** The OAuth client; empty on a public route. */
  readonly clientId: string
  /** Unique to each request. */
  readonly requestId: string
}

export interface Parameter {
  readonly required?: boolean
  /** Default: any text. */
  readonly accepts?: (value: string) => boolean
  /** Whether the parameter may be sent several times; the values are then joined by commas. Default: false. */
  readonly repeats?: boolean
}

export interface BodyPolicy {
  /** Accepted media types, without parameters. */
  readonly mediaTypes: readonly string[]
  /** Parses the body as JSON and checks it closed-world. Absent: the body is text. */
  readonly check?: (call: Pick<Call, 'path' | 'query'>) => Check
  readonly maxBytes?: number
}

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** A template: `/v3/company/{realmId}/query`. A variable matches one segment. */
  readonly path: string
  /** Query parameters. */
  readonly parameters?: Readonly<Record<string, Parameter>>
  /** Request headers with a meaning, in lower case, in addition to those of the profile. */
  readonly headers?: Readonly<Record<string, Parameter>>
  /** Absent: a body is rejected. */
  readonly body?: BodyPolicy
  /** Whether no access token is needed; the account is that of the path. Default: false. */
  readonly isPublic?: boolean
  /** One of these scopes is required. Absent: any valid access token. */
  readonly scopes?: readonly string[]
  /** Throw a `ReplyError` to respond with an error. */
  readonly respond: (call: Call) => Reply | Promise<Reply>
  /** The check of a successful response's body. A problem is a defect of the simulator. */
  readonly response: Check
}

/** Why a request is rejected before its route responds. */
export type Refusal =
  | { readonly reason: 'unknown-path' }
  | { readonly reason: 'unknown-method'; readonly allowed: readonly string[] }
  | {
      readonly reason: 'unauthenticated'
      readonly cause: 'missing' | 'unknown' | 'expired' | 'revoked'
    }
  /** The path names another account than that of the token. */
  | { readonly reason: 'wrong-account' }
  | { readonly reason: 'missing-scope'; readonly scopes: readonly string[] }
  | { readonly reason: 'undeclared-parameter'; readonly name: string }
  | { readonly reason: 'undeclared-header'; readonly name: string }
  | { readonly reason: 'missing-parameter'; readonly name: string }
  | { readonly reason: 'invalid-parameter'; readonly name: string; readonly value: string }
  | { readonly reason: 'media-type'; readonly mediaType: string | undefined }
  | { readonly reason: 'malformed-body' }
  | { readonly reason: 'body-too-large' }
  | { readonly reason: 'invalid-body'; readonly problems: readonly Problem[] }
  | { readonly reason: 'rate-limited'; readonly limit: string; readonly retryAfterMs: number }

/** Ends a request with the profile's response to this refusal. */
export class RefusalError extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.reason)
    this.refusal = refusal
  }
}

/** Ends a request with this error response of the vendor. */
export class ReplyError extends Error {
  readonly reply: Reply

  constructor(reply: Reply) {
    super(`Refused with ${reply.status}`)
    this.reply = reply
  }
}

/** What limits are kept for: requests count against the account, the OAuth client, or both. */
export interface LimitedRequest {
  readonly route: Route
  readonly accountId: string
  readonly clientId: string
}

export interface LimitPolicy {
  /** For the refusal and for `simulator.limits`. */
  readonly name: string
  readonly limit: (clock: Clock) => Limit
  /** The key under which requests are counted together; undefined: the limit does not apply. */
  readonly key: (request: LimitedRequest) => string | undefined
  /** Default: 1. */
  readonly cost?: (request: LimitedRequest) => number
}

export interface ResponseContext {
  readonly requestId: string
  readonly clock: Clock
  /** By the limit's name; empty before the account is known. */
  readonly limits: Readonly<Record<string, LimitState>>
}

export interface Profile {
  readonly name: string
  readonly routes: readonly Route[]
  /** The vendor's own form of errors. */
  readonly refuse: (refusal: Refusal, context: ResponseContext) => Reply
  /** The check of every error body, unless it is text. */
  readonly errorBody: Check
  /** Where the access token is; undefined: not sent. Default: `Authorization: Bearer …`. */
  readonly readToken?: (headers: IncomingHttpHeaders) => string | undefined
  /** Which account a path is about; undefined: that of the token. */
  readonly accountOf?: (path: Readonly<Record<string, string>>) => string | undefined
  /** Request headers with a meaning that any route accepts, in lower case. */
  readonly requestHeaders?: Readonly<Record<string, Parameter>>
  /** Headers of every response. */
  readonly responseHeaders?: (context: ResponseContext) => Readonly<Record<string, string>>
  readonly limits?: readonly LimitPolicy[]
  readonly oauth: OAuthPolicy
  readonly webhooks: WebhookPolicy
}
