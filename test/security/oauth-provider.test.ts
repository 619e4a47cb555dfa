/** The attacks of RFC 9700 on an authorization with a real authorization server (oidc-provider), over https. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { OAuthMethod } from '../../src/definition/auth.ts'
import { type Connector, defineConnector } from '../../src/definition/connector.ts'
import { findAuthorization } from '../../src/store/accounts/authorizations.ts'
import { readCredential } from '../../src/store/accounts/credentials.ts'
import {
  type AuthorizationServer,
  startAuthorizationServer,
} from '../support/authorization-server.ts'
import { type Browser, openBrowser } from '../support/oauth-browser.ts'
import { callOver } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

const PUBLIC_URL = 'https://api.example.com'
const client = { clientId: 'ours', clientSecret: 'client-secret-0123456789' }

let server: AuthorizationServer
let service: TestService
let tenant: Tenant
let call: ReturnType<typeof callOver>
let userId: string
let browser: Browser
let round = 0

const ledgerConnector = (url: string): Connector => {
  const method: OAuthMethod = {
    type: 'oauth2',
    fields: {},
    baseUrl: `${url}/api`,
    request: { headers: { authorization: 'Bearer {accessToken}' } },
    authorizationUrl: `${url}/auth`,
    tokenUrl: `${url}/token`,
    revocationUrl: `${url}/token/revocation`,
    issuer: url,
    clientAuthentication: 'basic',
    scopes: ['openid', 'offline_access'],
    authorizationParameters: { prompt: 'consent' },
    pkce: 'S256',
    refresh: 'rotating',
  }
  return defineConnector({
    app: 'ledger',
    name: 'Ledger',
    doc: 'An app behind a real authorization server.',
    auth: { oauth: method },
    readFailure: ({ status }) =>
      status < 400 ? undefined : { kind: 'authentication', reason: `status ${status}` },
    check: { method: 'GET', path: '/me' },
    resources: {},
  })
}

beforeAll(async () => {
  server = await startAuthorizationServer({
    clients: ['ours', 'other'].map((id) => ({
      client_id: id,
      client_secret: client.clientSecret,
      redirect_uris: [`${PUBLIC_URL}/oauth/callback`],
    })),
  })
  service = await startService({
    connectors: new Map([['ledger', ledgerConnector(server.url)]]),
    allowPrivateAddresses: true,
    publicUrl: PUBLIC_URL,
  })
  call = callOver(service, 'REST')
  tenant = await service.createTenant('development', [])
  await call(tenant.key, 'setOAuthClient', { app: 'ledger', ...client })
})
afterAll(async () => {
  await service.stop()
  await server.stop()
})
beforeEach(async () => {
  userId = (await call(tenant.key, 'createUser', { username: `user ${++round}` })).result.userId
  browser = openBrowser(service)
})

const start = async () =>
  (await call(tenant.key, 'createAuthorization', { userId, app: 'ledger' })).result

const read = async (authorizationId: string) =>
  (await call(tenant.key, 'authorization', { authorizationId })).result

const listCredentials = async () => (await call(tenant.key, 'userCredentials', { userId })).result

const allow = async () => {
  const authorization = await start()
  const page = await browser.open(authorization.url)
  return { ...authorization, page, callback: await server.authorize(page) }
}

/** Replaces the code verifier of an authorization. */
const setVerifier = async (id: string, verifier: string | undefined): Promise<void> => {
  const { environmentId } = tenant
  const owner = { environmentId, userId: undefined }
  const found = await findAuthorization(service.database, testVault, owner, id)
  const flow = { values: found?.flow?.values ?? {}, ...(verifier !== undefined && { verifier }) }
  await service.database.prisma.authorization.update({
    where: { id },
    data: {
      sealedFlow: testVault.seal(
        { kind: 'authorization', environmentId, id },
        JSON.stringify(flow),
      ),
    },
  })
}

