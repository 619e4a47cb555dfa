/** The Vendure connector without a Vendure: the requests of listings. */
import { describe, expect, test } from 'vitest'
import type { Json, ListPosition } from '../../src/definition/connector.ts'
import { CONTEXT, findResource, readFixture, readPage, responseWith } from './vendure/fixtures.ts'

const SINCE = '2026-03-01T12:00:00.000Z'

/** The query of a listing request, without white space. */
const requestOf = (name: string, position: ListPosition) => {
  const request = findResource(name).listRequest(position)
  // Every request of the connector has such a body.
  const { query, variables } = request.body as { query: string; variables: { options: Json } }
  return { ...request, text: query.replace(/\s+/g, ' ').trim(), options: variables.options }
}

/** Feeds a listing with pages and returns its requests. */
const walk = (
  name: string,
  since: string | undefined,
  pages: readonly (readonly string[])[],
  totals: readonly number[],
) => {
  const steps: Json[] = []
  const ids: string[] = []
  let cursor: Json | undefined
  for (const [index, page] of pages.entries()) {
    const { options } = requestOf(name, { since, cursor })
    steps.push(options)
    const list = { items: page.map((id) => ({ id })), totalItems: totals[index] ?? 0 }
    const { records, next } = findResource(name).readList(responseWith({ [name]: list }), {
      since,
      cursor,
      context: CONTEXT,
    })
    ids.push(...records.map((record) => (record as { id: string }).id))
    cursor = next
    if (next === undefined) break
  }
  return { steps, ids, cursor }
}

