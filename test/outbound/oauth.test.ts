/** The token endpoint's client: against a real authorization server, and against responses that apps send. */
import { createHash, randomBytes } from 'node:crypto'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { ClientCredentialsMethod, OAuthMethod } from '../../src/definition/auth.ts'
import { createExchange } from '../../src/outbound/exchange.ts'
import { createTokenEndpoint } from '../../src/outbound/oauth/token-endpoint.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../support/authorization-server.ts'
import { ledgerOAuth as oauth } from '../support/token-app.ts'

const SECRET = 'client-secret-0123'
const client = { clientId: 'ours', clientSecret: SECRET }
const connector = { app: 'ledger', name: 'Ledger' }
const redirectUri = 'https://us.example/callback'
const NOW_MS = Date.parse('2026-11-23T10:00:00.000Z')

const clientCredentials: ClientCredentialsMethod = {
  ...oauth,
  type: 'clientCredentials',
  client: { id: '{clientId}', secret: '{clientSecret}' },
}

const limits = { deadlineMs: 2000, maxResponseBytes: 100_000 }
const exchange = createExchange({ ...limits, allowPrivateAddresses: true })
const endpoint = createTokenEndpoint({ exchange, nowMs: () => NOW_MS })
afterAll(() => exchange.stop())

const failureOf = async (request: Promise<unknown>) => {
  const error: unknown = await request.then(
    () => undefined,
    (reason) => reason,
  )
  expect(inspect(error, { depth: 20, showHidden: true })).not.toContain(SECRET)
  return error
}

describe('a real authorization server', () => {
  let server: AuthorizationServer
  beforeAll(async () => {
    const both = { client_secret: SECRET, redirect_uris: [redirectUri] }
    server = await startAuthorizationServer({
      clients: [
        { ...both, client_id: 'ours' },
        { ...both, client_id: 'by-body', token_endpoint_auth_method: 'client_secret_post' },
        {
          client_id: 'machine',
          client_secret: SECRET,
          redirect_uris: [],
          response_types: [],
          grant_types: ['client_credentials'],
        },
      ],
      tokenSeconds: 600,
    })
  })
  afterAll(() => server.stop())

  const tokenSubject = () => ({
    connector,
    method: { ...oauth, tokenUrl: `${server.url}/token` },
    values: {},
  })

  const authorize = async (codeVerifier: string, clientId = 'ours') => {
    const url = new URL('/auth', server.url)
    url.search = new URLSearchParams({
      client_id: clientId,
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid offline_access',
      state: 'abc',
      code_challenge: createHash('sha256').update(codeVerifier).digest('base64url'),
      code_challenge_method: 'S256',
    }).toString()
    return (await server.authorize(url)).searchParams.get('code') ?? ''
  }

  test.each([
    ['basic', 'ours'],
    ['body', 'by-body'],
  ] as const)(
    'exchanges a code and refreshes the token, with the client by %s',
    async (clientAuthentication, clientId) => {
      const codeVerifier = randomBytes(32).toString('base64url')
      const code = await authorize(codeVerifier, clientId)
      const tokenRequest = {
        ...tokenSubject(),
        method: { ...tokenSubject().method, clientAuthentication },
      }
      const own = { ...client, clientId }
      const first = await endpoint.exchangeCode(tokenRequest, own, {
        code,
        redirectUri,
        codeVerifier,
      })
      expect(first).toEqual({
        accessToken: expect.any(String),
        refreshToken: expect.any(String),
        expiresAt: '2026-11-23T10:10:00.000Z',
        values: {},
      })
      const held = { ...first, refreshToken: first.refreshToken ?? '' }
      const second = await endpoint.refresh(tokenRequest, own, held)
      expect(second.refreshToken).not.toBe(first.refreshToken)
      expect(second.accessToken).not.toBe(first.accessToken)
      const reused = await failureOf(endpoint.refresh(tokenRequest, own, held))
      expect(reused).toMatchObject({ code: 'APP_AUTHENTICATION', request: 'POST /token' })
    },
  )

  test('rejects a code with a wrong verifier, and a wrong secret', async () => {
    const code = await authorize(randomBytes(32).toString('base64url'))
    const wrong = { code, redirectUri, codeVerifier: randomBytes(32).toString('base64url') }
    expect(await failureOf(endpoint.exchangeCode(tokenSubject(), client, wrong))).toMatchObject({
      code: 'APP_AUTHENTICATION',
    })
    const wrongClient = { ...client, clientSecret: 'another-secret' }
    const tokens = { accessToken: 'a', refreshToken: 'b', values: {} }
    expect(await failureOf(endpoint.refresh(tokenSubject(), wrongClient, tokens))).toMatchObject({
      code: 'APP_REFUSED',
      reason: expect.stringContaining('invalid_client'),
    })
  })

  test('issues a token for client credentials that the end user entered', async () => {
    const tokenRequest = {
      connector,
      method: { ...clientCredentials, tokenUrl: `${server.url}/token` },
      values: { clientId: 'machine', clientSecret: SECRET },
    }
    const tokens = await endpoint.requestClientCredentials(tokenRequest)
    expect(tokens).toEqual({
      accessToken: expect.any(String),
      expiresAt: '2026-11-23T10:10:00.000Z',
      values: {},
    })
    const incomplete = { ...tokenRequest, values: { clientId: 'machine' } }
    expect(await failureOf(endpoint.requestClientCredentials(incomplete))).toMatchObject({
      code: 'APP_AUTHENTICATION',
    })
  })
})