test('an allowed authorization becomes a credential, whose deletion revokes its tokens', async () => {
  const { authorizationId, page, callback } = await allow()
  expect(page.searchParams.get('scope')).toBe('openid offline_access')
  expect(page.searchParams.get('prompt')).toBe('consent')
  const [cookie = ''] = browser.cookies.keys()
  expect(cookie).toMatch(/^__Host-trunkline-oauth-[0-9a-f]{16}$/)
  const result = await browser.get(callback.href)
  expect([result.statusCode, result.body]).toEqual([200, expect.stringContaining('Connected')])
  const [{ credentialId }] = await listCredentials()
  expect(await read(authorizationId)).toMatchObject({ state: 'connected', credentialId })
  const request = { credentialId, method: 'GET', endpoint: '/me' }
  expect(await call(tenant.key, 'passthrough', request)).toMatchObject({ status: 200 })
  const { tokens } = (await readCredential(service.database, testVault, credentialId))?.tokens ?? {}
  await call(tenant.key, 'deleteCredential', { userId, credentialId })
  const readTokenStatus = async () => {
    const authorization = `Bearer ${tokens?.accessToken}`
    return (await fetch(`${server.url}/api/me`, { headers: { authorization } })).status
  }
  await expect.poll(readTokenStatus).toBe(401)
})

test('the cookie is bound to the host, to https and to requests of this site', async () => {
  const { url } = await start()
  const { headers } = await browser.get(url)
  expect(headers['set-cookie']).toMatch(
    /^__Host-[\w-]+=[\w-]{43}; Path=\/; Max-Age=600; HttpOnly; SameSite=Lax; Secure$/,
  )
  expect(headers).toMatchObject({ 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' })
})

describe('the authorization fails with', () => {
  type Flow = Awaited<ReturnType<typeof allow>>
  const change = (url: URL, name: string, value: string): URL => {
    const changed = new URL(url)
    changed.searchParams.set(name, value)
    return changed
  }
  const attacks: readonly (readonly [string, (flow: Flow) => Promise<URL> | URL, string])[] = [
    [
      'a wrong verifier',
      async ({ authorizationId, callback }) => {
        await setVerifier(authorizationId, 'w'.repeat(43))
        return callback
      },
      'invalid_grant',
    ],
    [
      'no verifier',
      async ({ authorizationId, callback }) => {
        await setVerifier(authorizationId, undefined)
        return callback
      },
      'invalid_grant',
    ],
    [
      'a code of another client',
      async ({ page, callback }) => {
        const other = await server.authorize(change(page, 'client_id', 'other'))
        return change(callback, 'code', other.searchParams.get('code') ?? '')
      },
      'invalid_grant',
    ],
    [
      'a code of another authorization',
      async ({ callback }) => {
        const own = browser
        browser = openBrowser(service)
        const other = await allow()
        browser = own
        return change(callback, 'code', other.callback.searchParams.get('code') ?? '')
      },
      'invalid_grant',
    ],
    [
      'another issuer',
      ({ callback }) => change(callback, 'iss', 'https://attacker.example'),
      'another authorization server',
    ],
  ]

  test.each(attacks)('%s', async (_what, prepare, reason) => {
    const flow = await allow()
    const url = await prepare(flow)
    expect((await browser.get(url.href)).statusCode).toBe(400)
    expect(await read(flow.authorizationId)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining(reason),
    })
    expect(await listCredentials()).toEqual([])
  })
})

test('a replayed response creates no second credential, also at the same time', async () => {
  const { callback } = await allow()
  const secondTab = openBrowser(service)
  for (const pair of browser.cookies) (secondTab.cookies as Map<string, string>).set(...pair)
  const results = await Promise.all([browser.get(callback.href), secondTab.get(callback.href)])
  expect(results.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400])
  expect(await listCredentials()).toHaveLength(1)
  expect((await browser.get(callback.href)).statusCode).toBe(400)
})

test('the server rejects another redirect URI, and a request without a challenge', async () => {
  const { page } = await allow()
  const elsewhere = new URL(page)
  elsewhere.searchParams.set('redirect_uri', 'https://attacker.example/callback')
  await expect(server.authorize(elsewhere)).rejects.toThrow('400')
  const plain = new URL(page)
  plain.searchParams.delete('code_challenge')
  plain.searchParams.delete('code_challenge_method')
  const refused = await server.authorize(plain)
  expect(refused.searchParams.get('error')).toBe('invalid_request')
  await browser.get(refused.href)
  expect(await listCredentials()).toEqual([])
})
