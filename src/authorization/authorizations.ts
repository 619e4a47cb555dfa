/**
 * Authorizations by OAuth 2 authorization code, from the request to the credential. A ticket opens one in a browser;
 * the browser returns with the state and a code; the code becomes tokens, and the tokens a credential.
 * @see RFC 9700 for the attacks that each check prevents
 */
import type { CredentialValues, OAuthMethod } from '../definition/auth.ts'
import { methodOf, normalize } from '../definition/authenticate.ts'
import type { Connector } from '../definition/connector.ts'
import type { TokenSet } from '../definition/token-set.ts'
import { ApiError } from '../errors.ts'
import type { Log } from '../log.ts'
import { isAppError } from '../outbound/app-error.ts'
import type { TokenEndpoint } from '../outbound/oauth/token-endpoint.ts'
import {
  type AuthorizationPurpose,
  createAuthorization,
  endAuthorization,
  offerAccounts,
  openAuthorization,
  returnToAuthorization,
  type StoredAuthorization,
} from '../store/accounts/authorizations.ts'
import { readOAuthClient } from '../store/accounts/oauth-clients.ts'
import {
  authorizationUrl,
  cookieName,
  hashSecret,
  newSecret,
  newTicket,
  redirectUriOf,
} from './authorization-request.ts'
import { AuthorizationError, readAuthorizationResponse } from './authorization-response.ts'
import { type ConnectOptions, createConnection, type StoreStep, type Target } from './connect.ts'

/** What a new authorization is for, with the values that the end user entered. */
export interface AuthorizationStart extends Omit<AuthorizationPurpose, 'app' | 'method'> {
  readonly connector: Connector
  readonly methodName: string
  readonly values: CredentialValues
}

export interface AuthorizationsOptions extends ConnectOptions {
  readonly connectors: ReadonlyMap<string, Connector>
  readonly tokenEndpoint: Pick<TokenEndpoint, 'exchangeCode'>
  /** The address at which browsers reach the service; undefined: not configured. */
  readonly publicUrl: () => string | undefined
  readonly log: Log
}

const noPublicUrl = (): ApiError =>
  new ApiError(
    'OAUTH_NOT_CONFIGURED',
    'The service has no public address to which an app can return. Set PUBLIC_URL.',
  )

/** The result of an app's redirect to this service. `unknown`: no authorization waits for this redirect. */
type Outcome = 'connected' | 'choosing' | 'denied' | 'failed' | 'unknown'

/** The reason of a failure for the end user; undefined: it is unexpected. */
const reasonOf = (error: unknown): string | undefined =>
  error instanceof AuthorizationError || error instanceof ApiError ? error.message : undefined

const requireOAuthMethod = ({ auth }: Connector, name: string): OAuthMethod => {
  const method = methodOf(auth, name)
  if (method?.type === 'oauth2') return method
  throw new TypeError(`The method ${name} is not of type oauth2.`)
}

