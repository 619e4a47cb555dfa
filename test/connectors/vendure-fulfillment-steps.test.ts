/** The steps of the writes of fulfillments, against planned responses. */
import { describe, expect, test } from 'vitest'
import { CONTEXT, readRawRecords } from './vendure/fixtures.ts'
import { type RawVariant, runSteps, storedRecord, writerOf } from './vendure/steps.ts'

describe('a fulfillment', () => {
  const order = readRawRecords('orders').find(({ fulfillments }) => fulfillments.length > 0)
  const shipment = readRawRecords('fulfillments').find(({ orderId }) => orderId === order.id)
  const listed = {
    orders: { totalItems: 1, items: [{ ...order, fulfillments: [shipment] }] },
  }

  test('affects its order and the shipped products', () => {
    const names = writerOf('fulfillments').sideEffects?.(shipment)
    expect(names).toEqual([
      { topic: 'commerce/orders', remoteId: order.id },
      ...shipment.lines.map(
        ({ orderLine }: { readonly orderLine: { readonly productVariant: RawVariant } }) => ({
          topic: 'commerce/products',
          remoteId: orderLine.productVariant.productId,
        }),
      ),
    ])
    expect(writerOf('orders').sideEffects?.(order)).toEqual(
      order.lines.map(({ productVariant }: { readonly productVariant: RawVariant }) => ({
        topic: 'commerce/products',
        remoteId: productVariant.productId,
      })),
    )
  })

  test('is read through its order, which a stored record names', async () => {
    const record = { remoteFields: { orderId: order.id } }
    const { calls } = await runSteps(
      writerOf('fulfillments').get(shipment.id, storedRecord(shipment.id, record), CONTEXT),
      [listed],
    )
    expect(calls[0]?.variables).toMatchObject({ options: { filter: { id: { in: [order.id] } } } })
  })

  test('of an unknown order is searched for in all orders, newest first', async () => {
    const page = (start: number, length: number) => ({
      orders: {
        totalItems: 1001,
        items: Array.from({ length }, (_, index) => ({ id: String(2000 - start - index) })),
      },
    })
    const found = { id: order.id, fulfillments: [{ id: shipment.id }] }
    const last = { orders: { totalItems: 1001, items: [{ id: '1002' }, found] } }
    const { result, calls } = await runSteps(
      writerOf('fulfillments').get(shipment.id, undefined, CONTEXT),
      [page(0, 500), page(499, 500), last, listed],
    )
    expect(result).toMatchObject({ id: shipment.id, orderId: order.id })
    expect(calls.slice(0, 3).map(({ variables }) => variables.options)).toMatchObject([
      { skip: 0, sort: { id: 'DESC' } },
      // Each page repeats the last order of the previous one.
      { skip: 499 },
      { skip: 998 },
    ])
  })

  test('that no order has does not exist', async () => {
    const { result } = await runSteps(writerOf('fulfillments').get('9999', undefined, CONTEXT), [
      { orders: { totalItems: 1, items: [{ id: '1', fulfillments: [] }] } },
    ])
    expect(result).toBeUndefined()
  })
})
