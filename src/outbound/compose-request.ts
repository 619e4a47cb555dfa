/** Composes the HTTP request of a connector's request: its address, authentication and body. */
import type { CredentialValues } from '../definition/auth.ts'
import {
  type Authentication,
  authenticate,
  baseUrlOf,
  isSecret,
  methodOf,
} from '../definition/authenticate.ts'
import type { AppRequest, Connector } from '../definition/connector.ts'
import type { StoredTokens } from '../definition/token-set.ts'
import { trimTrailing } from '../definition/value.ts'
import {
  AppAddressError,
  AppAuthenticationError,
  type AppError,
  type AppErrorFacts,
} from './app-error.ts'
import type { OutgoingRequest } from './exchange.ts'
import { encodeBody } from './request-body.ts'

/** What authenticates the requests to an app. */
export interface AppCredential {
  /** The name of the method that connected the app; null: the first one. */
  readonly method: string | null
  readonly values: CredentialValues
  /** Undefined: it is not stored yet. */
  readonly id?: string
  readonly environmentId?: string
  /** Undefined: its method has no tokens, or it is not stored yet. */
  readonly tokens?: StoredTokens | undefined
}

/** The facts of the errors of a request. */
export type RequestFacts = Omit<AppErrorFacts, 'reason'>

/** A request, ready to be sent. */
export interface ComposedRequest {
  readonly outgoing: OutgoingRequest
  /** The base address of the app, from the credential. */
  readonly base: string
  readonly secrets: readonly string[]
}

/** The URL of a request. @throws AppAddressError if the base address is invalid or the path leads out of it */
const locate = (facts: RequestFacts, base: string, { path, link }: AppRequest): URL => {
  const fail = (reason: string): never => {
    throw new AppAddressError({ ...facts, reason })
  }
  if (!URL.canParse(base)) return fail('its base address is not a URL')
  const { origin, protocol, pathname, username, password } = new URL(base)
  if (protocol !== 'https:' && protocol !== 'http:')
    return fail('its base address is not an http: or https: URL')
  if (username !== '' || password !== '')
    return fail('its base address contains a user name or password')
  const folder = trimTrailing(pathname, '/')
  const listed = URL.parse(origin + folder + path)
  const url = link === undefined ? listed : URL.parse(link, listed?.href)
  const isInside =
    url?.origin === origin && (url.pathname === folder || url.pathname.startsWith(`${folder}/`))
  return url && isInside && (path === '' || /^[/?]/.test(path))
    ? url
    : fail(`its ${link === undefined ? 'path' : 'link'} leads out of the base address`)
}

/** Adds parameters to a URL in place of those of the same name. The rest of its query stays as it is. */
const withQuery = (url: URL, query: Readonly<Record<string, string>>): URL => {
  const added = Object.entries(query)
  if (added.length === 0) return url
  const others = url.search
    .slice(1)
    .split('&')
    .filter(
      (part) =>
        part !== '' &&
        ![...new URLSearchParams(part).keys()].some((name) => Object.hasOwn(query, name)),
    )
  const encoded = added.map((pair) => pair.map(encodeURIComponent).join('='))
  const result = new URL(url)
  result.search = [...others, ...encoded].join('&')
  return result
}

/** Reads a part of the request from the credential. The error is replaced, because its message may contain a secret. */
const readCredentialPart = <Part>(read: () => Part, failure: () => AppError): Part => {
  try {
    return read()
  } catch {
    throw failure()
  }
}

/** `authenticated`: the credential authenticates the request · `login`: the body of the request does. */
export type RequestKind = 'authenticated' | 'login'

const NO_AUTHENTICATION: Authentication = { headers: {}, query: {}, secrets: [] }

/**
 * Composes a request.
 * @throws AppAuthenticationError if the credential lacks a value, AppAddressError if it contains no address
 * @throws TypeError if the request is invalid, e.g. a GET with a body
 */
export const composeRequest = (
  connector: Connector,
  { method: methodName, values }: AppCredential,
  request: AppRequest,
  facts: RequestFacts,
  kind: RequestKind = 'authenticated',
): ComposedRequest => {
  const rejected = (reason: string): AppError => new AppAuthenticationError({ ...facts, reason })
  const method = methodOf(connector.auth, methodName)
  if (!method) throw rejected('it was connected in a way that is no longer available')
  const authentication = readCredentialPart(
    () => (kind === 'login' ? NO_AUTHENTICATION : authenticate(method, values)),
    () => rejected('its values authenticate no request'),
  )
  const secretValues = Object.entries(values).flatMap(([name, value]) =>
    isSecret(method, name) ? [value] : [],
  )
  const content = encodeBody(request)
  const headers = {
    accept: request.expect === 'text' ? '*/*' : 'application/json',
    'user-agent': 'Trunkline',
    ...(content && { 'content-type': content.contentType }),
    ...request.headers,
    ...authentication.headers,
  }
  try {
    new Headers(headers)
  } catch {
    // The error of fetch would contain the value.
    throw rejected('it contains characters that are not allowed in an HTTP header')
  }
  const base = readCredentialPart(
    () => baseUrlOf(method, values),
    () => new AppAddressError({ ...facts, reason: 'its values contain no base address' }),
  )
  const outgoing: OutgoingRequest = {
    method: request.method,
    url: withQuery(locate(facts, base, request), authentication.query),
    headers,
    ...(content && { body: content.body }),
  }
  // Throws for an invalid request, e.g. a GET with a body, which fetch would report as a failed connection.
  new Request(outgoing.url, outgoing)
  const secrets = [...secretValues, ...authentication.secrets]
  // An app may repeat the URL of a request.
  return { base, outgoing, secrets: [...secrets, ...secrets.map(encodeURIComponent)] }
}
