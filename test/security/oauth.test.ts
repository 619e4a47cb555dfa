/**
 * The attacks of RFC 9700 on an authorization, against the authorization server of the sandbox: each is rejected,
 * no credential is created, and the authorization of the victim goes on.
 */
import { createHash } from 'node:crypto'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createAuthorizations } from '../../src/authorization/authorizations.ts'
import { connector } from '../../src/connectors/sandbox/manifest.ts'
import { createSandboxApp, SANDBOX_ORIGIN, type SandboxApp } from '../../src/sandbox/app.ts'
import { SANDBOX_CLIENT } from '../../src/sandbox/oauth/endpoints.ts'
import { purgeAuthorizations } from '../../src/store/accounts/authorizations.ts'
import { dumpTables } from '../support/dump.ts'
import { type Browser, openBrowser } from '../support/oauth-browser.ts'
import { callOver } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

const CALLBACK = 'http://127.0.0.1:4000/oauth/callback'
const INVALID_LINK = 'This link is not valid'

let logged = ''
let service: TestService
let sandbox: SandboxApp
let tenant: Tenant
let otherTenant: Tenant
let call: ReturnType<typeof callOver>
let userId: string
let browser: Browser
let round = 0

beforeAll(async () => {
  const write = (line: string): void => {
    logged += line
  }
  const log = pino({ level: 'trace' }, { write })
  service = await startService({ log })
  sandbox = createSandboxApp(service)
  call = callOver(service, 'REST')
  tenant = await service.createTenant('development', [])
  otherTenant = await service.createTenant('production', [])
  for (const { key } of [tenant, otherTenant])
    await call(key, 'setOAuthClient', { app: 'sandbox', ...SANDBOX_CLIENT })
})
afterAll(() => service.stop())
beforeEach(async () => {
  userId = await createUser()
  browser = openBrowser(service)
})

const createUser = async (key = tenant.key): Promise<string> =>
  (await call(key, 'createUser', { username: `user ${++round}` })).result.userId

const start = async (input: object = {}, key = tenant.key) =>
  (await call(key, 'createAuthorization', { userId, app: 'sandbox', ...input })).result

const read = async (authorizationId: string, key = tenant.key) =>
  (await call(key, 'authorization', { authorizationId })).result

const listCredentials = async () => (await call(tenant.key, 'userCredentials', { userId })).result

/** An authorization that the end user has allowed, up to the callback. */
const allow = async (form = {}, by = browser) => {
  const authorization = await start()
  const page = await by.open(authorization.url)
  return { ...authorization, page, callback: await by.submit(page, form) }
}

const withParameter = (url: URL, name: string, value: string | undefined): URL => {
  const changed = new URL(url)
  if (value === undefined) changed.searchParams.delete(name)
  else changed.searchParams.set(name, value)
  return changed
}

