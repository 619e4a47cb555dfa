/** The authorization endpoint: GET shows the consent page, POST redirects with a code or an error. */
import type { Account, Accounts } from '../accounts.ts'
import type { Clock } from '../clock.ts'
import type { ArrivedRequest, Reply } from '../profile.ts'
import { renderConsentPage, renderErrorPage } from './consent-page.ts'
import type { OAuthClient, OAuthPolicy } from './policy.ts'
import type { Tokens } from './tokens.ts'

export interface AuthorizeContext {
  readonly vendor: string
  readonly policy: OAuthPolicy
  readonly clients: ReadonlyMap<string, OAuthClient>
  readonly accounts: Accounts
  readonly tokens: Tokens
  readonly clock: Clock
}

/** A valid authorization request. */
interface AuthorizationRequest {
  readonly client: OAuthClient
  readonly redirectUri: string
  readonly scopes: readonly string[]
  readonly state: string | undefined
  readonly codeChallenge: string | undefined
}

const PARAMETERS = ['client_id', 'redirect_uri', 'response_type', 'scope', 'state']
const PKCE_PARAMETERS = ['code_challenge', 'code_challenge_method']
const FORM_PARAMETERS = ['account', 'decision']
const HTML = { 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' }

const redirect = (uri: string, parameters: Readonly<Record<string, string | undefined>>): Reply => {
  const url = new URL(uri)
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) url.searchParams.set(name, value)
  return { status: 302, headers: { location: url.href, 'cache-control': 'no-store' }, body: '' }
}

const findUndeclared = (
  { policy }: AuthorizeContext,
  parameters: URLSearchParams,
): string | undefined => {
  const { authorizeParameters = [], optionalScopes } = policy
  const optional = optionalScopes ? [optionalScopes.parameter] : []
  const declared = [...PARAMETERS, ...FORM_PARAMETERS, ...authorizeParameters, ...optional]
  const pkce = policy.pkce === 'unsupported' ? [] : PKCE_PARAMETERS
  return [...parameters.keys()].find((name) => !declared.includes(name) && !pkce.includes(name))
}

const scopesIn = ({ scopeSeparator }: OAuthPolicy, text: string | null): readonly string[] =>
  (text ?? '').split(scopeSeparator).filter(Boolean)

/** The optional scopes of a request that an account is granted. */
const optionalScopesOf = (
  policy: OAuthPolicy,
  parameters: URLSearchParams,
  account: Account,
): readonly string[] => {
  const { optionalScopes } = policy
  if (!optionalScopes) return []
  const { parameter, isGranted } = optionalScopes
  return scopesIn(policy, parameters.get(parameter)).filter(
    (scope) => policy.scopes.includes(scope) && isGranted(account, scope),
  )
}

/** The error code of RFC 6749, section 4.1.2.1, and its description. */
const findError = (
  { policy }: AuthorizeContext,
  parameters: URLSearchParams,
  scopes: readonly string[],
): readonly [code: string, description: string] | undefined => {
  const unknown = scopes.find((scope) => !policy.scopes.includes(scope))
  const challenge = parameters.get('code_challenge')
  const isOptional = policy.optionalParameters?.includes('response_type')
  const responseType = parameters.get('response_type') ?? (isOptional ? 'code' : undefined)
  if (responseType !== 'code') return ['unsupported_response_type', 'response_type must be code']
  if (scopes.length === 0) return ['invalid_scope', 'scope is missing']
  if (unknown !== undefined) return ['invalid_scope', `${unknown} is not a scope`]
  if (policy.pkce === 'required' && challenge === null)
    return ['invalid_request', 'code_challenge is missing']
  if (challenge !== null && parameters.get('code_challenge_method') !== 'S256')
    return ['invalid_request', 'code_challenge_method must be S256']
  return undefined
}

const errorPage = (vendor: string, message: string): Reply => ({
  status: 400,
  headers: HTML,
  body: renderErrorPage(vendor, message),
})

/** The request, or the response to one that is not valid. */
const readRequest = (
  context: AuthorizeContext,
  parameters: URLSearchParams,
): AuthorizationRequest | Reply => {
  const { vendor, policy, clients } = context
  const client = clients.get(parameters.get('client_id') ?? '')
  const redirectUri = parameters.get('redirect_uri') ?? ''
  // Never redirect to an address that is not registered (RFC 9700, section 4.1).
  if (!client) return errorPage(vendor, 'client_id is not known')
  if (!client.redirectUris.includes(redirectUri))
    return errorPage(vendor, 'redirect_uri is not registered')
  const undeclared = findUndeclared(context, parameters)
  if (undeclared !== undefined) return errorPage(vendor, `${undeclared} is not a parameter`)
  const scopes = scopesIn(policy, parameters.get('scope'))
  const state = parameters.get('state') ?? undefined
  const error = findError(context, parameters, scopes)
  if (error) return redirect(redirectUri, { error: error[0], error_description: error[1], state })
  const codeChallenge = parameters.get('code_challenge') ?? undefined
  return { client, redirectUri, scopes, state, codeChallenge }
}

const showConsent = (
  { vendor, policy, accounts }: AuthorizeContext,
  { client, scopes }: AuthorizationRequest,
  parameters: URLSearchParams,
  path: Readonly<Record<string, string>>,
): Reply => {
  const only = policy.accountOf?.(path)
  const choices = accounts.list().filter(({ id }) => (only ?? id) === id)
  if (choices.length === 0) return errorPage(vendor, 'There is no such account')
  const page = { vendor, clientId: client.clientId, scopes, accounts: choices }
  const body = renderConsentPage({ ...page, parameters: Object.fromEntries(parameters) })
  return { status: 200, headers: HTML, body }
}

const decide = (
  { vendor, policy, accounts, tokens, clock }: AuthorizeContext,
  { client, redirectUri, scopes, state, codeChallenge }: AuthorizationRequest,
  parameters: URLSearchParams,
  path: Readonly<Record<string, string>>,
): Reply => {
  if (parameters.get('decision') !== 'allow')
    return redirect(redirectUri, { error: 'access_denied', state })
  const accountId = policy.accountOf?.(path) ?? parameters.get('account') ?? ''
  const account = accounts.find(accountId)
  if (!account) return errorPage(vendor, 'There is no such account')
  const granted = [...scopes, ...optionalScopesOf(policy, parameters, account)]
  const grant = { accountId, clientId: client.clientId, scopes: granted, isRevoked: false }
  const code = tokens.createCode({ grant, redirectUri, codeChallenge })
  const callback = { accountId, code, state, client, nowMs: clock.nowMs() }
  return redirect(redirectUri, { code, state, ...policy.callbackParameters?.(callback) })
}

/** Responds to a request to the authorization endpoint. */
export const authorize = (
  context: AuthorizeContext,
  { method, url, body }: ArrivedRequest,
  path: Readonly<Record<string, string>>,
): Reply => {
  const query = new URL(url, 'http://simulator').searchParams
  const parameters = method === 'POST' ? new URLSearchParams(body.toString()) : query
  const request = readRequest(context, parameters)
  if ('status' in request) return request
  return method === 'POST'
    ? decide(context, request, parameters, path)
    : showConsent(context, request, parameters, path)
}
