/** The QuickBooks simulator: OAuth, limits, and its records over HTTP. */
import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { createFixedWindow } from './engine/limits.ts'
import { createQuickBooks, start } from './quickbooks/start.ts'

const NOON = Date.parse('2026-11-23T20:00:00Z')
const CALLBACK = 'https://us.example/callback'
const client = { clientId: 'ours', clientSecret: 'secret', redirectUris: [CALLBACK] }
const basic = `Basic ${Buffer.from('ours:secret').toString('base64')}`
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { accept: 'application/json' }

const open = () => {
  const simulator = createQuickBooks({ clients: [client], clock: { startMs: NOON, frozen: true } })
  simulator.addCompany('1', 'Acme')
  return { simulator, send: createClient(simulator) }
}

describe('OAuth', () => {
  const connect = async () => {
    const { simulator, send } = open()
    simulator.addCompany('2', 'Other')
    const scope = 'com.intuit.quickbooks.accounting'
    const request = {
      client_id: 'ours',
      redirect_uri: CALLBACK,
      response_type: 'code',
      scope,
      state: 's',
    }
    const page = await send('GET', `/connect/oauth2?${new URLSearchParams(request)}`)
    const consent = new URLSearchParams({ ...request, account: '2', decision: 'allow' })
    const redirect = await send('POST', '/connect/oauth2', {
      headers: form,
      body: consent.toString(),
    })
    const { searchParams } = new URL(redirect.headers.location ?? '')
    const requestToken = (parameters: Record<string, string>) =>
      send('POST', '/oauth2/v1/tokens/bearer', {
        headers: { ...form, ...json, authorization: basic },
        body: new URLSearchParams(parameters).toString(),
      })
    const code = searchParams.get('code') ?? ''
    const tokens = await requestToken({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
    })
    const refresh = (token: string) =>
      requestToken({ grant_type: 'refresh_token', refresh_token: token })
    return { simulator, page, searchParams, tokens, refresh }
  }

  test('the callback names the company, and the token gives access only to it', async () => {
    const { simulator, page, searchParams, tokens } = await connect()
    expect(page.body).toContain('Acme')
    expect([searchParams.get('realmId'), searchParams.get('state')]).toEqual(['2', 's'])
    expect(tokens.json).toMatchObject({
      token_type: 'bearer',
      expires_in: 3600,
      x_refresh_token_expires_in: 8_726_400,
    })
    const send = createClient(simulator, tokens.json.access_token)
    expect((await send('GET', '/v3/company/2/preferences', { headers: json })).status).toBe(200)
    expect((await send('GET', '/v3/company/1/preferences', { headers: json })).status).toBe(403)
  })

  test('an access token lasts an hour', async () => {
    const { simulator, tokens } = await connect()
    simulator.clock.advance(3_600_000)
    const send = createClient(simulator, tokens.json.access_token)
    const { status, json: body } = await send('GET', '/v3/company/2/preferences', { headers: json })
    expect([status, body.fault.error[0].detail]).toEqual([401, 'Token expired'])
    simulator.assertSound()
  })

  test('a refresh token changes once a day, and the previous one is rejected', async () => {
    const { simulator, tokens, refresh } = await connect()
    const first = tokens.json.refresh_token
    simulator.clock.advance(3_600_000)
    expect((await refresh(first)).json.refresh_token).toBe(first)
    simulator.clock.advance(86_400_000)
    const second = (await refresh(first)).json.refresh_token
    expect(second).not.toBe(first)
    expect((await refresh(first)).json.error).toBe('invalid_grant')
    expect((await refresh(second)).status).toBe(200)
    simulator.clock.advance(101 * 86_400_000)
    expect((await refresh(second)).json.error).toBe('invalid_grant')
  })

  test('a revoked refresh token ends the connection', async () => {
    const { simulator, tokens, refresh } = await connect()
    const body = { token: tokens.json.refresh_token }
    const headers = { ...json, authorization: basic }
    const reply = await createClient(simulator)('POST', '/v2/oauth2/tokens/revoke', {
      headers,
      body,
    })
    expect(reply.status).toBe(200)
    expect((await refresh(body.token)).json.error).toBe('invalid_grant')
    expect(simulator.oauth.stateOf(tokens.json.access_token)).toBe('revoked')
  })
})

describe('limits', () => {
  const read = (simulator: ReturnType<typeof open>['simulator'], id = '1') => {
    const send = createClient(simulator, simulator.oauth.issue(id).accessToken)
    return () => send('GET', `/v3/company/${id}/preferences`, { headers: json })
  }

  test('are 10 requests a second of a company, rejected in XML without a time to wait', async () => {
    const { simulator } = open()
    simulator.addCompany('2', 'Other')
    const request = read(simulator)
    for (let count = 0; count < 10; count++) expect((await request()).status).toBe(200)
    const refused = await request()
    expect([refused.status, refused.headers['content-type']]).toEqual([429, 'application/xml'])
    expect(refused.body).toContain('<Error code="3001">')
    expect(refused.headers).not.toHaveProperty('retry-after')
    expect((await read(simulator, '2')()).status).toBe(200)
    simulator.clock.advance(1000)
    expect((await request()).status).toBe(200)
  })

  test('are 500 requests a minute of a company', async () => {
    const { simulator } = open()
    const request = read(simulator)
    const statuses = new Map<number, number>()
    for (let count = 0; count < 501; count++) {
      simulator.clock.advance(101)
      const { status } = await request()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    expect(statuses).toEqual(
      new Map([
        [200, 500],
        [429, 1],
      ]),
    )
    simulator.clock.advance(60_000)
    expect((await request()).status).toBe(200)
  })

  test('meter reads of all companies of a client together, and not writes', async () => {
    const { simulator } = open()
    simulator.addCompany('2', 'Other')
    const { clock, limits } = simulator
    limits.set('reads per month', createFixedWindow(clock, { max: 2, periodMs: 86_400_000 }))
    const requests = [read(simulator), read(simulator, '2'), read(simulator)]
    const statuses = []
    for (const request of requests) statuses.push((await request()).status)
    expect(statuses).toEqual([200, 200, 429])
    const send = createClient(simulator, simulator.oauth.issue('1').accessToken)
    const body = { DisplayName: 'A' }
    expect((await send('POST', '/v3/company/1/vendor', { headers: json, body })).status).toBe(200)
  })

  test('are 10 requests at the same time', async () => {
    const { simulator } = open()
    const { accessToken } = simulator.oauth.issue('1')
    const headers = { ...json, authorization: `Bearer ${accessToken}` }
    const request = {
      method: 'GET',
      url: '/v3/company/1/preferences',
      headers,
      body: Buffer.alloc(0),
    }
    for (let count = 0; count < 10; count++) {
      await simulator.begin(request)
      simulator.clock.advance(1000)
    }
    expect((await simulator.begin(request)).reply?.status).toBe(429)
    expect(simulator.journal.mostAtOnce('1')).toBe(11)
  })
})

test('starts with records and answers over HTTP', async () => {
  await using simulator = await start({ records: 3 })
  const [account] = simulator.accounts.list()
  const { accessToken } = simulator.oauth.issue(account?.id ?? '')
  const query = new URLSearchParams({ query: 'SELECT COUNT(*) FROM Invoice' })
  const response = await fetch(`${simulator.url}/v3/company/${account?.id}/query?${query}`, {
    headers: { authorization: `Bearer ${accessToken}`, ...json },
  })
  expect(await response.json()).toMatchObject({ QueryResponse: { totalCount: 3 } })
})
