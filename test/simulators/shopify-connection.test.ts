/** The Shopify simulator: OAuth, what it rejects, webhooks, and its records over HTTP. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { createShopify, start } from './shopify/start.ts'
import { codeOf, ENDPOINT, NOON, open, SHOP } from './shopify-client.ts'

const CALLBACK = 'https://us.example/callback'
const oauthClient = { clientId: 'ours', clientSecret: 'secret', redirectUris: [CALLBACK] }
const line = { title: 'Shirt', quantity: 1 }

describe('OAuth', () => {
  const connect = async (parameters: Readonly<Record<string, string>> = { expiring: '1' }) => {
    const clock = { startMs: NOON, frozen: true }
    const simulator = createShopify({ clients: [oauthClient], clock })
    simulator.addShop(SHOP, 'Acme')
    simulator.addShop('other.myshopify.com', 'Other')
    const send = createClient(simulator)
    const request = {
      client_id: 'ours',
      redirect_uri: CALLBACK,
      state: 's',
      scope: 'read_orders,write_products',
    }
    const authorize = `/${SHOP}/admin/oauth/authorize`
    const page = await send('GET', `${authorize}?${new URLSearchParams(request)}`)
    const redirect = await send('POST', authorize, {
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ ...request, decision: 'allow' }).toString(),
    })
    const { searchParams } = new URL(redirect.headers.location ?? '')
    const requestToken = (body: Readonly<Record<string, string>>) =>
      send('POST', `/${SHOP}/admin/oauth/access_token`, {
        body: { client_id: 'ours', client_secret: 'secret', ...body },
      })
    const tokens = await requestToken({ code: searchParams.get('code') ?? '', ...parameters })
    const refresh = async (token: string) =>
      (await requestToken({ grant_type: 'refresh_token', refresh_token: token })).json
    const query = (token: string, path = ENDPOINT) =>
      send('POST', path, {
        headers: { 'x-shopify-access-token': token },
        body: { query: '{ orders(first: 1) { nodes { id } } }' },
      })
    return { simulator, page, searchParams, tokens, refresh, query }
  }

  test('the callback is signed and names the shop, and the token gives access only to it', async () => {
    const { page, searchParams, tokens, query } = await connect()
    expect(page.body).toContain('Acme')
    expect(page.body).not.toContain('Other')
    const { hmac, ...signed } = Object.fromEntries(searchParams)
    expect(signed).toMatchObject({ shop: SHOP, state: 's', timestamp: '1795464000' })
    const names = Object.keys(signed).sort()
    const message = names.map((name) => `${name}=${searchParams.get(name)}`).join('&')
    expect(hmac).toBe(createHmac('sha256', 'secret').update(message).digest('hex'))
    expect(tokens.json).toEqual({
      access_token: expect.any(String),
      expires_in: 3600,
      refresh_token: expect.any(String),
      refresh_token_expires_in: 7_776_000,
      scope: 'read_orders,write_products',
    })
    const token = tokens.json.access_token
    expect((await query(token)).json.data.orders.nodes).toEqual([])
    const other = ENDPOINT.replace('acme', 'other')
    expect((await query(token, other)).status).toBe(401)
  })

  test('a code needs expiring=1, because public apps must use tokens that expire', async () => {
    const { tokens } = await connect({})
    expect([tokens.status, tokens.json.error]).toEqual([400, 'invalid_request'])
  })

  test('an access token lasts an hour', async () => {
    const { simulator, tokens, query } = await connect()
    simulator.clock.advance(3_600_000)
    const { status, json } = await query(tokens.json.access_token)
    expect([status, json.errors]).toEqual([401, expect.stringContaining('Invalid API key')])
  })

  test('a refresh token is accepted again until its replacement is used', async () => {
    const { tokens, refresh, query, simulator } = await connect()
    const first = tokens.json.refresh_token
    const second = (await refresh(first)).refresh_token
    simulator.clock.advance(86_400_000)
    const again = await refresh(first)
    expect(again.refresh_token).not.toBe(second)
    expect((await query(again.access_token)).status).toBe(200)
    await refresh(again.refresh_token)
    expect((await refresh(first)).error).toBe('invalid_grant')
  })

  test('a refresh token is not accepted again after 30 days', async () => {
    const { tokens, refresh, simulator } = await connect()
    await refresh(tokens.json.refresh_token)
    simulator.clock.advance(30 * 86_400_000)
    expect((await refresh(tokens.json.refresh_token)).error).toBe('invalid_grant')
  })
})

describe('requests that are rejected', () => {
  test.each<[string, string, object | undefined]>([
    ['an unknown field', '{ orders(first: 1) { nodes { nothing } } }', undefined],
    ['an unknown argument', '{ orders(first: 1, colour: "red") { nodes { id } } }', undefined],
    ['an unknown enum value', '{ orders(first: 1, sortKey: COLOUR) { nodes { id } } }', undefined],
    ['an unknown directive', '{ shop @idempotent(key: "1") { name } }', undefined],
    ['bad syntax', '{ shop', undefined],
    ['an undeclared variable', '{ shop { name } }', { colour: 'red' }],
    [
      'an unknown input field',
      'mutation ($input: CustomerInput!) { customerCreate(input: $input) { customer { id } } }',
      { input: { firstName: 'A', colour: 'red' } },
    ],
    [
      'an amount that is not one',
      'mutation ($order: OrderCreateOrderInput!) { orderCreate(order: $order) { order { id } } }',
      {
        order: {
          lineItems: [
            {
              ...line,
              priceSet: { shopMoney: { amount: '1,5', currencyCode: 'USD' } },
            },
          ],
        },
      },
    ],
  ])('%s', async (_what, query, variables) => {
    const { send, simulator } = open()
    const { data, errors } = await send(query, variables)
    expect([data, errors.length]).toEqual([undefined, 1])
    simulator.assertSound()
  })

  test('an id that is not a global id', async () => {
    expect(codeOf(await open().send('{ order(id: "1") { id } }'))).toBe('BAD_REQUEST')
  })

  test.each<[string, string[]]>([
    ['{ customers(first: 1) { nodes { id } } }', ['read_orders']],
    ['mutation { customerDelete(input: { id: "x" }) { deletedCustomerId } }', ['read_customers']],
    ['{ orders(first: 1) { nodes { customer { id } } } }', ['read_orders']],
  ])('%s without its scope', async (query, scopes) => {
    const { send, shop } = open({ scopes })
    const customerId = shop.createCustomer({ firstName: 'Amy' })
    shop.createOrder({ lineItems: [line], customerId })
    expect(codeOf(await send(query))).toBe('ACCESS_DENIED')
  })

  test.each<[string, string, string, Readonly<Record<string, string>>, object, number]>([
    [
      'another version',
      'POST',
      ENDPOINT.replace('07', '01'),
      {},
      { query: '{ shop { name } }' },
      404,
    ],
    ['another method', 'GET', ENDPOINT, {}, {}, 406],
    ['a header with a meaning', 'POST', ENDPOINT, { 'x-shopify-debug': '1' }, { query: '' }, 400],
    ['a body field', 'POST', ENDPOINT, {}, { query: '{ shop { name } }', colour: 'red' }, 400],
    ['a body without a query', 'POST', ENDPOINT, {}, {}, 400],
  ])('%s', async (_what, method, path, extra, body, status) => {
    const { client, headers } = open()
    const sent = method === 'GET' ? {} : { body }
    expect(
      (await client(method, path, { headers: { ...headers, ...extra }, ...sent })).status,
    ).toBe(status)
  })

  test('with the rate limit error of the vendor if a test injects it', async () => {
    const { send, simulator } = open()
    simulator.faults.add({ kind: 'rate-limited', retryAfterMs: 1000 })
    expect(codeOf(await send('{ shop { name } }'))).toBe('THROTTLED')
  })
})

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0)) stop()
})

/** A receiver of webhooks that responds with `status`. */
const receive = async (status = 200) => {
  const messages: { headers: IncomingHttpHeaders; body: string }[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    messages.push({ headers: request.headers, body: Buffer.concat(chunks).toString() })
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stops.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  // A server that listens on a TCP port has an address of this type.
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  const takeTopics = () => messages.splice(0).map(({ headers }) => headers['x-shopify-topic'])
  return { messages, url, takeTopics }
}

describe('webhooks', () => {
  const SUBSCRIBE = `mutation ($topic: WebhookSubscriptionTopic!, $uri: String!) {
    webhookSubscriptionCreate(topic: $topic, webhookSubscription: { uri: $uri, format: JSON }) {
      webhookSubscription { id topic uri format } userErrors { field message } } }`
  const LIST = '{ webhookSubscriptions(first: 9) { nodes { id topic uri } } }'

  const subscribe = async (topics: readonly string[], status?: number) => {
    const opened = open()
    const receiver = await receive(status)
    for (const topic of topics) await opened.query(SUBSCRIBE, { topic, uri: receiver.url })
    const deliver = () => opened.simulator.webhooks.deliver()
    return { ...opened, ...receiver, deliver }
  }

  test('are signed with the secret of the client, and name the shop, topic and message', async () => {
    const { shop, deliver, messages } = await subscribe(['ORDERS_CREATE'])
    const id = shop.createOrder({ lineItems: [line] })
    await deliver()
    const [message] = messages
    const hmac = createHmac('sha256', 'client-secret').update(message?.body ?? '')
    expect(message?.headers).toMatchObject({
      'x-shopify-topic': 'orders/create',
      'x-shopify-shop-domain': SHOP,
      'x-shopify-webhook-id': 'message-1',
      'x-shopify-api-version': '2026-07',
      'x-shopify-hmac-sha256': hmac.digest('base64'),
    })
    expect(JSON.parse(message?.body ?? '')).toEqual({
      id: Number(id.split('/').at(-1)),
      admin_graphql_api_id: id,
      created_at: '2026-11-23T20:00:00Z',
      updated_at: '2026-11-23T20:00:00Z',
    })
  })

  test('follow orders, fulfillments, products, customers, bulk operations and the end of a connection', async () => {
    const { shop, deliver, takeTopics, query, simulator } = await subscribe([
      'ORDERS_CREATE',
      'ORDERS_UPDATED',
      'ORDERS_CANCELLED',
      'ORDERS_DELETE',
      'FULFILLMENTS_CREATE',
      'FULFILLMENTS_UPDATE',
      'PRODUCTS_CREATE',
      'PRODUCTS_DELETE',
      'CUSTOMERS_CREATE',
      'CUSTOMERS_DELETE',
      'BULK_OPERATIONS_FINISH',
      'APP_UNINSTALLED',
    ])
    const topicsSentBy = async (work: () => unknown) => {
      await work()
      await deliver()
      return takeTopics()
    }
    const order = shop.createOrder({ lineItems: [line] })
    expect(await topicsSentBy(() => undefined)).toEqual(['orders/create'])
    const fulfillment = shop.fulfill(order)
    expect((await topicsSentBy(() => undefined)).sort()).toEqual([
      'fulfillments/create',
      'orders/updated',
    ])
    expect((await topicsSentBy(() => shop.cancelFulfillment(fulfillment))).sort()).toEqual([
      'fulfillments/update',
      'orders/updated',
    ])
    shop.cancelOrder({ orderId: order, reason: 'OTHER', restock: false })
    expect((await topicsSentBy(() => simulator.clock.advance(1000))).sort()).toEqual([
      'orders/cancelled',
      'orders/updated',
    ])
    expect(await topicsSentBy(() => shop.deleteOrder(order))).toEqual(['orders/delete'])
    const product = shop.createProduct({ title: 'Shirt' })
    expect(await topicsSentBy(() => shop.deleteProduct(product))).toContain('products/delete')
    const customer = shop.createCustomer({ firstName: 'Amy' })
    expect(await topicsSentBy(() => shop.deleteCustomer(customer))).toEqual([
      'customers/create',
      'customers/delete',
    ])
    const bulk = `mutation { bulkOperationRunQuery(query: "{ orders { nodes { id } } }") { userErrors { code } } }`
    await query(bulk)
    simulator.clock.advance(500)
    await deliver()
    expect(await topicsSentBy(() => simulator.clock.advance(500))).toEqual([
      'bulk_operations/finish',
    ])
    expect(await topicsSentBy(() => shop.uninstall())).toEqual(['app/uninstalled'])
    await expect(query('{ shop { name } }')).rejects.toThrow('Invalid API key')
  })

  test('whose eight retries fail end the subscription', async () => {
    const { shop, deliver, simulator, client, messages } = await subscribe(['ORDERS_CREATE'], 500)
    shop.createOrder({ lineItems: [line] })
    for (let attempt = 0; attempt < 9; attempt++) {
      await deliver()
      simulator.clock.advance(100 * 60_000)
    }
    expect(new Set(messages.map(({ headers }) => headers['x-shopify-webhook-id'])).size).toBe(1)
    expect(messages).toHaveLength(9)
    // The token of the subscription has expired in the meantime.
    const headers = { 'x-shopify-access-token': simulator.oauth.issue(SHOP).accessToken }
    const { json } = await client('POST', ENDPOINT, { headers, body: { query: LIST } })
    expect(json.data.webhookSubscriptions.nodes).toEqual([])
  })

  test('are subscribed to once for a topic and address, listed and deleted', async () => {
    const { query, url } = await subscribe(['ORDERS_CREATE', 'PRODUCTS_UPDATE'])
    const again = await query(SUBSCRIBE, { topic: 'ORDERS_CREATE', uri: url })
    expect(again.webhookSubscriptionCreate.userErrors).toHaveLength(1)
    const { nodes } = (await query(LIST)).webhookSubscriptions
    expect(nodes).toMatchObject([
      { topic: 'ORDERS_CREATE', uri: url },
      { topic: 'PRODUCTS_UPDATE', uri: url },
    ])
    const remove = `mutation ($id: ID!) { webhookSubscriptionDelete(id: $id) { deletedWebhookSubscriptionId
      userErrors { message } } }`
    const removed = await query(remove, { id: nodes[0].id })
    expect(removed.webhookSubscriptionDelete.deletedWebhookSubscriptionId).toBe(nodes[0].id)
    expect((await query(LIST)).webhookSubscriptions.nodes).toHaveLength(1)
  })
})

test('a started simulator has a shop with records, whose bulk results can be fetched', async () => {
  const clock = { startMs: NOON, frozen: true }
  await using app = await start({ records: 4, clock })
  const { accessToken } = app.oauth.issue(SHOP)
  const query = async (text: string) => {
    const response = await fetch(`${app.url}${ENDPOINT}`, {
      method: 'POST',
      headers: { 'x-shopify-access-token': accessToken, 'content-type': 'application/json' },
      body: JSON.stringify({ query: text }),
    })
    expect(response.headers.get('x-shopify-api-version')).toBe('2026-07')
    const { data } = Object(await response.json())
    return data
  }
  const { orders, customersCount } = await query(`{ customersCount { count } orders(first: 9) {
    nodes { displayFulfillmentStatus customer { email } } } }`)
  expect(customersCount.count).toBe(4)
  expect(orders.nodes[1]).toEqual({
    displayFulfillmentStatus: 'FULFILLED',
    customer: { email: 'amy2@example.com' },
  })
  await query(
    'mutation { bulkOperationRunQuery(query: "{ products { nodes { id } } }") { userErrors { code } } }',
  )
  app.clock.advance(500)
  await query('{ shop { name } }')
  app.clock.advance(500)
  const { bulkOperations } = await query('{ bulkOperations(first: 1) { nodes { url } } }')
  const file = await fetch(bulkOperations.nodes[0].url)
  expect((await file.text()).trim().split('\n')).toHaveLength(4)
})