/** Creates the flow of authorizations. Its state is in the database, so any process continues it. */
export const createAuthorizations = (options: AuthorizationsOptions) => {
  const { database, vault, connectors, log } = options
  const connection = createConnection(options)

  /** @throws ApiError OAUTH_NOT_CONFIGURED */
  const requirePublicUrl = (): string => {
    const url = options.publicUrl()
    if (url === undefined) throw noPublicUrl()
    return url
  }

  /** @throws ApiError OAUTH_NOT_CONFIGURED */
  const requireClient = async (environmentId: string, { app, name }: Connector) => {
    const client = await readOAuthClient(database, vault, { environmentId, app })
    if (client) return client
    throw new ApiError(
      'OAUTH_NOT_CONFIGURED',
      `The environment has no OAuth client for ${name}. Set it with PUT /2024-03/oauth-clients/${app}.`,
    )
  }

  /** The app and the method of an authorization. @throws ApiError NOT_SUPPORTED if they were removed in the meantime */
  const requireTarget = ({ app, method: methodName }: StoredAuthorization): Target => {
    const connector = connectors.get(app)
    const method = connector && methodOf(connector.auth, methodName)
    if (connector && method?.type === 'oauth2') return { connector, methodName, method }
    throw new ApiError(
      'NOT_SUPPORTED',
      'The app can no longer be connected in this way. Start a new authorization with another method.',
    )
  }

  const redirectionOf = async (
    authorization: StoredAuthorization,
    publicUrl: string,
    state: string,
  ): Promise<string> => {
    const { connector, method } = requireTarget(authorization)
    const { values = {}, verifier } = authorization.flow ?? {}
    const { clientId, scopes } = await requireClient(authorization.environmentId, connector)
    return authorizationUrl({
      method,
      values: normalize(method, values),
      clientId,
      scopes: scopes ?? method.scopes,
      publicUrl,
      state,
      verifier,
    })
  }

  const fail = async (authorization: StoredAuthorization, error: unknown): Promise<void> => {
    const reason = reasonOf(error)
    if (reason === undefined)
      log.error({ err: error, authorizationId: authorization.id }, 'an authorization failed')
    await endAuthorization(database, authorization, {
      state: 'failed',
      reason: reason ?? 'This service failed. Try again.',
    })
  }

  /** @throws AuthorizationError if the app rejects the code, or does not respond */
  const requestTokens = async (
    { environmentId, flow }: StoredAuthorization,
    { connector, method }: Target,
    values: CredentialValues,
    code: string,
  ): Promise<TokenSet> => {
    const client = await requireClient(environmentId, connector)
    const redirectUri = redirectUriOf(requirePublicUrl())
    const subject = { connector, method, values: normalize(method, values) }
    try {
      return await options.tokenEndpoint.exchangeCode(subject, client, {
        code,
        redirectUri,
        codeVerifier: flow?.verifier,
      })
    } catch (error) {
      if (!isAppError(error)) throw error
      throw new AuthorizationError(`${error.appName} issued no tokens: ${error.reason}.`)
    }
  }

  const finish = async (
    authorization: StoredAuthorization,
    parameters: URLSearchParams,
  ): Promise<Outcome> => {
    const target = requireTarget(authorization)
    const entered = authorization.flow?.values ?? {}
    const { name } = target.connector
    const response = readAuthorizationResponse(name, target.method, entered, parameters)
    if (response.kind === 'denied') {
      await endAuthorization(database, authorization, { state: 'denied' })
      return 'denied'
    }
    const values = { ...entered, ...response.values }
    const tokens = await requestTokens(authorization, target, values, response.code)
    const grant = { target, values, tokens }
    const [account, ...others] = await connection.listAccounts(authorization, grant)
    if (account && others.length > 0) {
      const flow = { values, tokens, accounts: [account, ...others] }
      return (await offerAccounts(database, vault, authorization, flow)) ? 'choosing' : 'unknown'
    }
    const store = await connection.prepare(authorization, connection.withAccount(grant, account))
    await store(database)
    return 'connected'
  }

  return {
    /**
     * Creates an authorization, whose URL can be opened once.
     * @throws ApiError OAUTH_NOT_CONFIGURED
     */
    create: async ({ connector, methodName, values, ...purpose }: AuthorizationStart) => {
      const publicUrl = requirePublicUrl()
      await requireClient(purpose.environmentId, connector)
      const { pkce } = requireOAuthMethod(connector, methodName)
      const ticket = newTicket()
      const authorization = await createAuthorization(
        database,
        vault,
        { ...purpose, app: connector.app, method: methodName, ticketHash: hashSecret(ticket) },
        { values, ...(pkce === 'S256' && { verifier: newSecret() }) },
      )
      return { authorization, url: `${publicUrl}/oauth/start/${ticket}` }
    },

    /** Uses a ticket. @returns the redirection to the app; undefined if the ticket is unknown, used or expired */
    open: async (ticket: string) => {
      const publicUrl = requirePublicUrl()
      const state = newSecret()
      const cookie = { name: cookieName(publicUrl, state), value: newSecret() }
      const authorization = await openAuthorization(database, vault, {
        ticketHash: hashSecret(ticket),
        stateHash: hashSecret(state),
        cookieHash: hashSecret(cookie.value),
      })
      if (authorization === undefined) return
      try {
        return { location: await redirectionOf(authorization, publicUrl, state), cookie }
      } catch (error) {
        await fail(authorization, error)
        return
      }
    },

    /** Continues an authorization after the app's redirect, once. @param readCookie a cookie of the browser */
    complete: async (
      parameters: URLSearchParams,
      readCookie: (name: string) => string | undefined,
    ): Promise<{ readonly outcome: Outcome; readonly cookieName?: string }> => {
      const [state, ...others] = parameters.getAll('state')
      if (state === undefined || others.length > 0) return { outcome: 'unknown' }
      const name = cookieName(requirePublicUrl(), state)
      const cookie = readCookie(name)
      if (cookie === undefined) return { outcome: 'unknown' }
      const hashes = { stateHash: hashSecret(state), cookieHash: hashSecret(cookie) }
      const authorization = await returnToAuthorization(database, vault, hashes)
      if (authorization === undefined) return { outcome: 'unknown' }
      try {
        return { outcome: await finish(authorization, parameters), cookieName: name }
      } catch (error) {
        await fail(authorization, error)
        return { outcome: 'failed', cookieName: name }
      }
    },

    /** As `chooseAccount` of a connection. @throws ApiError */
    chooseAccount: (authorization: StoredAuthorization, accountId: string): Promise<StoreStep> =>
      connection.chooseAccount(authorization, requireTarget(authorization), accountId),
  }
}
