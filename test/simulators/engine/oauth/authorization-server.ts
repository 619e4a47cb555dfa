/** The vendor's authorization server, and its controls for tests. */
import type { Accounts } from '../accounts.ts'
import type { Clock } from '../clock.ts'
import type { ArrivedRequest, Reply } from '../profile.ts'
import { matchPath } from '../routes.ts'
import { authorize } from './authorize.ts'
import type { IssuedTokens, OAuthClient, OAuthPolicy } from './policy.ts'
import { exchange, introspect, revoke } from './token-requests.ts'
import { type AccessTokenState, createTokens } from './tokens.ts'

export interface AuthorizationServer {
  readonly clients: readonly OAuthClient[]
  /** Issues tokens as if a user had allowed access. Default: the first client, every scope. */
  issue(
    accountId: string,
    options?: { readonly clientId?: string; readonly scopes?: readonly string[] },
  ): IssuedTokens
  stateOf(accessToken: string): AccessTokenState
  /** Makes the access tokens of an account, or all, expire now. Refresh tokens stay valid. */
  expireAccessTokens(accountId?: string): void
  /** Revokes grants, as if users had disconnected the client. */
  revokeGrants(accountId?: string): void
}

export interface AuthorizationEndpoints extends AuthorizationServer {
  /** The response to a request to one of its endpoints; undefined: the path is not one of them. */
  respond(request: ArrivedRequest): Reply | undefined
}

const DEFAULT_CLIENT: OAuthClient = {
  clientId: 'client-id',
  clientSecret: 'client-secret',
  redirectUris: [],
}

export const createAuthorizationServer = ({
  vendor,
  policy,
  clients: registered = [DEFAULT_CLIENT],
  accounts,
  clock,
}: {
  readonly vendor: string
  readonly policy: OAuthPolicy
  readonly clients: readonly OAuthClient[] | undefined
  readonly accounts: Accounts
  readonly clock: Clock
}): AuthorizationEndpoints => {
  const tokens = createTokens(clock, policy)
  const clients = new Map(registered.map((client) => [client.clientId, client]))
  const context = { vendor, policy, clients, accounts, tokens, clock }
  const { paths } = policy

  const respond = (request: ArrivedRequest): Reply | undefined => {
    const { pathname } = new URL(request.url, 'http://simulator')
    const { method } = request
    const page = matchPath(paths.authorize, pathname)
    if (page && (method === 'GET' || method === 'POST')) return authorize(context, request, page)
    if (method !== 'POST') return undefined
    const isAt = (templates: string | readonly string[] = []): boolean =>
      [templates].flat().some((template) => matchPath(template, pathname))
    if (isAt(paths.token)) return exchange(context, request)
    if (isAt(paths.introspect)) return introspect(context, request)
    return isAt(paths.revoke) ? revoke(context, request) : undefined
  }

  return {
    clients: registered,
    issue: (accountId, { clientId = registered[0]?.clientId ?? '', scopes = policy.scopes } = {}) =>
      tokens.issue({ accountId, clientId, scopes, isRevoked: false }),
    stateOf: tokens.stateOf,
    expireAccessTokens: tokens.expireAccessTokens,
    revokeGrants: tokens.revokeGrants,
    respond,
  }
}
