/** Writes of fulfillments. */
import { describe, expect, test } from 'vitest'
import type { Order } from '../../apps/vendure/state.ts'
import type { Fields, WritingShop } from './writing.ts'

export const fulfillmentWrites = (shop: WritingShop): unknown =>
  describe('a fulfillment', () => {
    const { create, update, refusal, buy, now } = shop
    const shipmentInput = ({ id, lines }: Order, ...quantities: readonly number[]): Fields => ({
      orderId: id,
      lineItems: quantities.map((quantity, index) => ({
        lineItemId: lines[index]?.id ?? '',
        quantity,
      })),
    })

    test('is created in Vendure’s initial state or in the requested one', async () => {
      const order = await buy()
      const packed = await create('fulfillments', {
        ...shipmentInput(order, 1),
        carrier: 'DHL',
        trackingNumbers: ['T-1'],
      })
      expect(packed).toMatchObject({
        carrier: 'DHL',
        trackingNumbers: ['T-1'],
        lineItems: [{ lineItemId: order.lines[0]?.id, quantity: 1, sku: 'LAMP-S' }],
        remoteFields: { state: 'Pending', orderId: order.id },
      })
      const sent = await create('fulfillments', shipmentInput(order, 1, 3), { state: 'Shipped' })
      const own = await now(order)
      expect(own.fulfillments).toMatchObject([
        { id: packed.remoteId, state: 'Pending', method: 'DHL', trackingCode: 'T-1' },
        { id: sent.remoteId, state: 'Shipped', method: '', trackingCode: '' },
      ])
      expect(own.state).toBe('PartiallyShipped')
    })

    test('uses the requested handler', async () => {
      const order = await buy()
      const handler = {
        code: 'manual-fulfillment',
        arguments: [
          { name: 'method', value: 'Bicycle' },
          { name: 'trackingCode', value: 'B-1' },
        ],
      }
      const createdRecord = await create('fulfillments', shipmentInput(order, 2), { handler })
      expect(createdRecord).toMatchObject({ carrier: 'Bicycle', trackingNumbers: ['B-1'] })
    })

    test('changes from state to state', async () => {
      const order = await buy()
      const { remoteId } = await create('fulfillments', shipmentInput(order, 2, 3))
      for (const state of ['Shipped', 'Shipped', 'Delivered', 'Cancelled']) {
        const changed = await update('fulfillments', remoteId, {}, { state })
        expect(changed).toMatchObject({ remoteId, remoteFields: { state } })
        expect((await now(order)).fulfillments).toMatchObject([{ id: remoteId, state }])
      }
      expect(
        await refusal(update('fulfillments', remoteId, {}, { state: 'Shipped' })),
      ).toMatchObject({
        code: 'APP_REFUSED',
        reason:
          'FULFILLMENT_STATE_TRANSITION_ERROR: Cannot transition Fulfillment from "Cancelled" to "Shipped"',
      })
    })

    test('keeps fields that Vendure cannot change, and names an alternative', async () => {
      const order = await buy()
      const createdRecord = await create('fulfillments', {
        ...shipmentInput(order, 2),
        carrier: 'DHL',
        trackingNumbers: ['T-1'],
      })
      const fixed: Fields = {
        carrier: 'UPS',
        trackingNumbers: ['T-2'],
        lineItems: [{ lineItemId: order.lines[0]?.id ?? '', quantity: 1 }],
      }
      for (const [field, value] of Object.entries(fixed)) {
        const writing = update('fulfillments', createdRecord.remoteId, { [field]: value })
        expect(await refusal(writing)).toMatchObject({
          name: 'WriteRejection',
          field,
          reason: expect.stringContaining('cancel this one'),
        })
      }
      const same = { carrier: 'DHL', trackingNumbers: ['T-1'] }
      const { lineItems } = shipmentInput(order, 2)
      await update(
        'fulfillments',
        createdRecord.remoteId,
        { ...same, lineItems: lineItems ?? null },
        {
          state: 'Shipped',
        },
      )
      expect((await now(order)).fulfillments).toMatchObject([
        { id: createdRecord.remoteId, state: 'Shipped', method: 'DHL', trackingCode: 'T-1' },
      ])
    })

    test('that cannot reach its state is undone', async () => {
      const order = await buy()
      const writing = create('fulfillments', shipmentInput(order, 1), { state: 'Nonsense' })
      expect(await refusal(writing)).toMatchObject({
        reason: expect.stringContaining('from "Pending" to "Nonsense"'),
      })
      expect((await now(order)).fulfillments).toMatchObject([{ state: 'Cancelled' }])
    })

    test('is rejected with the field at fault', async () => {
      const order = await buy()
      const another = await buy()
      const refusals: [Fields, Fields, string | undefined][] = [
        [{ ...shipmentInput(order, 1), orderId: '999' }, {}, 'orderId'],
        [{ ...shipmentInput(another, 1), orderId: order.id }, {}, 'lineItems[0].lineItemId'],
        [{ orderId: order.id }, {}, 'lineItems'],
        [shipmentInput(order, 0), {}, 'lineItems[0].quantity'],
        [{ ...shipmentInput(order, 1), trackingNumbers: ['1', '2'] }, {}, 'trackingNumbers'],
        [shipmentInput(order, 1), { nonsense: 1 }, 'remoteFields.nonsense'],
        [{ ...shipmentInput(order, 1), carrier: 'DHL' }, { handler: {} }, 'remoteFields.handler'],
      ]
      for (const [fields, remoteFields, field] of refusals)
        expect(await refusal(create('fulfillments', fields, remoteFields))).toMatchObject({
          name: 'WriteRejection',
          field,
        })
      expect(await refusal(create('fulfillments', shipmentInput(order, 50)))).toMatchObject({
        reason:
          'ITEMS_ALREADY_FULFILLED_ERROR: One or more OrderItems are already part of a Fulfillment',
      })
      const handler = { code: 'robot', arguments: [] }
      expect(
        await refusal(create('fulfillments', shipmentInput(order, 1), { handler })),
      ).toMatchObject({
        reason: 'INVALID_FULFILLMENT_HANDLER_ERROR',
      })
      expect((await now(order)).fulfillments).toEqual([])
    })
  })
