/**
 * A real authorization server (oidc-provider) with an API that its access tokens open: `GET /api/…` returns the
 * client of the token, or 401; `POST /api/login` returns a token for a password.
 */
import { generateKeyPairSync } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  type Adapter,
  type AdapterPayload,
  type ClientMetadata,
  type Configuration,
  Provider,
} from 'oidc-provider'

export interface AuthorizationServerOptions {
  readonly clients: readonly ClientMetadata[]
  /** Whether each refresh returns a new refresh token; the reuse of an old one revokes the grant. Default: true. */
  readonly rotates?: boolean
  /** Milliseconds for which a replaced refresh token is still accepted. Default: 0. */
  readonly graceMs?: number
  /** Default: true. */
  readonly requiresPkce?: boolean
  /** Lifetime of access tokens. Default: 3600. */
  readonly tokenSeconds?: number
  /** Scopes in addition to `openid` and `offline_access`. */
  readonly scopes?: readonly string[]
  /** The port to listen on; 0 or undefined: a free one. */
  readonly port?: number
}

/** The requests of one grant that the token endpoint has processed. */
export interface GrantCounts {
  succeeded: number
  /** The number of rejected requests, by error code: `invalid_grant`. */
  readonly failed: Map<string, number>
}

export interface AuthorizationServer {
  /** The issuer, and the origin of the server. */
  readonly url: string
  /** The processed requests, by grant type: `refresh_token`. */
  countsOf(grant: string): GrantCounts
  /** Called and awaited before and after a token request is processed, before its response is sent. */
  readonly hooks: {
    onTokenRequest: (() => unknown) | undefined
    onTokenResponse: (() => unknown) | undefined
  }
  /** Issues tokens for a client without a browser. */
  issue(clientId: string): Promise<{ accessToken: string; refreshToken: string }>
  /** Revokes every token, as an end user does who disconnects this service; `AccessToken`: only those. */
  revoke(model?: 'AccessToken'): void
  /** The status of each request to the API, oldest first. */
  readonly apiStatuses: number[]
  /** Opens an authorization URL as a browser whose end user agrees. @returns the address of the callback */
  authorize(url: string | URL): Promise<URL>
  stop(): Promise<void>
}

const ACCOUNT = 'user-1'

/** The password that `POST /api/login` accepts. */
export const PASSWORD = 'let-me-in-now'

interface StoredModel {
  readonly payload: AdapterPayload
  consumedMs?: number
}

const createAdapters = (graceMs: number) => {
  const models = new Map<string, StoredModel>()
  const open = (name: string): Adapter => {
    const keyOf = (id: string) => `${name}:${id}`
    const find = (matches: (payload: AdapterPayload) => boolean): AdapterPayload | undefined =>
      [...models].find(([key, { payload }]) => key.startsWith(`${name}:`) && matches(payload))?.[1]
        .payload
    return {
      upsert: async (id, payload) => void models.set(keyOf(id), { payload }),
      find: async (id) => {
        const model = models.get(keyOf(id))
        if (!model) return undefined
        const { payload, consumedMs } = model
        const isConsumed = consumedMs !== undefined && Date.now() - consumedMs >= graceMs
        return isConsumed ? { ...payload, consumed: Math.floor(consumedMs / 1000) } : payload
      },
      consume: async (id) => {
        const model = models.get(keyOf(id))
        if (model) model.consumedMs ??= Date.now()
      },
      destroy: async (id) => void models.delete(keyOf(id)),
      revokeByGrantId: async (grantId) => {
        for (const [key, { payload }] of models) if (payload.grantId === grantId) models.delete(key)
      },
      findByUid: async (uid) => find((payload) => payload.uid === uid),
      findByUserCode: async (code) => find((payload) => payload.userCode === code),
    }
  }
  const revoke = (model = ''): void => {
    for (const key of models.keys()) if (key.startsWith(model)) models.delete(key)
  }
  return { open, revoke }
}

const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const signingKey = { ...privateKey.export({ format: 'jwk' }), kty: 'EC', alg: 'ES256', use: 'sig' }

const closeServer = (server: ReturnType<typeof createServer>): Promise<void> => {
  server.closeAllConnections()
  return new Promise((resolve) => server.close(() => resolve()))
}

