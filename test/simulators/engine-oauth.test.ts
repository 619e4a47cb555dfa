/** The authorization server of the simulators. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { createSimulator } from './engine/simulator.ts'
import { exampleProfile } from './example-profile.ts'

const callback = 'https://us.example/callback'
const client = { clientId: 'ours', clientSecret: 'secret', redirectUris: [callback] }
const verifier = 'v'.repeat(43)
const request = {
  client_id: 'ours',
  redirect_uri: callback,
  response_type: 'code',
  scope: 'read write',
  state: 's',
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
}
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const basic = `Basic ${Buffer.from('ours:secret').toString('base64')}`

const open = () => {
  const simulator = createSimulator(exampleProfile, { clients: [client], clock: { frozen: true } })
  simulator.accounts.add('a', 'Acme')
  simulator.accounts.add('b', 'Beta & Co')
  const send = createClient(simulator)
  const page = (changes: object = {}) =>
    send('GET', `/authorize?${new URLSearchParams({ ...request, ...changes })}`)
  const submitConsent = async (response: object) => {
    const body = new URLSearchParams({ ...request, ...response }).toString()
    const { headers } = await send('POST', '/authorize', { headers: form, body })
    return Object.fromEntries(new URL(headers.location ?? '').searchParams)
  }
  const requestToken = (parameters: Record<string, string>, authorization = basic) =>
    send('POST', '/token', {
      headers: { ...form, authorization },
      body: new URLSearchParams(parameters).toString(),
    })
  const redeemCode = async (changes: object = {}) => {
    const { code = '' } = await submitConsent({ decision: 'allow', account: 'b' })
    const parameters = { grant_type: 'authorization_code', code, redirect_uri: callback }
    return requestToken({ ...parameters, code_verifier: verifier, ...changes })
  }
  const refresh = (text: string) =>
    requestToken({ grant_type: 'refresh_token', refresh_token: text })
  return {
    simulator,
    page,
    submitConsent,
    requestToken,
    redeemCode,
    refresh,
  }
}

test('a user chooses an account on a page and the client gets its tokens', async () => {
  const { simulator, page, submitConsent, redeemCode } = open()
  const { status, body } = await page()
  expect(status).toBe(200)
  expect(body).toContain('value="b"> Beta &#38; Co')
  expect(await submitConsent({ decision: 'allow', account: 'b' })).toMatchObject({
    state: 's',
    account: 'b',
  })
  expect(await submitConsent({ decision: 'deny' })).toEqual({ error: 'access_denied', state: 's' })
  const { json } = await redeemCode()
  expect(simulator.oauth.stateOf(json.access_token)).toMatchObject({ accountId: 'b' })
})

test.each<[string, object, string | undefined]>([
  ['an unknown client', { client_id: 'theirs' }, undefined],
  ['an address that is not registered', { redirect_uri: `${callback}/x` }, undefined],
  ['an undeclared parameter', { audience: 'x' }, undefined],
  ['an unknown scope', { scope: 'read admin' }, 'invalid_scope'],
  ['no scope', { scope: '' }, 'invalid_scope'],
  ['another response type', { response_type: 'token' }, 'unsupported_response_type'],
  ['a plain code challenge', { code_challenge_method: 'plain' }, 'invalid_request'],
])('the authorization page rejects %s', async (_what, changes, error) => {
  const { status, headers } = await open().page(changes)
  if (error === undefined) expect([status, headers.location]).toEqual([400, undefined])
  else expect(new URL(headers.location ?? '').searchParams.get('error')).toBe(error)
})

test.each<[string, object, string]>([
  ['a wrong verifier', { code_verifier: 'w'.repeat(43) }, 'invalid_grant'],
  ['another redirect address', { redirect_uri: 'https://us.example/' }, 'invalid_grant'],
  ['an unknown code', { code: 'x' }, 'invalid_grant'],
  ['an unknown grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
  ['an undeclared parameter', { audience: 'x' }, 'invalid_request'],
])('the token endpoint rejects %s', async (_what, changes, error) => {
  const { status, json } = await open().redeemCode(changes)
  expect([status, json.error]).toEqual([400, error])
})

test('the token endpoint rejects a wrong secret, a used code and an expired code', async () => {
  const { simulator, submitConsent, requestToken } = open()
  const wrong = `Basic ${Buffer.from('ours:guess').toString('base64')}`
  expect((await requestToken({ grant_type: 'refresh_token' }, wrong)).status).toBe(401)
  const { code = '' } = await submitConsent({ decision: 'allow', account: 'a' })
  const { code: late = '' } = await submitConsent({ decision: 'allow', account: 'a' })
  const parameters = {
    grant_type: 'authorization_code',
    redirect_uri: callback,
    code_verifier: verifier,
  }
  expect((await requestToken({ ...parameters, code })).status).toBe(200)
  expect((await requestToken({ ...parameters, code })).json.error).toBe('invalid_grant')
  simulator.clock.advance(61_000)
  expect((await requestToken({ ...parameters, code: late })).json.error).toBe('invalid_grant')
})

describe('refresh tokens', () => {
  test('rotate; a replaced token works during the grace period and afterwards revokes the grant', async () => {
    const { simulator, redeemCode, refresh } = open()
    const first = (await redeemCode()).json.refresh_token
    const second = (await refresh(first)).json
    expect(second.refresh_token).not.toBe(first)
    expect((await refresh(first)).status).toBe(200)
    simulator.clock.advance(30_000)
    expect((await refresh(first)).json.error).toBe('invalid_grant')
    expect(simulator.oauth.stateOf(second.access_token)).toBe('revoked')
    expect((await refresh(second.refresh_token)).json.error).toBe('invalid_grant')
  })

  test('expire when they are not used', async () => {
    const { simulator, redeemCode, refresh } = open()
    const { refresh_token: token } = (await redeemCode()).json
    simulator.clock.advance(86_400_000)
    expect((await refresh(token)).json.error).toBe('invalid_grant')
  })
})

test('a vendor may omit parameters of OAuth and return its own errors', async () => {
  const { oauth } = exampleProfile
  const simulator = createSimulator(
    {
      ...exampleProfile,
      oauth: {
        ...oauth,
        pkce: 'unsupported',
        clientAuthentication: ['body'],
        bodies: ['application/json'],
        optionalParameters: ['response_type', 'grant_type', 'redirect_uri'],
        accountOf: ({ shop }) => shop,
        paths: { authorize: '/{shop}/authorize', token: '/{shop}/token' },
        errorResponse: ({ status, code }) => ({ status: String(status), category: code }),
      },
    },
    { clients: [client] },
  )
  simulator.accounts.add('a', 'Acme')
  simulator.accounts.add('b', 'Beta')
  const send = createClient(simulator)
  const parameters = new URLSearchParams({
    client_id: 'ours',
    redirect_uri: callback,
    scope: 'read',
  })
  const page = await send('GET', `/b/authorize?${parameters}`)
  expect([page.status, page.body.includes('Acme'), page.body.includes('Beta')]).toEqual([
    200,
    false,
    true,
  ])
  const response = `${parameters}&decision=allow&account=a`
  const { headers } = await send('POST', '/b/authorize', { headers: form, body: response })
  const code = new URL(headers.location ?? '').searchParams.get('code')
  const body = { client_id: 'ours', client_secret: 'secret', code }
  const { json } = await send('POST', '/b/token', { body })
  expect(simulator.oauth.stateOf(json.access_token)).toMatchObject({ accountId: 'b' })
  expect((await send('POST', '/b/token', { body })).json).toEqual({
    status: '400',
    category: 'invalid_grant',
  })
})

test('a client revokes its tokens', async () => {
  const { simulator, redeemCode } = open()
  const { access_token: token } = (await redeemCode()).json
  const body = new URLSearchParams({ token }).toString()
  const send = createClient(simulator)
  const headers = { ...form, authorization: basic }
  expect((await send('POST', '/revoke', { headers, body })).status).toBe(200)
  expect(simulator.oauth.stateOf(token)).toBe('revoked')
})