describe('a full listing', () => {
  test('requests records by id, and can be restarted', () => {
    const { method, path, read, options, text } = requestOf('orders', {
      since: undefined,
      cursor: undefined,
    })
    expect({ method, path, read }).toEqual({ method: 'POST', path: '/admin-api', read: true })
    expect(text).toMatch(/^query \(\$options: OrderListOptions\) \{ orders\(options: \$options\)/)
    expect(options).toEqual({
      // Excludes carts and drafts.
      filter: { orderPlacedAt: { isNull: false } },
      sort: { id: 'ASC' },
      skip: 0,
      take: 100,
    })
  })

  test('adds the unit of amounts to each record', () => {
    const page = { orders: { items: [{ id: '1' }, { id: '2' }], totalItems: 2 } }
    const context = { ...CONTEXT, moneyStrategyPrecision: 3 }
    const position = { since: undefined, cursor: undefined, context }
    expect(findResource('orders').readList(responseWith(page), position)).toEqual({
      records: [
        { id: '1', moneyStrategyPrecision: 3 },
        { id: '2', moneyStrategyPrecision: 3 },
      ],
      next: undefined,
    })
  })

  test('continues after the end of a page, whatever its size', () => {
    const { steps, ids, cursor } = walk(
      'customers',
      undefined,
      [
        ['1', '2'],
        ['2', '3'],
        ['3', '4', '5'],
      ],
      [5, 5, 5],
    )
    // Each page repeats the last record of the previous one.
    expect(steps).toMatchObject([{ skip: 0 }, { skip: 1 }, { skip: 2 }])
    expect(ids).toEqual(['1', '2', '3', '4', '5'])
    expect(cursor).toBeUndefined()
  })

  test('goes back after a deletion, even if a new record hides it from the count', () => {
    // 1 and 2 are deleted after the first page, and two records arrive: 5 moves to a position already read.
    const pages = [
      ['1', '2', '3', '4'],
      ['6', '7', '8'],
      ['3', '4', '5', '6', '7', '8'],
    ]
    const { steps, ids, cursor } = walk('customers', undefined, pages, [8, 8, 6])
    expect(steps).toMatchObject([{ skip: 0 }, { skip: 3 }, { skip: 0 }])
    expect(new Set(ids)).toEqual(new Set(['1', '2', '3', '4', '5', '6', '7', '8']))
    expect(cursor).toBeUndefined()
  })

  test('goes back from an empty page, too', () => {
    const { steps, ids } = walk('customers', undefined, [['1', '2'], [], ['3']], [4, 1, 1])
    expect(steps).toMatchObject([{ skip: 0 }, { skip: 1 }, { skip: 0 }])
    expect(ids).toContain('3')
  })

  test('ends with a page without a new record, whatever the total is', () => {
    expect(walk('customers', undefined, [['1', '2'], ['2']], [5, 5]).cursor).toBeUndefined()
  })

  test('extracts the fulfillments of the orders', () => {
    const [page] = readFixture('fulfillments').pages
    if (!page) throw new Error('no page was recorded')
    expect(readPage('fulfillments', page).records).toMatchObject([
      { orderId: '2', state: 'Shipped' },
      { orderId: '4', state: 'Delivered' },
    ])
  })
})

describe('a listing of changes', () => {
  test('of customers takes one pass', () => {
    expect(requestOf('customers', { since: SINCE, cursor: undefined }).options).toMatchObject({
      filter: { updatedAt: { after: SINCE } },
    })
  })

  test('of products finds those with a changed variant only', () => {
    const { since, pages } = readFixture('products-changes')
    expect(
      pages.map(
        ({ cursor }) => requestOf('products', { since, cursor: cursor ?? undefined }).options,
      ),
    ).toMatchObject([
      { filter: { updatedAt: { after: since } }, take: 100 },
      { filter: { updatedAt: { after: since } } },
      { filter: { id: { in: ['1'] } } },
    ])
    const read = pages.map((page) => readPage('products', page, since).records)
    expect(read).toMatchObject([[], [], [{ id: '1', defaultCurrencyCode: 'EUR' }]])
  })

  test('of orders returns the new ones, then the open ones, then completed ones with a changed part', () => {
    const { since, pages } = readFixture('orders-changes')
    const questions = pages.map(({ cursor }) =>
      requestOf('orders', { since, cursor: cursor ?? undefined }),
    )
    const done = ['Shipped', 'Delivered', 'Cancelled']
    const placed = { orderPlacedAt: { isNull: false } }
    // The orders that the first pass skips, including those of the same millisecond.
    const rest = { before: new Date(Date.parse(since ?? '') + 1).toISOString() }
    expect(questions.map(({ options }) => options)).toMatchObject([
      {
        filter: {
          ...placed,
          _or: [{ updatedAt: { after: since } }, { orderPlacedAt: { after: since } }],
        },
      },
      { filter: { updatedAt: rest, orderPlacedAt: rest, state: { notIn: done } } },
      {
        filter: {
          updatedAt: rest,
          state: { in: done },
          orderPlacedAt: { ...rest, after: expect.any(String) },
        },
      },
      { filter: { ...placed, id: { in: ['4'] } } },
    ])
    // The third pass reads only times.
    expect(questions[2]?.text).not.toContain('code')
    const states = pages.map((page) =>
      readPage('orders', page, since).records.map((record) => (record as { state: string }).state),
    )
    expect(states).toEqual([[], ['PaymentAuthorized'], [], ['Delivered']])
  })

  test('of orders watches completed ones for sixty days', () => {
    const cursor = { pass: 'completed' }
    expect(requestOf('orders', { since: SINCE, cursor, context: CONTEXT }).options).toMatchObject({
      filter: { orderPlacedAt: { after: '2025-12-31T12:00:00.000Z' } },
    })
  })

  test('of orders fetches the completed ones with a new time on any part', () => {
    const cursor = { pass: 'completed' }
    const before = '2026-03-01T11:00:00.000Z'
    const later = '2026-03-01T12:30:00.000Z'
    const payment = { updatedAt: before, refunds: [] }
    const entry = { payments: [payment], fulfillments: [{ updatedAt: before }], modifications: [] }
    const items = [
      { ...entry, id: 'still' },
      { ...entry, id: 'without parts', payments: [], fulfillments: [] },
      { ...entry, id: 'delivered', fulfillments: [{ updatedAt: before }, { updatedAt: later }] },
      { ...entry, id: 'paid', payments: [{ ...payment, updatedAt: SINCE }] },
      { ...entry, id: 'refunded', payments: [{ ...payment, refunds: [{ updatedAt: later }] }] },
      { ...entry, id: 'modified', modifications: [{ updatedAt: later }] },
    ]
    const { records, next } = findResource('orders').readList(
      responseWith({ orders: { items, totalItems: items.length } }),
      { since: SINCE, cursor, context: CONTEXT },
    )
    expect(records).toEqual([])
    expect(next).toMatchObject({
      at: { ids: ['delivered', 'paid', 'refunded', 'modified'] },
    })
  })

  test('of products does not fetch the results of the first pass again', () => {
    const cursor = { pass: 'withChangedVariant' }
    const items = [
      { productId: '1', product: { updatedAt: SINCE } },
      { productId: '2', product: { updatedAt: '2026-03-01T12:00:00.001Z' } },
      { productId: '1', product: { updatedAt: SINCE } },
    ]
    const { next } = findResource('products').readList(
      responseWith({ productVariants: { items, totalItems: items.length } }),
      { since: SINCE, cursor, context: CONTEXT },
    )
    expect(next).toMatchObject({ at: { ids: ['1'] } })
  })

  test('of fulfillments searches the orders for changed ones', () => {
    const { since, pages } = readFixture('fulfillments-changes')
    const read = pages.map((page) => readPage('fulfillments', page, since).records)
    expect(read).toMatchObject([[], [{ id: '2', orderId: '4', state: 'Delivered' }]])
  })

  test('fetches many traced records page by page, then continues tracing', () => {
    const found = Array.from({ length: 150 }, (_, index) => ({
      id: `variant-${index}`,
      productId: String(index + 1),
      product: { updatedAt: SINCE },
    }))
    const cursor = { pass: 'withChangedVariant' }
    const trace = findResource('products').readList(
      responseWith({ productVariants: { items: [...found, ...found], totalItems: 301 } }),
      { since: SINCE, cursor, context: CONTEXT },
    )
    const first = requestOf('products', { since: SINCE, cursor: trace.next })
    expect(first.options).toMatchObject({ filter: { id: { in: { length: 100 } } } })
    const none = responseWith({ products: { items: [], totalItems: 0 } })
    const { next: second } = findResource('products').readList(none, {
      since: SINCE,
      cursor: trace.next,
      context: CONTEXT,
    })
    expect(
      requestOf('products', { since: SINCE, cursor: second, context: CONTEXT }).options,
    ).toMatchObject({
      filter: { id: { in: { length: 50 } } },
    })
    const { next: third } = findResource('products').readList(none, {
      since: SINCE,
      cursor: second,
      context: CONTEXT,
    })
    expect(requestOf('products', { since: SINCE, cursor: third })).toMatchObject({
      text: expect.stringContaining('productVariants'),
      options: { skip: 299 },
    })
  })
})