/** Starts the server on a loopback port. */
export const startAuthorizationServer = async (
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> => {
  const { rotates = true, graceMs = 0, requiresPkce = true, tokenSeconds = 3600 } = options
  const adapters = createAdapters(graceMs)
  const counts = new Map<string, GrantCounts>()
  const apiStatuses: number[] = []
  const hooks: AuthorizationServer['hooks'] = {
    onTokenRequest: undefined,
    onTokenResponse: undefined,
  }
  let serve = async (_incoming: IncomingMessage, _response: ServerResponse): Promise<unknown> => {
    throw new Error('The server has not started.')
  }
  const server = createServer((incoming, response) => {
    serve(incoming, response).catch((error: unknown) => response.destroy(error as Error))
  })
  await new Promise<void>((done) => server.listen(options.port ?? 0, '127.0.0.1', done))
  // A server that listens on TCP has an address of this type.
  const { port } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${port}`

  const scopes = ['openid', 'offline_access', ...(options.scopes ?? [])]
  const configuration: Configuration = {
    adapter: adapters.open,
    clients: [...options.clients],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
    },
    cookies: { keys: ['a-key-for-tests'] },
    jwks: { keys: [signingKey] },
    scopes,
    pkce: { required: () => requiresPkce },
    rotateRefreshToken: rotates,
    issueRefreshToken: async () => true,
    ttl: {
      AccessToken: tokenSeconds,
      ClientCredentials: tokenSeconds,
      RefreshToken: 86_400,
      Grant: 86_400,
      Session: 86_400,
      Interaction: 600,
      IdToken: 600,
      AuthorizationCode: 60,
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      revocation: { enabled: true },
    },
    findAccount: async (_ctx, id) => ({ accountId: id, claims: async () => ({ sub: id }) }),
    interactions: { url: (_ctx, { uid }) => `/interaction/${uid}` },
  }
  const provider = new Provider(url, configuration)
  const countsOf = (grant: string): GrantCounts => {
    const existing = counts.get(grant) ?? { succeeded: 0, failed: new Map<string, number>() }
    counts.set(grant, existing)
    return existing
  }
  provider.on('grant.success', ({ oidc }) => {
    countsOf(String(oidc.params?.grant_type)).succeeded += 1
  })
  provider.on('grant.error', ({ oidc }, { error }) => {
    const { failed } = countsOf(String(oidc.params?.grant_type))
    failed.set(error, (failed.get(error) ?? 0) + 1)
  })

  const createGrant = (clientId: string) => {
    const grant = new provider.Grant({ accountId: ACCOUNT, clientId })
    grant.addOIDCScope(scopes.join(' '))
    return grant.save()
  }
  const confirmConsent = async (
    incoming: IncomingMessage,
    response: ServerResponse,
  ): Promise<void> => {
    const { params } = await provider.interactionDetails(incoming, response)
    const grantId = await createGrant(String(params.client_id))
    const result = { login: { accountId: ACCOUNT }, consent: { grantId } }
    await provider.interactionFinished(incoming, response, result, {
      mergeWithLastSubmission: false,
    })
  }
  const issue = async (clientId: string) => {
    const client = await provider.Client.find(clientId)
    if (!client) throw new Error(`The server has no client ${clientId}.`)
    const grantId = await createGrant(clientId)
    const scope = scopes.join(' ')
    const tokenFields = { accountId: ACCOUNT, client, grantId, gty: 'authorization_code', scope }
    return {
      accessToken: await new provider.AccessToken(tokenFields).save(),
      refreshToken: await new provider.RefreshToken(tokenFields).save(),
    }
  }
  /** The login of an app without OAuth. */
  const serveLogin = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { password } = JSON.parse(Buffer.concat(await incoming.toArray()).toString())
    const { client_id: clientId = '' } = options.clients[0] ?? {}
    const isRight = password === PASSWORD
    response.writeHead(isRight ? 200 : 401, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isRight ? { token: (await issue(clientId)).accessToken } : {}))
  }
  const serveApi = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [, value = ''] = incoming.headers.authorization?.split(' ') ?? []
    const token =
      (await provider.AccessToken.find(value)) ?? (await provider.ClientCredentials.find(value))
    const status = token ? 200 : 401
    apiStatuses.push(status)
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(token ? { clientId: token.clientId } : { error: 'invalid_token' }))
  }
  const callback = provider.callback()
  const serveToken = async (incoming: IncomingMessage, response: ServerResponse): Promise<void> => {
    await hooks.onTokenRequest?.()
    const end = response.end.bind(response) as (...parts: unknown[]) => ServerResponse
    const endLater = (...parts: unknown[]): ServerResponse => {
      void Promise.resolve(hooks.onTokenResponse?.()).then(() => end(...parts))
      return response
    }
    await callback(incoming, Object.assign(response, { end: endLater }))
  }
  serve = (incoming, response) => {
    const { pathname } = new URL(incoming.url ?? '/', url)
    if (pathname.startsWith('/interaction/')) return confirmConsent(incoming, response)
    if (pathname === '/api/login') return serveLogin(incoming, response)
    if (pathname.startsWith('/api/')) return serveApi(incoming, response)
    return pathname === '/token' ? serveToken(incoming, response) : callback(incoming, response)
  }

  return {
    url,
    countsOf,
    hooks,
    issue,
    revoke: adapters.revoke,
    apiStatuses,
    authorize: async (start) => {
      const cookies = new Map<string, string>()
      let next = new URL(start)
      while (next.origin === url) {
        const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
        const response = await fetch(next, { redirect: 'manual', headers: { cookie } })
        for (const line of response.headers.getSetCookie()) {
          const [pair = ''] = line.split(';')
          cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
        }
        const location = response.headers.get('location')
        if (location === null)
          throw new Error(`${next.pathname} returned ${response.status}: ${await response.text()}`)
        next = new URL(location, next)
      }
      return next
    },
    stop: () => closeServer(server),
  }
}
