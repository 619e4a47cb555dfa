/** The HubSpot simulator: OAuth, limits and webhooks. */
import { createHash, createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { createFixedWindow } from './engine/limits.ts'
import { createHubSpot, type HubSpotStartOptions, start } from './hubspot/start.ts'
import { errorOf, NOON, openPortal, PORTAL } from './hubspot-client.ts'

const CALLBACK = 'https://us.example/callback'
const SECRET = 'secret'
const client = { clientId: 'ours', clientSecret: SECRET, redirectUris: [CALLBACK] }
const form = { 'content-type': 'application/x-www-form-urlencoded' }

describe('OAuth', () => {
  const connect = async (settings: { hasLeads?: boolean } = {}) => {
    const clock = { startMs: NOON, frozen: true }
    const simulator = createHubSpot({ clients: [client], clock })
    simulator.addPortal(PORTAL, 'Acme')
    simulator.addPortal('7', 'Other', settings)
    const send = createClient(simulator)
    const request = {
      client_id: 'ours',
      redirect_uri: CALLBACK,
      scope: 'oauth crm.objects.contacts.read',
      optional_scope: 'crm.objects.leads.read',
      state: 's',
    }
    const body = new URLSearchParams({ ...request, account: '7', decision: 'allow' }).toString()
    const page = await send('GET', `/oauth/authorize?${new URLSearchParams(request)}`)
    const redirect = await send('POST', '/oauth/authorize', { headers: form, body })
    const { searchParams } = new URL(redirect.headers.location ?? '')
    const credentials = { client_id: 'ours', client_secret: SECRET }
    const requestToken = (parameters: Record<string, string>, path = '2026-03/token') =>
      send('POST', `/oauth/${path}`, {
        headers: form,
        body: new URLSearchParams({ ...credentials, ...parameters }).toString(),
      })
    const code = searchParams.get('code') ?? ''
    const tokens = await requestToken({
      grant_type: 'authorization_code',
      code,
      redirect_uri: CALLBACK,
    })
    return { simulator, page, searchParams, requestToken, tokens }
  }

  test('issues tokens that name the portal and give access only to it', async () => {
    const { simulator, page, searchParams, tokens } = await connect()
    expect(page.body).toContain('Acme')
    expect(searchParams.get('state')).toBe('s')
    expect(tokens.json).toMatchObject({
      token_type: 'bearer',
      expires_in: 1800,
      hub_id: 7,
      token_use: 'access_token',
      scopes: ['oauth', 'crm.objects.contacts.read', 'crm.objects.leads.read'],
    })
    const send = createClient(simulator, tokens.json.access_token)
    const details = await send('GET', '/account-info/2026-09/details')
    expect(details.json.portalId).toBe(7)
  })

  test('a portal without leads is not granted their optional scopes', async () => {
    const { tokens } = await connect({ hasLeads: false })
    expect(tokens.json.scopes).toEqual(['oauth', 'crm.objects.contacts.read'])
  })

  test('access tokens last 30 minutes; the refresh token stays the same', async () => {
    const { simulator, tokens, requestToken } = await connect()
    const { access_token, refresh_token } = tokens.json
    simulator.clock.advance(1_800_000)
    const late = createClient(simulator, access_token)
    const reply = await late('GET', '/crm/objects/2026-03/contacts')
    expect(errorOf(reply)).toEqual([401, 'EXPIRED_AUTHENTICATION'])
    const refresh = () =>
      requestToken({ grant_type: 'refresh_token', refresh_token }, '2026-09/token')
    expect((await refresh()).json.refresh_token).toBe(refresh_token)
    simulator.oauth.revokeGrants('7')
    const refused = await refresh()
    expect([refused.status, refused.json.status]).toEqual([400, 'BAD_REFRESH_TOKEN'])
    simulator.assertSound()
  })

  test('introspects tokens of the same app, and revokes them', async () => {
    const { simulator, tokens, requestToken } = await connect()
    const { access_token, refresh_token } = tokens.json
    const introspect = async (text: string, credentials = {}) =>
      (await requestToken({ token: text, ...credentials }, '2026-03/token/introspect')).json
    simulator.clock.advance(600_000)
    expect(await introspect(access_token)).toMatchObject({
      active: true,
      hub_id: 7,
      client_id: 'ours',
      expires_in: 1200,
      token_use: 'access_token',
    })
    expect(await introspect(refresh_token)).toMatchObject({ token_use: 'refresh_token' })
    expect(await introspect('x')).toEqual({ active: false })
    expect((await introspect(access_token, { client_secret: 'x' })).error).toBe('invalid_client')
    expect((await requestToken({ token: refresh_token }, '2026-03/token/revoke')).status).toBe(200)
    expect(await introspect(access_token)).toEqual({ active: false })
  })

  test('credentials must be in the body, and the version must exist', async () => {
    const { simulator, tokens } = await connect()
    const { refresh_token } = tokens.json
    const send = createClient(simulator)
    const authorization = `Basic ${Buffer.from(`ours:${SECRET}`).toString('base64')}`
    const body = new URLSearchParams({ grant_type: 'refresh_token', refresh_token }).toString()
    const headers = { ...form, authorization }
    expect((await send('POST', '/oauth/2026-03/token', { headers, body })).status).toBe(401)
    expect((await send('POST', '/oauth/2024-01/token', { headers, body })).status).toBe(404)
  })
})

describe('limits', () => {
  const countStatuses = async (
    count: number,
    request: () => Promise<{ readonly status: number }>,
  ) => {
    const statuses = new Map<number, number>()
    for (let at = 0; at < count; at++) {
      const { status } = await request()
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
    }
    return Object.fromEntries(statuses)
  }

  test('are 110 requests in 10 seconds of an app in a portal, counted in headers', async () => {
    const { send, simulator } = openPortal({ limited: true })
    const list = () => send('GET', '/objects/V/contacts')
    const first = await list()
    expect(first.headers).toMatchObject({
      'x-hubspot-ratelimit-interval-milliseconds': '10000',
      'x-hubspot-ratelimit-max': '110',
      'x-hubspot-ratelimit-remaining': '109',
    })
    expect(first.headers).not.toHaveProperty('x-hubspot-ratelimit-daily')
    expect(await countStatuses(110, list)).toEqual({ 200: 109, 429: 1 })
    const refused = await list()
    expect(refused.json).toMatchObject({
      errorType: 'RATE_LIMIT',
      policyName: 'TEN_SECONDLY_ROLLING',
      message: 'You have reached your ten_secondly_rolling limit.',
    })
    expect(refused.headers).not.toHaveProperty('retry-after')
    simulator.clock.advance(10_000)
    expect((await list()).status).toBe(200)
    simulator.assertSound()
  })

  test('are 5 searches a second of a portal, without headers', async () => {
    const { post, simulator } = openPortal({ limited: true })
    const search = () => post('/objects/V/contacts/search', {})
    expect(await countStatuses(6, search)).toEqual({ 200: 5, 429: 1 })
    const refused = await search()
    expect(errorOf(refused)).toEqual([429, 'SECONDLY'])
    expect(refused.headers).not.toHaveProperty('x-hubspot-ratelimit-remaining')
    simulator.clock.advance(1000)
    expect((await search()).status).toBe(200)
  })

  test('are also daily for a private app', async () => {
    const { send, simulator } = openPortal({ limited: true, appKind: 'private' })
    const { clock, limits } = simulator
    limits.set('requests per day', createFixedWindow(clock, { max: 2, periodMs: 86_400_000 }))
    const list = () => send('GET', '/objects/V/contacts')
    expect((await list()).headers).toMatchObject({
      'x-hubspot-ratelimit-max': '190',
      'x-hubspot-ratelimit-daily': '2',
      'x-hubspot-ratelimit-daily-remaining': '1',
    })
    await list()
    expect(errorOf(await list())).toEqual([429, 'DAILY'])
  })
})

describe('webhooks', () => {
  const stops: (() => void)[] = []
  afterEach(() => {
    for (const stop of stops.splice(0)) stop()
  })

  interface Received {
    readonly body: string
    readonly headers: Readonly<Record<string, unknown>>
  }

  const receive = async (
    options: HubSpotStartOptions = {},
    topics?: readonly string[],
    statuses: number[] = [],
  ) => {
    const received: Received[] = []
    const server = createServer(async (request, response) => {
      const chunks: Buffer[] = []
      for await (const chunk of request) chunks.push(chunk)
      received.push({ body: Buffer.concat(chunks).toString(), headers: request.headers })
      response.writeHead(statuses.shift() ?? 200).end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    stops.push(
      () => server.closeAllConnections(),
      () => server.close(),
    )
    // A server that listens on a TCP port has an address of this type.
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks?a=b`
    const opened = openPortal(options)
    const { simulator } = opened
    simulator.webhooks.subscribe({ id: 'app', url, secret: SECRET, ...(topics && { topics }) })
    const deliver = async (afterMs = 2000) => {
      simulator.clock.advance(afterMs)
      await simulator.webhooks.deliver()
      return received
        .splice(0)
        .map(({ body, headers }) => ({ events: JSON.parse(body), body, headers }))
    }
    return { ...opened, url, deliver }
  }

  const typesOf = (events: readonly { readonly subscriptionType: string }[]) =>
    events.map(({ subscriptionType }) => subscriptionType)

  test('are signed over method, address, body and time', async () => {
    const { portal, url, deliver } = await receive()
    portal.create('contacts', { email: 'a@example.com' })
    const [message] = await deliver()
    const { body = '', headers = {} } = message ?? {}
    const timestamp = headers['x-hubspot-request-timestamp']
    expect(timestamp).toBe(String(NOON + 2000))
    const signed = `POST${url}${body}${timestamp}`
    const signature = createHmac('sha256', SECRET).update(signed).digest('base64')
    expect(headers['x-hubspot-signature-v3']).toBe(signature)
    const first = createHash('sha256').update(`${SECRET}${body}`).digest('hex')
    expect(headers['x-hubspot-signature']).toBe(first)
    expect(message?.events[0]).toMatchObject({
      subscriptionType: 'object.creation',
      objectTypeId: '0-1',
      portalId: Number(PORTAL),
      occurredAt: NOON,
      attemptNumber: 0,
      changeFlag: 'CREATED',
      changeSource: 'CRM_UI',
    })
  })

  test('report each kind of change', async () => {
    const { portal, send, deliver } = await receive({ webhookFormat: 'typed' })
    const create = (email: string) => String(portal.create('contacts', { email }).id)
    const [first, second] = [create('a@example.com'), create('b@example.com')]
    const company = String(portal.create('companies', { name: 'Acme' }).id)
    await deliver()
    const body = { properties: { firstname: 'Amy', email: 'a@example.com' } }
    await send('PATCH', `/objects/V/contacts/${first}`, { body })
    portal.associate('contacts', first, { type: 'companies', id: company, typeId: 1 })
    portal.archive('companies', company)
    portal.restore('companies', company)
    const [{ events } = { events: [] }] = await deliver()
    expect(events[0]).toMatchObject({
      subscriptionType: 'contact.propertyChange',
      objectId: Number(first),
      propertyName: 'firstname',
      propertyValue: 'Amy',
      changeSource: 'INTEGRATION',
    })
    expect(typesOf(events)).toEqual([
      'contact.propertyChange',
      'contact.associationChange',
      'company.associationChange',
      'contact.associationChange',
      'company.associationChange',
      'company.deletion',
      'company.restore',
    ])
    expect(events[3]).toMatchObject({
      associationType: 'CONTACT_TO_COMPANY',
      isPrimaryAssociation: true,
      fromObjectId: Number(first),
      toObjectId: Number(company),
      associationRemoved: false,
    })
    const merged = portal.merge('contacts', second, first)
    const [merge] = await deliver()
    const event = merge?.events.find(
      ({ subscriptionType }: { readonly subscriptionType: string }) =>
        subscriptionType === 'contact.merge',
    )
    expect(event).toMatchObject({
      primaryObjectId: Number(first),
      mergedObjectIds: [Number(second)],
      newObjectId: Number(merged.id),
    })
    portal.purge('contacts', String(merged.id))
    const [privacy] = await deliver()
    expect(typesOf(privacy?.events)).toEqual(['contact.privacyDeletion'])
  })

  test('are sent for the topics of the subscription, in batches of 100', async () => {
    const { portal, deliver } = await receive({}, ['object.propertyChange:dealname'])
    for (let count = 0; count < 101; count++)
      portal.create('deals', { dealname: `Deal ${count}`, dealstage: 'contractsent', amount: '5' })
    const messages = await deliver()
    expect(messages.map(({ events }) => events.length)).toEqual([100, 1])
    expect(messages[1]?.events[0]).toMatchObject({ propertyValue: 'Deal 100' })
  })

  test('are sent again with the number of the attempt', async () => {
    const { portal, deliver } = await receive({}, ['object.creation'], [500, 404])
    portal.create('companies', { name: 'Acme' })
    const attempts = []
    for (const afterMs of [2000, 60_000, 300_000, 900_000]) attempts.push(await deliver(afterMs))
    const numbers = attempts.map((messages) =>
      messages.map(({ events }) => events[0].attemptNumber),
    )
    expect(numbers).toEqual([[0], [1], [2], []])
    const times = attempts.flat().map(({ events }) => events[0].occurredAt)
    expect(new Set(times)).toEqual(new Set([NOON]))
  })
})

test('starts with records and answers over HTTP', async () => {
  await using simulator = await start({ records: 3 })
  const [account] = simulator.accounts.list()
  const { accessToken } = simulator.oauth.issue(account?.id ?? '')
  for (const type of ['companies', 'contacts', 'deals', 'leads', 'notes', 'tasks']) {
    const response = await fetch(`${simulator.url}/crm/objects/2026-09/${type}`, {
      headers: { authorization: `Bearer ${accessToken}` },
    })
    expect((await response.json()).results).toHaveLength(3)
  }
})
