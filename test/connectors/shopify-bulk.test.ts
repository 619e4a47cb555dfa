/** The Shopify connector without a shop: listings by bulk operations. */
import { describe, expect, test } from 'vitest'
import type { AppRequest, AppResponse, Json, ListPage } from '../../src/definition/connector.ts'
import { valuesOf } from '../../src/definition/raw-values.ts'
import { context, findResource, globalId, look, okResponse } from './shopify/fixtures.ts'

describe('a listing of a large shop', () => {
  const OPERATION = globalId('BulkOperation', 1)
  const started = { bulkOperationRunQuery: { bulkOperation: { id: OPERATION } } }
  const operationWith = (status: string, url: string | null = null) => ({
    bulkOperation: { status, url },
  })
  const URL = 'https://storage.example/result?signature=s'

  /** A response with lines of a file. Each line is 10 bytes long. */
  const filePart = (from: number, isLast: boolean, lines: readonly object[]): AppResponse => ({
    status: 206,
    headers: {},
    body: {
      lines: lines.map((line, index) => ({
        text: JSON.stringify(line),
        end: from + 10 * (index + 1),
      })),
      isLast,
    },
  })
  const order = (id: number) => ({ id: globalId('Order', id) })
  const fileLine = (id: number, parent: number) => ({
    id: globalId('LineItem', id),
    __parentId: globalId('Order', parent),
  })

  /** The pages for responses. Those with a status are complete. */
  const pagesOf = (name: string, responses: readonly (object | AppResponse)[]) => {
    const { listRequest, readList } = findResource(name)
    const requests: AppRequest[] = []
    const pages: ListPage[] = []
    let cursor: Json | undefined
    for (const response of responses) {
      const position = { since: undefined, cursor, context }
      requests.push(listRequest(position))
      const read = 'headers' in response ? (response as AppResponse) : okResponse(response)
      const page = readList(read, position)
      pages.push(page)
      cursor = page.next
    }
    return { requests, pages, cursor, waits: pages.map(({ waitMs }) => waitMs) }
  }

  test('starts an operation, waits for it, and joins the lines of its file', () => {
    const { requests, pages, cursor, waits } = pagesOf('orders', [
      look('orders', 251, [{ id: OPERATION, status: 'RUNNING', query: '{ other }' }]),
      started,
      operationWith('RUNNING'),
      operationWith('COMPLETED', URL),
      filePart(0, false, [order(1), fileLine(1, 1), order(2), fileLine(2, 2)]),
      filePart(20, true, [order(2), fileLine(2, 2), fileLine(3, 2), order(3)]),
    ])
    expect(waits).toEqual([undefined, 5_000, 5_000, undefined, undefined, undefined])
    expect(requests.map(({ file }) => file)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      { url: URL, from: 0, maxBytes: 1024 * 1024 },
      { url: URL, from: 20, maxBytes: 1024 * 1024 },
    ])
    expect(pages.flatMap(({ records }) => records)).toEqual([
      { ...order(1), lineItems: [{ id: globalId('LineItem', 1) }] },
      {
        ...order(2),
        lineItems: [{ id: globalId('LineItem', 2) }, { id: globalId('LineItem', 3) }],
      },
      { ...order(3), lineItems: [] },
    ])
    expect(cursor).toBeUndefined()
  })

  test('of products separates images from variants, as pages show them', () => {
    const product = globalId('Product', 1)
    const image = { image: { url: 'https://cdn.example/1' } }
    const { pages } = pagesOf('products', [
      look('products', 251),
      started,
      operationWith('COMPLETED', URL),
      filePart(0, true, [
        { id: product },
        { ...image, id: globalId('MediaImage', 1), __parentId: product },
        { id: globalId('Video', 2), __parentId: product },
        { id: globalId('ProductVariant', 3), __parentId: product },
      ]),
    ])
    expect(pages.at(-1)?.records).toEqual([
      {
        id: product,
        media: { nodes: [image, {}] },
        variants: [{ id: globalId('ProductVariant', 3) }],
      },
    ])
  })

  test('uses the operation of an interrupted listing', () => {
    const { requests } = pagesOf('orders', [look('orders', 251), started])
    const { query } = valuesOf(valuesOf(requests[1]?.body).variables)
    const { cursor } = pagesOf('orders', [
      look('orders', 251, [{ id: OPERATION, status: 'RUNNING', query }]),
    ])
    expect(cursor).toEqual({ pass: 'all', at: { step: 'operation', id: OPERATION } })
  })

  test.each<[string, readonly object[], Json | undefined, number | undefined]>([
    ['ends without records', [started, operationWith('COMPLETED')], undefined, undefined],
    [
      'uses pages after a failure',
      [started, operationWith('FAILED')],
      { pass: 'all', at: { step: 'pages' } },
      undefined,
    ],
    [
      'waits for a place',
      [{ bulkOperationRunQuery: { bulkOperation: null } }],
      { pass: 'all', at: { step: 'look' } },
      60_000,
    ],
  ])('after its start, it %s', (_what, responses, next, waitMs) => {
    const { cursor, waits } = pagesOf('customers', [look('customers', 251), ...responses])
    expect([cursor, waits.at(-1)]).toEqual([next, waitMs])
  })

  test('requests more of the file for a record that does not fit', () => {
    const { requests, cursor } = pagesOf('orders', [
      look('orders', 251),
      started,
      operationWith('COMPLETED', URL),
      filePart(0, false, [order(1), fileLine(1, 1)]),
      filePart(0, true, [order(1), fileLine(1, 1), fileLine(2, 1)]),
    ])
    expect(requests.at(-1)?.file).toEqual({ url: URL, from: 0, maxBytes: 2 * 1024 * 1024 })
    expect(cursor).toBeUndefined()
  })
})