const requestTokens = async (parameters: Readonly<Record<string, string>>) => {
  const response = await sandbox.handle(
    new Request(`${SANDBOX_ORIGIN}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${btoa(`${SANDBOX_CLIENT.clientId}:${SANDBOX_CLIENT.clientSecret}`)}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams(parameters),
    }),
  )
  return { status: response.status, body: await response.json() }
}

test('an allowed authorization becomes a credential whose requests are accepted', async () => {
  const started = await start()
  expect(started).toMatchObject({
    app: 'sandbox',
    url: expect.stringMatching(/^http:\/\/127\.0\.0\.1:4000\/oauth\/start\/tl_auth_[0-9a-f]{48}$/),
    state: 'pending',
    accounts: [],
    credentialId: null,
  })
  const page = await browser.open(started.url)
  expect(Object.fromEntries(page.searchParams)).toEqual({
    response_type: 'code',
    client_id: SANDBOX_CLIENT.clientId,
    redirect_uri: CALLBACK,
    state: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  })
  expect((await browser.get(page.href)).body).toContain('Token of the company')
  expect(await read(started.authorizationId)).toEqual({ ...started, url: null })
  const callback = await browser.submit(page)
  const result = await browser.get(callback.href)
  expect([result.statusCode, result.body]).toEqual([200, expect.stringContaining('Connected')])
  const [credential, ...others] = await listCredentials()
  expect(others).toEqual([])
  expect(credential).toMatchObject({ app: 'sandbox', type: 'oauth2', label: 'Acme' })
  const { credentialId } = credential
  expect(await read(started.authorizationId)).toMatchObject({ state: 'connected', credentialId })
  expect(browser.cookies.size).toBe(0)
  const method = { method: 'GET', endpoint: '/v1/companies' }
  const sent = await call(tenant.key, 'passthrough', { credentialId, ...method })
  expect(sent).toMatchObject({ status: 200 })
})

test('the end user chooses one of several accounts, once', async () => {
  const { authorizationId, callback } = await allow({ companies: 'acme, outlet' })
  const result = await browser.get(callback.href)
  expect([result.statusCode, result.body]).toEqual([200, expect.stringContaining('choose')])
  expect(await read(authorizationId)).toMatchObject({
    state: 'choosing',
    accounts: [
      { accountId: 'acme', label: 'Acme' },
      { accountId: 'outlet', label: 'Outlet' },
    ],
  })
  expect(await listCredentials()).toEqual([])
  const choose = (accountId: string) =>
    call(tenant.key, 'chooseAuthorizationAccount', { authorizationId, accountId })
  expect(await choose('other')).toMatchObject({ status: 400, fields: ['accountId'] })
  const { authorizationId: waiting } = await start()
  const early = { authorizationId: waiting, accountId: 'acme' }
  expect(await call(tenant.key, 'chooseAuthorizationAccount', early)).toMatchObject({
    status: 409,
    message: expect.stringContaining('has not signed in'),
  })
  const chosen = await Promise.all([choose('outlet'), choose('outlet')])
  expect(chosen.map(({ status }) => status).toSorted()).toEqual([200, 409])
  expect(await choose('acme')).toMatchObject({ status: 409, code: 'AUTHORIZATION_ENDED' })
  expect(await listCredentials()).toMatchObject([{ label: 'Outlet' }])
})

test('a reconnected credential keeps its id, and its account', async () => {
  await browser.get((await allow()).callback.href)
  const [{ credentialId }] = await listCredentials()
  const reconnect = async (companies: string) => {
    const { authorizationId, url } = await start({ credentialId })
    await browser.get((await browser.submit(await browser.open(url), { companies })).href)
    return read(authorizationId)
  }
  expect(await reconnect('outlet')).toMatchObject({
    state: 'failed',
    reason: expect.stringContaining('another account'),
  })
  expect(await reconnect('outlet,acme')).toMatchObject({ state: 'connected', credentialId })
  expect(await listCredentials()).toMatchObject([{ credentialId, label: 'Acme' }])
  const others = await createUser()
  const foreign = { userId: others, app: 'sandbox', credentialId }
  expect(await call(tenant.key, 'createAuthorization', foreign)).toMatchObject({
    status: 404,
    code: 'CREDENTIAL_NOT_FOUND',
  })
})

test('an authorization fails with a reason if the list of accounts cannot be read', async () => {
  const { oauth } = connector.auth
  if (oauth?.type !== 'oauth2' || !oauth.accounts) throw new Error('The sandbox has no accounts.')
  vi.spyOn(oauth.accounts, 'read').mockImplementationOnce(() => {
    throw new TypeError('The list of companies has no items.')
  })
  const { authorizationId, callback } = await allow()
  await browser.get(callback.href)
  expect(await read(authorizationId)).toMatchObject({
    state: 'failed',
    reason: 'Sandbox did not list the accounts.',
  })
})

test('a denied authorization ends as denied', async () => {
  const { authorizationId, callback } = await allow({ decision: 'deny' })
  const result = await browser.get(callback.href)
  expect(result.body).toContain('You did not allow the connection')
  expect(await read(authorizationId)).toMatchObject({ state: 'denied', credentialId: null })
  expect(await listCredentials()).toEqual([])
})

describe('a response that does not belong to this browser and moment is rejected:', () => {
  type Flow = Awaited<ReturnType<typeof allow>>
  const attacks: readonly (readonly [string, (flow: Flow) => Promise<readonly [URL, Browser]>])[] =
    [
      ['no state', async ({ callback }) => [withParameter(callback, 'state', undefined), browser]],
      [
        'an unknown state',
        async ({ callback }) => [withParameter(callback, 'state', 'x'), browser],
      ],
      [
        'a repeated state',
        async ({ callback }) => {
          const twice = new URL(callback)
          twice.searchParams.append('state', callback.searchParams.get('state') ?? '')
          return [twice, browser]
        },
      ],
      ['another browser', async ({ callback }) => [callback, openBrowser(service)]],
      [
        'another browser with an authorization of its own',
        async ({ callback }) => {
          const other = openBrowser(service)
          await allow({}, other)
          return [callback, other]
        },
      ],
      [
        'another browser with an authorization of another environment',
        async ({ callback }) => {
          const other = openBrowser(service)
          const otherUserId = await createUser(otherTenant.key)
          const { url } = await start({ userId: otherUserId }, otherTenant.key)
          await other.open(url)
          return [callback, other]
        },
      ],
      [
        'a cookie with another value',
        async ({ callback }) => {
          const other = openBrowser(service)
          const [name = ''] = browser.cookies.keys()
          ;(other.cookies as Map<string, string>).set(name, 'x'.repeat(43))
          return [callback, other]
        },
      ],
    ]

  test.each(attacks)('%s', async (_what, prepare) => {
    const flow = await allow()
    const [url, by] = await prepare(flow)
    const refused = await by.get(url.href)
    expect([refused.statusCode, refused.body]).toEqual([400, expect.stringContaining(INVALID_LINK)])
    expect(await listCredentials()).toEqual([])
    expect(await read(flow.authorizationId)).toMatchObject({ state: 'pending' })
    // The authorization of the end user still completes.
    expect((await browser.get(flow.callback.href)).statusCode).toBe(200)
  })

  test('after its expiry', async () => {
    const { authorizationId, callback } = await allow()
    await service.database.prisma.$executeRaw`
      UPDATE authorizations SET expires_at = clock_timestamp() WHERE id = ${authorizationId}::uuid`
    expect((await browser.get(callback.href)).body).toContain(INVALID_LINK)
    expect(await read(authorizationId)).toMatchObject({ state: 'expired' })
    expect(await listCredentials()).toEqual([])
  })

  test('a link after its expiry, whose secrets and later the rest are deleted', async () => {
    const { database } = service
    const { authorizationId, url } = await start()
    const expire = (minutesAgo: number) => database.prisma.$executeRaw`
      UPDATE authorizations SET expires_at = clock_timestamp() - ${minutesAgo} * interval '1 minute'
      WHERE id = ${authorizationId}::uuid`
    const find = () => database.prisma.authorization.findUnique({ where: { id: authorizationId } })
    await expire(1)
    expect((await browser.get(url)).body).toContain(INVALID_LINK)
    await purgeAuthorizations(database)
    expect(await find()).toMatchObject({ ticketHash: null, sealedFlow: null })
    await expire(61)
    await purgeAuthorizations(database)
    expect(await find()).toBeNull()
  })

  test('a second time, one after the other or both at once', async () => {
    const { callback } = await allow()
    const cookies = new Map(browser.cookies)
    const secondTab = openBrowser(service)
    for (const [name, value] of cookies) (secondTab.cookies as Map<string, string>).set(name, value)
    const results = await Promise.all([browser.get(callback.href), secondTab.get(callback.href)])
    expect(results.map(({ statusCode }) => statusCode).toSorted()).toEqual([200, 400])
    for (const [name, value] of cookies) (browser.cookies as Map<string, string>).set(name, value)
    expect((await browser.get(callback.href)).body).toContain(INVALID_LINK)
    expect(await listCredentials()).toHaveLength(1)
  })

  test('a link that was already opened, or is unknown', async () => {
    const { url } = await start()
    await browser.open(url)
    for (const used of [url, url.replace(/.{8}$/, '00000000')])
      expect((await openBrowser(service).get(used)).body).toContain(INVALID_LINK)
  })
})

describe('a response with the right state, but wrong content, fails:', () => {
  const attacks: readonly (readonly [string, (callback: URL) => Promise<URL> | URL, string])[] = [
    ['no issuer', (url) => withParameter(url, 'iss', undefined), 'another authorization server'],
    [
      'another issuer',
      (url) => withParameter(url, 'iss', 'https://attacker.example'),
      'another authorization server',
    ],
    ['no code', (url) => withParameter(url, 'code', undefined), 'no code'],
    ['a made-up code', (url) => withParameter(url, 'code', 'made-up'), 'invalid_grant'],
    [
      'an injected code of another authorization, whose verifier differs',
      async (url) => {
        const { callback } = await allow({ companies: 'victim' }, openBrowser(service))
        return withParameter(url, 'code', callback.searchParams.get('code') ?? '')
      },
      'invalid_grant',
    ],
    [
      'an error with markup',
      (url) => withParameter(withParameter(url, 'code', undefined), 'error', '<b>x</b>'),
      'it answered with an error',
    ],
  ]

  test.each(attacks)('%s', async (_what, change, reason) => {
    const { authorizationId, callback } = await allow()
    const changed = await change(callback)
    expect((await browser.get(changed.href)).statusCode).toBe(400)
    expect(await read(authorizationId)).toMatchObject({
      state: 'failed',
      reason: expect.stringContaining(reason),
      credentialId: null,
    })
    expect(await listCredentials()).toEqual([])
  })
})

describe('the authorization server of the sandbox rejects', () => {
  const verifier = 'v'.repeat(43)
  const challenge = createHash('sha256').update(verifier).digest('base64url')
  const parameters = {
    response_type: 'code',
    client_id: SANDBOX_CLIENT.clientId,
    redirect_uri: CALLBACK,
    state: 's',
    code_challenge: challenge,
    code_challenge_method: 'S256',
  }
  const pageWith = (changes: object): URL =>
    new URL(
      `/sandbox/oauth/authorize?${new URLSearchParams({ ...parameters, ...changes })}`,
      CALLBACK,
    )
  const requestCode = async (): Promise<string> =>
    (await browser.submit(pageWith({}))).searchParams.get('code') ?? ''
  const grant = {
    grant_type: 'authorization_code',
    redirect_uri: CALLBACK,
    code_verifier: verifier,
  }

  test.each([
    ['another redirect URI', { redirect_uri: 'http://127.0.0.1:4000/oauth/callback/x' }],
    ['an unknown client', { client_id: 'other' }],
  ])('an authorization request with %s, without a redirect', async (_what, changes) => {
    const refused = await browser.get(pageWith(changes).href)
    expect([refused.statusCode, refused.headers.location]).toEqual([400, undefined])
  })

  test.each([
    ['without PKCE', { code_challenge: '' }, 'invalid_request'],
    ['with plain PKCE', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['for a token', { response_type: 'token' }, 'unsupported_response_type'],
  ])('an authorization request %s', async (_what, changes, error) => {
    expect((await browser.open(pageWith(changes).href)).searchParams.get('error')).toBe(error)
  })

  test.each([
    ['a wrong verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_request'],
    ['another redirect URI', { redirect_uri: `${CALLBACK}/x` }, 'invalid_grant'],
    ['a made-up code', { code: 'made-up' }, 'invalid_grant'],
  ])('a code with %s, and from then on', async (_what, changes, error) => {
    const code = await requestCode()
    const refused = await requestTokens({ ...grant, code, ...changes })
    expect(refused).toEqual({ status: 400, body: { error } })
    const again = await requestTokens({ ...grant, code })
    // A code that an attacker used is no longer valid.
    const isUsedUp = error === 'invalid_grant' && !('code' in changes)
    expect(again.status).toBe(isUsedUp ? 400 : 200)
  })

  test('a code, or a refresh token, that is used twice, and all tokens of its grant', async () => {
    const code = await requestCode()
    const first = await requestTokens({ ...grant, code })
    expect(first).toMatchObject({ status: 200, body: { token_type: 'Bearer', expires_in: 900 } })
    const refresh = (token: string) =>
      requestTokens({ grant_type: 'refresh_token', refresh_token: token })
    const second = await refresh(first.body.refresh_token)
    expect(second.status).toBe(200)
    expect((await refresh(first.body.refresh_token)).body).toEqual({ error: 'invalid_grant' })
    expect((await refresh(second.body.refresh_token)).body).toEqual({ error: 'invalid_grant' })
    const opened = await sandbox.handle(
      new Request(`${SANDBOX_ORIGIN}/v1/tenants`, {
        headers: { authorization: `Bearer ${second.body.access_token}` },
      }),
    )
    expect(opened.status).toBe(401)
    const other = await requestCode()
    const tokens = await requestTokens({ ...grant, code: other })
    expect((await requestTokens({ ...grant, code: other })).status).toBe(400)
    expect((await refresh(tokens.body.refresh_token)).status).toBe(400)
  })

  test('an existing company with another token', async () => {
    await browser.submit(pageWith({}), { companies: 'guarded', token: 'mine' })
    const refused = await openBrowser(service)
      .submit(pageWith({}), {
        companies: 'guarded',
        token: 'not mine',
      })
      .catch((error: Error) => error.message)
    expect(refused).toContain('has another token')
  })
})

test('without PUBLIC_URL or an OAuth client, the error names what is missing', async () => {
  const { connectors } = service.runtime
  const connector = connectors.get('sandbox')
  if (!connector) throw new Error('The registry has no sandbox.')
  const unreachable = createAuthorizations({
    ...service.runtime,
    vault: testVault,
    maxCredentialsPerUser: 1,
    publicUrl: () => undefined,
  })
  const { environmentId } = tenant
  const purpose = { environmentId, userId, connector, methodName: 'oauth', values: {} }
  await expect(unreachable.create({ ...purpose, credentialId: null })).rejects.toMatchObject({
    code: 'OAUTH_NOT_CONFIGURED',
    message: expect.stringContaining('PUBLIC_URL'),
  })
  const { key } = await service.createTenant('development', [], 'Without a client')
  const user = await createUser(key)
  const refused = await call(key, 'createAuthorization', { userId: user, app: 'sandbox' })
  expect(refused).toMatchObject({ status: 400, code: 'OAUTH_NOT_CONFIGURED' })
  expect(refused.message).toContain('PUT /2024-03/oauth-clients/sandbox')
  const listMethods = async (key: string) =>
    (await call(key, 'app', { app: 'sandbox' })).result.methods
  const availabilityOf = (found: readonly { method: string; available: boolean }[]) =>
    Object.fromEntries(found.map(({ method, available }) => [method, available]))
  expect(availabilityOf(await listMethods(key))).toEqual({ token: true, oauth: false })
  expect(availabilityOf(await listMethods(tenant.key))).toEqual({ token: true, oauth: true })
})

test.each([
  ['an unknown app', { app: 'none' }, 'NOT_FOUND'],
  ['an app without OAuth', { app: 'vendure' }, 'NOT_SUPPORTED'],
  ['an empty id', { clientId: '' }, 'INVALID_PARAMETER'],
  ['a secret with a line break', { clientSecret: 'a\nb' }, 'INVALID_PARAMETER'],
  ['an empty webhook secret', { webhookSecret: '' }, 'INVALID_PARAMETER'],
  ['a scope with a space', { scopes: ['read write'] }, 'INVALID_PARAMETER'],
])('an OAuth client with %s is rejected', async (_what, changes, code) => {
  const input = { app: 'sandbox', ...SANDBOX_CLIENT, ...changes }
  expect(await call(otherTenant.key, 'setOAuthClient', input)).toMatchObject({ code })
})

test('an OAuth client is replaced, listed without its secrets, and deleted', async () => {
  const { key } = await service.createTenant('development', [], 'Replaces a client')
  const set = (input: object) => call(key, 'setOAuthClient', { app: 'sandbox', ...input })
  await set(SANDBOX_CLIENT)
  const scopes = ['read', 'write']
  const replaced = await set({ clientId: 'a', clientSecret: 'b', webhookSecret: 'c', scopes })
  expect(replaced.result).toEqual({
    app: 'sandbox',
    clientId: 'a',
    scopes,
    hasWebhookSecret: true,
    redirectUri: CALLBACK,
    createdAt: expect.any(String),
    updatedAt: expect.any(String),
  })
  expect((await call(key, 'oauthClients')).result).toEqual([replaced.result])
  const user = await createUser(key)
  const { url } = await start({ userId: user }, key)
  expect((await browser.open(url)).searchParams.get('scope')).toBe('read write')
  expect(await call(key, 'deleteOAuthClient', { app: 'sandbox' })).toMatchObject({ status: 200 })
  expect(await call(key, 'deleteOAuthClient', { app: 'sandbox' })).toMatchObject({ status: 404 })
})

test('no page, log line, API response or dump contains a secret of an authorization', async () => {
  const { authorizationId, url, page, callback } = await allow({ token: 'open-sesame' })
  const secrets = [
    url.split('/').at(-1),
    page.searchParams.get('state'),
    callback.searchParams.get('code'),
    ...browser.cookies.values(),
    SANDBOX_CLIENT.clientSecret,
  ]
  const { body, headers } = await browser.get(callback.href)
  expect(headers).toMatchObject({
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    'content-security-policy': expect.stringMatching(/^default-src 'none'; script-src 'sha256-/),
  })
  const responses = JSON.stringify([
    await read(authorizationId),
    await listCredentials(),
    (await call(tenant.key, 'oauthClients')).result,
  ])
  expect(logged).toContain('/oauth/start/[redacted]')
  expect(secrets).toHaveLength(5)
  const places = { body, responses, logged, dump: await dumpTables(service.database) }
  for (const secret of secrets)
    for (const [where, text] of Object.entries(places))
      expect(text.includes(String(secret)), `${secret} in ${where}`).toBe(false)
})
