/** The Shopify simulator: pages, sort keys, the search language, costs and bulk operations. */
import { describe, expect, test } from 'vitest'
import { createBucket } from './engine/limits.ts'
import { sendFile } from './shopify/bulk-file.ts'
import { codeOf, open } from './shopify-client.ts'

const line = { title: 'Shirt', quantity: 1 }

/** Creates a shop with `count` orders, by default one a minute: `order 0`, `order 1`, … */
const openWithOrders = (
  count: number,
  options: Parameters<typeof open>[0] = {},
  stepMs = 60_000,
) => {
  const opened = open(options)
  const ids = Array.from({ length: count }, (_, index) => {
    opened.simulator.clock.advance(stepMs)
    return opened.shop.createOrder({ lineItems: [line], note: `order ${index}` })
  })
  const listNotes = async (args: string, variables?: object) => {
    const { orders } = await opened.query(`query { orders(${args}) { nodes { note } } }`, variables)
    return orders.nodes.map(({ note }: { note: string }) => Number(note.slice(6)))
  }
  return { ...opened, ids, listNotes }
}

describe('pages', () => {
  const PAGE = `query ($after: String) { orders(first: 2, after: $after, sortKey: UPDATED_AT) {
    edges { cursor node { note } } pageInfo { hasNextPage hasPreviousPage endCursor } } }`

  test('follow a cursor, which stays valid when records are deleted', async () => {
    const { query, shop, ids } = openWithOrders(5)
    const first = (await query(PAGE)).orders
    expect(first.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
    expect(first.edges[1].cursor).toBe(first.pageInfo.endCursor)
    for (const id of ids.slice(0, 2)) shop.deleteOrder(id)
    const second = (await query(PAGE, { after: first.pageInfo.endCursor })).orders
    expect(second.edges.map(({ node }: { node: object }) => node)).toEqual([
      { note: 'order 2' },
      { note: 'order 3' },
    ])
    const third = (await query(PAGE, { after: second.pageInfo.endCursor })).orders
    expect(third.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
  })

  test.each<[string, number[]]>([
    ['first: 2', [0, 1]],
    ['first: 2, reverse: true', [4, 3]],
    ['last: 2', [3, 4]],
    ['first: 2, sortKey: ORDER_NUMBER, reverse: true', [4, 3]],
    ['first: 9, sortKey: ID', [0, 1, 2, 3, 4]],
  ])('of %s', async (args, expected) => {
    expect(await openWithOrders(5).listNotes(args)).toEqual(expected)
  })

  test.each<[string, string]>([
    ['no size', 'reverse: false'],
    ['both sizes', 'first: 1, last: 1'],
    ['more than 250', 'first: 251'],
    ['a cursor that was made up', 'first: 1, after: "abc"'],
  ])('with %s are rejected', async (_what, args) => {
    const { send } = openWithOrders(1)
    expect(codeOf(await send(`{ orders(${args}) { nodes { id } } }`))).toBe('BAD_REQUEST')
  })

  test('end at the largest number of records that can be paged through', async () => {
    const { send, query } = openWithOrders(5, { settings: { maxListed: 4 } })
    const first = (await query(PAGE)).orders.pageInfo.endCursor
    const second = (await query(PAGE, { after: first })).orders.pageInfo.endCursor
    expect(codeOf(await send(PAGE, { after: second }))).toBe('BAD_REQUEST')
  })

  test('of a cursor for another order of records are rejected', async () => {
    const { query, send } = openWithOrders(3)
    const { endCursor } = (await query(PAGE)).orders.pageInfo
    const other = `{ orders(first: 1, sortKey: ID, after: "${endCursor}") { nodes { id } } }`
    expect(codeOf(await send(other))).toBe('BAD_REQUEST')
  })
})

describe('searches', () => {
  test.each<[string, number[]]>([
    ["updated_at:>='2026-11-23T20:03:00Z'", [2, 3, 4]],
    ["updated_at:>'2026-11-23T20:03:00Z'", [3, 4]],
    ["created_at:>='2026-11-23T13:04:00-07:00' -created_at:>'2026-11-23T20:04:00Z'", [3]],
    ["created_at:<'2026-11-23T13:03:00'", [0, 1]],
    ['created_at:2026-11-23', [0, 1, 2, 3, 4]],
    ['created_at:2026-11-24', []],
    ['name:1002', [1]],
    ['name:#1002 OR name:#1004', [1, 3]],
    ['(name:1001 OR name:1002) AND NOT name:1002', [0]],
    ['status:open', [0, 1, 2, 3, 4]],
    ['status:cancelled', []],
    ['financial_status:paid,pending', [0, 1, 2, 3, 4]],
    ['fulfillment_status:fulfilled', []],
    ['test:false tag_not:vip', [0, 1, 2, 3, 4]],
    ['"order 3"', [3]],
    ['', [0, 1, 2, 3, 4]],
  ])('%s', async (query, expected) => {
    const { query: ask } = openWithOrders(5)
    const text = 'query ($query: String) { orders(first: 9, query: $query) { nodes { note } } }'
    const found = (await ask(text, { query })).orders.nodes
    expect(found.map(({ note }: { note: string }) => Number(note.slice(6)))).toEqual(expected)
  })

  test.each(['nothing:1', "updated_at:>='yesterday'", 'status:unknown', '(status:open', 'id:x'])(
    'with %s are rejected',
    async (query) => {
      const { send } = openWithOrders(1)
      const text = 'query ($query: String) { orders(first: 9, query: $query) { nodes { id } } }'
      expect(codeOf(await send(text, { query }))).toBe('BAD_REQUEST')
    },
  )

  test('by id take ranges and global ids', async () => {
    const { listNotes, ids } = openWithOrders(3)
    const number = String(ids[1]?.split('/').at(-1))
    expect(await listNotes(`first: 9, query: "id:>=${number}"`)).toEqual([1, 2])
    expect(await listNotes(`first: 9, query: "id:'${ids[1]}'"`)).toEqual([1])
  })

  test('of customers by their time of update compare whole days in the zone of the shop', async () => {
    const { query, shop } = open()
    shop.createCustomer({ firstName: 'Amy' })
    const count = async (text: string) =>
      (
        await query('query ($q: String) { customers(first: 9, query: $q) { nodes { id } } }', {
          q: text,
        })
      ).customers.nodes.length
    expect(await count("updated_at:>'2026-11-23T08:00:00Z'")).toBe(0)
    expect(await count("updated_at:>='2026-11-23T23:00:00Z'")).toBe(1)
    expect(await count("updated_at:>'2026-11-23T06:00:00Z'")).toBe(1)
  })

  test('find a change after the lag of the index', async () => {
    const { listNotes, simulator, query } = openWithOrders(1, { settings: { searchLagMs: 3000 } })
    expect(await listNotes('first: 9, query: "status:open"')).toEqual([])
    expect((await query('{ orders(first: 9) { nodes { id } } }')).orders.nodes).toHaveLength(1)
    simulator.clock.advance(3000)
    expect(await listNotes('first: 9, query: "status:open"')).toEqual([0])
  })

  test('leave out orders older than 60 days without read_all_orders', async () => {
    const { query, shop } = open({ scopes: ['read_orders'] })
    const processedAt = '2026-09-01T00:00:00Z'
    const id = shop.createOrder({ lineItems: [line], processedAt })
    expect(await query(`{ order(id: "${id}") { id } orders(first: 1) { nodes { id } } }`)).toEqual({
      order: null,
      orders: { nodes: [] },
    })
  })
})

describe('costs', () => {
  test.each<[string, number, number]>([
    ['{ shop { name } }', 1, 1],
    ['{ orders(first: 10) { nodes { id } } }', 12, 4],
    ['{ orders(first: 10) { edges { cursor node { id } } pageInfo { hasNextPage } } }', 12, 4],
    [
      'query ($n: Int = 5) { orders(first: $n) { nodes { lineItems(first: 3) { nodes { id } } } } }',
      32,
      10,
    ],
    ['{ orders(first: 10) @skip(if: true) { nodes { id } } shop { name } }', 1, 1],
    ['{ order(id: "gid://shopify/Order/1") { customer { id } } }', 2, 0],
    [
      '{ orders(first: 2) { ...o } } fragment o on OrderConnection { nodes { totalPriceSet { shopMoney { amount } } } }',
      8,
      8,
    ],
  ])('%s', async (text, requested, actual) => {
    const { send } = openWithOrders(2)
    const { extensions } = await send(text)
    expect(extensions.cost).toMatchObject({
      requestedQueryCost: requested,
      actualQueryCost: actual,
    })
  })

  test('are charged to the points of the shop, which are restored', async () => {
    const { send, simulator } = openWithOrders(2, { limited: true })
    const bucket = createBucket(simulator.clock, { max: 14, restoredPerSecond: 2 })
    simulator.limits.set('points', bucket)
    const sendQuery = () => send('{ orders(first: 10) { nodes { id } } }')
    expect((await sendQuery()).extensions.cost.throttleStatus).toEqual({
      maximumAvailable: 14,
      currentlyAvailable: 10,
      restoreRate: 100,
    })
    const throttled = await sendQuery()
    expect([codeOf(throttled), throttled.data]).toEqual(['THROTTLED', undefined])
    expect(throttled.extensions.cost).toMatchObject({
      requestedQueryCost: 12,
      actualQueryCost: null,
      throttleStatus: { currentlyAvailable: 10 },
    })
    simulator.clock.advance(1000)
    expect((await sendQuery()).data.orders.nodes).toHaveLength(2)
  })

  test('of more than 1,000 points are rejected', async () => {
    const { send } = openWithOrders(1)
    const reply = await send(
      '{ orders(first: 250) { nodes { lineItems(first: 5) { nodes { id } } } } }',
    )
    expect(codeOf(reply)).toBe('MAX_COST_EXCEEDED')
  })
})

describe('bulk operations', () => {
  const RUN = `mutation ($query: String!, $group: Boolean! = false) { bulkOperationRunQuery(query: $query,
    groupObjects: $group) { bulkOperation { id status } userErrors { field message code } } }`
  const QUERY =
    '{ orders(sortKey: ID) { edges { node { id note lineItems { edges { node { id title } } } } } } }'
  const READ = `query ($id: ID!) { bulkOperation(id: $id) { status objectCount rootObjectCount url type
    completedAt fileSize } }`

  const run = async (opened: ReturnType<typeof open>, query: string, group = false) => {
    const { bulkOperation } = (await opened.query(RUN, { query, group })).bulkOperationRunQuery
    const statuses = [bulkOperation.status]
    for (let step = 0; step < 2; step++) {
      opened.simulator.clock.advance(500)
      statuses.push((await opened.query(READ, { id: bulkOperation.id })).bulkOperation.status)
    }
    const result = (await opened.query(READ, { id: bulkOperation.id })).bulkOperation
    const path = result.url && new URL(result.url).pathname
    const text = path ? (await opened.client('GET', path)).body : ''
    const lines = text.split('\n').filter(Boolean)
    return { statuses, result, path, lines: lines.map((json) => JSON.parse(json)) }
  }

  test('write one record a line, with the parent of each child', async () => {
    const opened = openWithOrders(300, {}, 1000)
    const { statuses, result, lines, path } = await run(opened, QUERY)
    expect(statuses).toEqual(['CREATED', 'RUNNING', 'COMPLETED'])
    expect(result).toMatchObject({
      objectCount: '600',
      rootObjectCount: '300',
      type: 'QUERY',
      url: `http://simulator${path}`,
    })
    expect(lines.slice(0, 1)).toEqual([{ id: opened.ids[0], note: 'order 0' }])
    expect(lines.at(-1)).toEqual({
      id: expect.stringContaining('gid://shopify/LineItem/'),
      title: 'Shirt',
      __parentId: opened.ids[299],
    })
    const part = await opened.client('GET', path, { headers: { range: 'bytes=0-9' } })
    expect(part).toMatchObject({ status: 206, body: '{"id":"gid' })
    opened.simulator.clock.advance(8 * 86_400_000)
    expect((await opened.client('GET', path)).status).toBe(404)
  })

  // ü has the bytes 1 and 2.
  test.each<[range: string | undefined, status: number, body: string, contentRange?: string]>([
    [undefined, 200, 'aüb'],
    ['bytes=0-0', 206, 'a', 'bytes 0-0/4'],
    ['bytes=0-1', 206, 'a', 'bytes 0-0/4'],
    ['bytes=1-2', 206, 'ü', 'bytes 1-2/4'],
    ['bytes=1-99', 206, 'üb', 'bytes 1-3/4'],
    ['bytes=4-9', 416, '', 'bytes */4'],
    ['bytes=1-1', 200, 'aüb'],
    ['bytes=2-3', 200, 'aüb'],
    ['bytes=3-1', 200, 'aüb'],
    ['bytes=0-0,2-3', 200, 'aüb'],
  ])('have a file of which %s is sent with status %i', (range, status, body, contentRange) => {
    const sent = sendFile(Buffer.from('aüb'), range)
    const shown = [sent.status, sent.body, sent.headers?.['content-range']]
    expect(shown).toEqual([status, body, contentRange])
  })

  test('put children after their parent if they are grouped', async () => {
    const opened = openWithOrders(2)
    const { lines } = await run(opened, QUERY, true)
    expect(lines.map(({ __parentId }) => __parentId)).toEqual([
      undefined,
      opened.ids[0],
      undefined,
      opened.ids[1],
    ])
  })

  test('without a record have no file', async () => {
    const { result } = await run(open(), QUERY)
    expect(result).toMatchObject({ status: 'COMPLETED', objectCount: '0', url: null })
  })

  test.each<[string, string]>([
    ['no connection', '{ shop { name } }'],
    ['a field that does not exist', '{ orders { edges { node { nothing } } } }'],
    ['a mutation', 'mutation { orderDelete(orderId: "x") { deletedId } }'],
    ['three levels', '{ customers { nodes { orders { nodes { lineItems { nodes { id } } } } } } }'],
    [
      'a connection in a list',
      '{ orders { nodes { fulfillments { fulfillmentLineItems { nodes { id } } } } } }',
    ],
    ['bad syntax', '{ orders'],
  ])('with %s are rejected', async (_what, query) => {
    const { bulkOperation, userErrors } = (await open().query(RUN, { query })).bulkOperationRunQuery
    expect([bulkOperation, userErrors[0].code]).toEqual([null, 'INVALID'])
  })

  test('can be cancelled and listed; five run at the same time', async () => {
    const { query } = open()
    const start = async () => (await query(RUN, { query: QUERY })).bulkOperationRunQuery
    const first = await start()
    for (let more = 0; more < 4; more++) await start()
    expect((await start()).userErrors).toMatchObject([{ code: 'LIMIT_REACHED' }])
    const cancel = `mutation ($id: ID!) { bulkOperationCancel(id: $id) { bulkOperation { status }
      userErrors { message } } }`
    expect(
      (await query(cancel, { id: first.bulkOperation.id })).bulkOperationCancel.bulkOperation,
    ).toEqual({
      status: 'CANCELED',
    })
    const list = '{ bulkOperations(first: 9, query: "status:created") { nodes { id } } }'
    expect((await query(list)).bulkOperations.nodes).toHaveLength(4)
  })
})