describe('a token endpoint', () => {
  let server: Server
  let response: { status: number; body: string; headers?: Record<string, string> }
  let received: { authorization: string | undefined; body: URLSearchParams; url: string }
  let url = ''
  beforeAll(async () => {
    server = createServer(async (request, outgoing) => {
      const text = Buffer.concat(await request.toArray()).toString()
      const { authorization } = request.headers
      received = { authorization, body: new URLSearchParams(text), url: request.url ?? '' }
      if (response.status === 0) return
      outgoing.writeHead(response.status, {
        'content-type': 'application/json',
        ...response.headers,
      })
      outgoing.end(response.body)
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    // A server that listens on TCP has an address of this type.
    url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  afterAll(() => {
    server.closeAllConnections()
    server.close()
  })

  const tokens = {
    accessToken: 'old',
    refreshToken: 'refresh-me-1',
    values: { region: 'eu', site: 'x' },
  }
  const refresh = (method: Partial<OAuthMethod> = {}, values = {}) =>
    endpoint.refresh(
      { connector, method: { ...oauth, tokenUrl: `${url}/token`, ...method }, values },
      client,
      tokens,
    )
  const respond = (body: object, status = 200, headers = {}) => {
    response = { status, body: JSON.stringify(body), headers }
  }

  test('receives the client by Basic or in the body, and the parameters of the app', async () => {
    respond({ access_token: 'new', token_type: 'bearer' })
    await refresh({ tokenParameters: { expiring: '1' } })
    expect(received.authorization).toBe(`Basic ${btoa(`ours:${SECRET.replaceAll('-', '%2D')}`)}`)
    expect(Object.fromEntries(received.body)).toEqual({
      grant_type: 'refresh_token',
      refresh_token: 'refresh-me-1',
      expiring: '1',
    })
    const fields = { region: { doc: 'Region.', secret: false } }
    const tokenUrl = `${url}/{region}/token`
    await refresh({ clientAuthentication: 'body', tokenUrl, fields }, { region: 'eu/1' })
    expect(received).toMatchObject({ authorization: undefined, url: '/eu%2F1/token' })
    expect(received.body.get('client_secret')).toBe(SECRET)
  })

  test('receives the scopes of client credentials with the separator of the app', async () => {
    respond({ access_token: 'new' })
    const method = {
      ...clientCredentials,
      tokenUrl: url,
      scopes: ['a', 'b'],
      scopeSeparator: ',' as const,
    }
    await endpoint.requestClientCredentials({ connector, method, values: { ...client } })
    expect(Object.fromEntries(received.body)).toEqual({
      grant_type: 'client_credentials',
      scope: 'a,b',
    })
  })

  test.each<[string, object, Partial<OAuthMethod>, object]>([
    [
      'without a type, an expiry and a refresh token',
      { access_token: 'new', id_token: 'not-a-jwt', scope: ['a'] },
      {},
      {},
    ],
    [
      'with its expiry as text',
      { access_token: 'new', expires_in: '60' },
      {},
      { expiresAt: '2026-11-23T10:01:00.000Z' },
    ],
    [
      'with a null expiry and a declared lifetime',
      { access_token: 'new', expires_in: null },
      { defaultLifetimeSeconds: 120 },
      { expiresAt: '2026-11-23T10:02:00.000Z' },
    ],
    [
      'of an app whose tokens do not expire',
      { access_token: 'new', expires_in: 1 },
      { refresh: 'none' },
      {},
    ],
    [
      'with values',
      { access_token: 'new', api_domain: 'https://b.example', site: 7 },
      { tokenValues: { region: 'api_domain', site: 'site', more: 'more' } },
      { values: { region: 'https://b.example', site: '7' } },
    ],
  ])('may send a response %s', async (_name, body, method, expected) => {
    respond(body)
    const { values, refreshToken } = tokens
    expect(await refresh(method)).toEqual({ accessToken: 'new', refreshToken, values, ...expected })
  })

  test.each<[string, number, object, object]>([
    [
      'a revoked token',
      400,
      { error: 'invalid_grant', error_description: `no ${SECRET} or refresh-me-1` },
      { code: 'APP_AUTHENTICATION', reason: 'invalid_grant: no [redacted] or [redacted]' },
    ],
    [
      'a failure with the status 200',
      200,
      { error: 'invalid_grant' },
      { code: 'APP_AUTHENTICATION' },
    ],
    [
      'a client that is not allowed',
      401,
      { error: 'invalid_client' },
      { code: 'APP_REFUSED', reason: 'invalid_client' },
    ],
    [
      'its own failure',
      503,
      {},
      { code: 'APP_UNAVAILABLE', problem: 'server', retryAfterMs: 7000 },
    ],
    ['a temporary failure', 400, { error: 'temporarily_unavailable' }, { code: 'APP_UNAVAILABLE' }],
    ['a rate limit', 429, { error: 'slow_down' }, { code: 'APP_RATE_LIMITED', retryAfterMs: 7000 }],
    ['a redirect', 302, {}, { code: 'APP_REFUSED' }],
    [
      'a response without a token',
      200,
      { token_type: 'bearer', seen: SECRET },
      { code: 'APP_UNAVAILABLE', problem: 'malformed' },
    ],
  ])('reports %s', async (_name, status, body, expected) => {
    respond(body, status, { 'retry-after': '7', location: 'https://evil.example' })
    expect(await failureOf(refresh())).toMatchObject({ ...expected, app: 'ledger' })
  })

  test('that does not respond, or has an address that is not allowed, is a failure of the app', async () => {
    response = { status: 0, body: '' }
    const shortExchange = createExchange({ ...limits, deadlineMs: 50, allowPrivateAddresses: true })
    const strict = createExchange({ ...limits, allowPrivateAddresses: false })
    const subject = { connector, method: { ...oauth, tokenUrl: url }, values: {} }
    const refreshBy = (own: typeof exchange, endpoint = subject) =>
      failureOf(
        createTokenEndpoint({ exchange: own, nowMs: () => NOW_MS }).refresh(
          endpoint,
          client,
          tokens,
        ),
      )
    expect(await refreshBy(shortExchange)).toMatchObject({
      code: 'APP_UNAVAILABLE',
      problem: 'deadline',
    })
    expect(await refreshBy(strict)).toMatchObject({ code: 'APP_ADDRESS' })
    for (const tokenUrl of ['file:///etc/passwd', 'not a url', '{gone}/token'])
      expect(await refreshBy(strict, { ...subject, method: { ...oauth, tokenUrl } })).toMatchObject(
        { code: 'APP_ADDRESS' },
      )
    await Promise.all([shortExchange.stop(), strict.stop()])
  })
})
