/** The Shopify connector without a shop: listings. */
import { describe, expect, test } from 'vitest'
import type { Json, ListPage } from '../../src/definition/connector.ts'
import {
  connection,
  context,
  findResource,
  globalId,
  look,
  okResponse,
  SINCE,
  sentIn,
} from './shopify/fixtures.ts'

/** The requests of a listing whose responses have these data, and its pages. */
const listingOf = (name: string, since: string | undefined, data: readonly object[]) => {
  const { listRequest, readList } = findResource(name)
  const requests: ReturnType<typeof sentIn>[] = []
  const pages: ListPage[] = []
  let cursor: Json | undefined
  for (const response of data) {
    const position = { since, cursor, context }
    requests.push(sentIn(listRequest(position)))
    const page = readList(okResponse(response), position)
    pages.push(page)
    // A cursor is stored as JSON.
    cursor = JSON.parse(JSON.stringify(page.next ?? null)) ?? undefined
  }
  return { requests, pages, records: pages.flatMap(({ records }) => records), cursor }
}

describe('a listing', () => {
  const order = (id: number, lines: object) => ({ id: globalId('Order', id), lineItems: lines })

  test('of orders sorts by id, and by time if it asks for changes and deletions', () => {
    const all = listingOf('orders', undefined, [
      look('orders', 250),
      { orders: connection([order(1, connection([]))]) },
    ])
    expect(all.requests[1]?.document).toContain('sortKey: ID, reverse: false')
    expect(all.requests[1]?.variables).toEqual({ after: null, query: null })
    expect(all.cursor).toBeUndefined()

    const destroyed = { action: 'destroy', subjectType: 'ORDER', subjectId: globalId('Order', 7) }
    const changed = listingOf('orders', SINCE, [
      { orders: connection([], { hasNextPage: true, endCursor: 'c1' }) },
      { orders: connection([]) },
      { events: connection([destroyed, { ...destroyed, action: 'closed' }]) },
    ])
    expect(changed.requests.map(({ variables }) => variables)).toEqual([
      { after: null, query: "updated_at:>='2026-01-02T03:04:05Z'" },
      { after: 'c1', query: "updated_at:>='2026-01-02T03:04:05Z'" },
      {
        after: null,
        query: "action:destroy subject_type:ORDER created_at:>='2026-01-02T03:04:05Z'",
      },
    ])
    expect(changed.requests[0]?.document).toContain('sortKey: UPDATED_AT')
    expect(changed.pages.at(-1)).toMatchObject({ records: [], deleted: [globalId('Order', 7)] })
    expect(changed.cursor).toBeUndefined()
  })

  test('reads the other lines of a long order before the next page', () => {
    const morePages = (endCursor: string) => ({ hasNextPage: true, endCursor })
    const { requests, records, cursor } = listingOf('orders', undefined, [
      look('orders', 3),
      {
        orders: connection(
          [
            order(1, connection([{ id: 'a' }], morePages('x'))),
            order(2, connection([{ id: 'b' }])),
          ],
          morePages('page2'),
        ),
      },
      { node: order(1, connection([{ id: 'a' }], morePages('y'))) },
      { node: order(1, connection([{ id: 'c' }])) },
      { orders: connection([]) },
    ])
    expect(requests.slice(1).map(({ variables }) => variables)).toEqual([
      { after: null, query: null },
      { id: globalId('Order', 1), after: null },
      { id: globalId('Order', 1), after: 'y' },
      { after: 'page2', query: null },
    ])
    expect(records).toEqual([order(2, [{ id: 'b' }]), order(1, [{ id: 'a' }, { id: 'c' }])])
    expect(cursor).toBeUndefined()
  })

  test('goes on if a long order was deleted in the meantime', () => {
    const open = connection([], { hasNextPage: true, endCursor: 'x' })
    const { records, cursor } = listingOf('orders', undefined, [
      look('orders', 1),
      { orders: connection([order(1, open)]) },
      { node: null },
    ])
    expect({ records, cursor }).toEqual({ records: [], cursor: undefined })
  })

  test('of fulfillments reads those of the listed orders by their ids', () => {
    const part = connection([])
    const { requests, records } = listingOf('fulfillments', SINCE, [
      {
        orders: connection([
          { id: globalId('Order', 1), fulfillments: [{ id: 'f1' }, { id: 'f2' }] },
        ]),
      },
      { nodes: [{ id: 'f1', fulfillmentLineItems: part }, null] },
    ])
    expect(requests[1]?.variables).toEqual({ ids: ['f1', 'f2'] })
    expect(records).toEqual([{ id: 'f1', fulfillmentLineItems: [] }])
  })

  test('of customers filters by the day before, and ends at the first that is older', () => {
    const customer = (id: number, updatedAt: string) => ({
      id: globalId('Customer', id),
      updatedAt,
    })
    const { requests, records } = listingOf('customers', SINCE, [
      {
        customers: connection(
          [customer(1, '2026-01-02T03:04:05Z'), customer(2, '2026-01-02T03:04:04Z')],
          { hasNextPage: true, endCursor: 'c' },
        ),
      },
      { events: connection([]) },
    ])
    expect(requests[0]?.variables.query).toBe("updated_at:>='2026-01-01'")
    expect(requests[0]?.document).toContain('sortKey: UPDATED_AT, reverse: true')
    expect(requests[1]?.variables.query).toContain('subject_type:CUSTOMER')
    expect(records).toEqual([customer(1, '2026-01-02T03:04:05Z')])
  })

  test('of products names every status', () => {
    const { requests } = listingOf('products', SINCE, [{ products: connection([]) }])
    expect(requests[0]?.variables.query).toBe(
      "status:active,archived,draft,unlisted updated_at:>='2026-01-02T03:04:05Z'",
    )
  })
})
