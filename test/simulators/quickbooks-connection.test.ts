/** The QuickBooks simulator: OAuth, limits and webhooks. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { createQuickBooks, type QuickBooksStartOptions, start } from './quickbooks/start.ts'

const NOON = Date.parse('2026-11-23T20:00:00Z')
const CALLBACK = 'https://us.example/callback'
const client = { clientId: 'ours', clientSecret: 'secret', redirectUris: [CALLBACK] }
const basic = `Basic ${Buffer.from('ours:secret').toString('base64')}`
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const json = { accept: 'application/json' }

const open = (options: QuickBooksStartOptions = {}) => {
  const simulator = createQuickBooks({
    clients: [client],
    clock: { startMs: NOON, frozen: true },
    ...options,
  })
  const company = simulator.addCompany('1', 'Acme')
  return { simulator, company, send: createClient(simulator) }
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
    const answer = new URLSearchParams({ ...request, account: '2', decision: 'allow' })
    const redirect = await send('POST', '/connect/oauth2', {
      headers: form,
      body: answer.toString(),
    })
    const { searchParams } = new URL(redirect.headers.location ?? '')
    const exchange = (parameters: Record<string, string>) =>
      send('POST', '/oauth2/v1/tokens/bearer', {
        headers: { ...form, ...json, authorization: basic },
        body: new URLSearchParams(parameters).toString(),
      })
    const code = searchParams.get('code') ?? ''
    const tokens = await exchange({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
    })
    const refresh = (token: string) =>
      exchange({ grant_type: 'refresh_token', refresh_token: token })
    return { simulator, page, searchParams, tokens, refresh }
  }

  test('the callback names the company, and the token opens that company alone', async () => {
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

  test('a refresh token changes once a day, and the one before is refused', async () => {
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

  test('are 10 requests a second of a company, refused in XML without a time to wait', async () => {
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

  test('are 10 requests at once', async () => {
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

describe('webhooks', () => {
  const stops: (() => void)[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })

  const receive = async (options: QuickBooksStartOptions = {}) => {
    const bodies: string[] = []
    const signatures: unknown[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      bodies.push(Buffer.concat(chunks).toString())
      signatures.push(request.headers['intuit-signature'])
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    stops.push(
      () => server.closeAllConnections(),
      () => server.close(),
    )
    const { simulator, company } = open(options)
    // A server that listens on a TCP port has an address of this type.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    simulator.webhooks.subscribe({ id: 'app', url, secret: 'verifier' })
    simulator.clock.advance(60_000)
    await simulator.webhooks.deliver()
    bodies.length = 0
    signatures.length = 0
    const deliver = async () => {
      simulator.clock.advance(5000)
      await simulator.webhooks.deliver()
      return bodies.splice(0).map((body) => JSON.parse(body))
    }
    return { simulator, company, deliver, bodies, signatures }
  }

  test('are CloudEvents, signed over the body, of several companies in one message', async () => {
    const { simulator, company, bodies, signatures } = await receive()
    company.create('Vendor', { DisplayName: 'A' })
    const other = simulator.addCompany('2', 'Other')
    const customer = other.create('Customer', { DisplayName: 'Amy' })
    const payment = other.create('Payment', {
      CustomerRef: { value: String(customer.Id) },
      TotalAmt: 5,
    })
    other.void('Payment', String(payment.Id))
    other.delete('Payment', String(payment.Id))
    simulator.clock.advance(5000)
    await simulator.webhooks.deliver()
    const [body = ''] = bodies
    expect(signatures).toEqual([createHmac('sha256', 'verifier').update(body).digest('base64')])
    const events = JSON.parse(body)
    expect(events[0]).toMatchObject({
      specversion: '1.0',
      type: 'qbo.vendor.created.v1',
      intuitentityid: '1',
      intuitaccountid: '1',
      time: '2026-11-23T20:01:00.000Z',
    })
    const types = events.map(
      ({ type, intuitaccountid }: Record<string, string>) => `${intuitaccountid} ${type}`,
    )
    expect(types.slice(-3)).toEqual([
      '2 qbo.payment.created.v1',
      '2 qbo.payment.voided.v1',
      '2 qbo.payment.deleted.v1',
    ])
    expect(types.join()).not.toMatch(/tax|companyinfo/)
  })

  test('name the survivor of a merge, whose references are rewritten', async () => {
    const { company, deliver } = await receive()
    for (const DisplayName of ['Amy', 'Amy Lee']) company.create('Customer', { DisplayName })
    const payment = company.create('Payment', { CustomerRef: { value: '1' }, TotalAmt: 5 })
    await deliver()
    company.merge('Customer', '1', '2')
    expect(company.find('Customer', '1')).toBeUndefined()
    expect(company.find('Payment', String(payment.Id))).toMatchObject({
      CustomerRef: { value: '2', name: 'Amy Lee' },
      SyncToken: '1',
    })
    expect(company.find('Customer', '2')?.Balance).toBe(-5)
    const [events] = await deliver()
    expect(events).toContainEqual(
      expect.objectContaining({
        type: 'qbo.customer.merged.v1',
        intuitentityid: '2',
        data: { deletedid: '1' },
      }),
    )
  })

  test('have the format before on demand', async () => {
    const { company, deliver } = await receive({ webhookFormat: 'notifications' })
    company.create('Vendor', { DisplayName: 'A' })
    const [{ eventNotifications }] = await deliver()
    expect(eventNotifications).toEqual([
      {
        realmId: '1',
        dataChangeEvent: {
          entities: [
            {
              name: 'Vendor',
              id: '1',
              operation: 'Create',
              lastUpdated: '2026-11-23T20:01:00.000Z',
            },
          ],
        },
      },
    ])
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
