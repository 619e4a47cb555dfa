/** Changes in the real Vendure, each found by the next listing of changes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  addNote,
  cancelOrder,
  fulfillOrder,
  refundPayment,
  setFulfillmentState,
  settlePayment,
} from '../apps/vendure/orders.ts'
import {
  createCustomer,
  createProduct,
  deleteProduct,
  updateCustomer,
  updateProduct,
  updateVariant,
} from '../apps/vendure/shop.ts'
import { readOrder } from '../apps/vendure/state.ts'
import { addFidelityTest } from '../support/fidelity.ts'
import { type Harness, missing, openHarness } from './vendure/harness.ts'
import { correctAddress, draftOrder, payOrder, settleRefund } from './vendure/order-actions.ts'

// Each change happens after the overlap has passed: nothing is listed only because it is recent.
describe.skipIf(missing)(
  `a change listing of the real Vendure${missing ? `: ${missing}` : ' detects'}`,
  () => {
    let harness: Harness

    beforeAll(async () => {
      harness = await openHarness()
      await harness.shop.sync()
    }, 120_000)
    afterAll(() => harness?.shop.close())

    test('a new product with its variants, and its new text', async () => {
      let id = ''
      expect(
        await harness.changesBy(async () => {
          const desk = await createProduct(harness.shop.vendure, {
            name: 'Desk',
            variants: [{ sku: 'DESK', price: 19_950 }],
          })
          id = desk.id
        }),
      ).toEqual([`created products ${id}`])
      await harness.expectSame('commerce/products', await harness.vendureState.product(id))
      const rename = { name: 'Standing desk', description: 'High.', enabled: false }
      expect(
        await harness.changesBy(() => updateProduct(harness.shop.vendure, id, rename)),
      ).toEqual([`updated products ${id}`])
      const shown = await harness.expectSame(
        'commerce/products',
        await harness.vendureState.product(id),
      )
      expect(shown).toMatchObject({ productName: 'Standing desk', productStatus: 'disabled' })
    })

    test('a deleted product, by the number of products, one run later', async () => {
      const { id } = await createProduct(harness.shop.vendure, { name: 'Stool', variants: [] })
      await harness.shop.sync()
      expect(await harness.changesBy(() => deleteProduct(harness.shop.vendure, id))).toEqual([])
      expect(await harness.changesBy(async () => {})).toEqual([`deleted products ${id}`])
    })

    test("a variant's new price, which leaves the product's update time unchanged", async () => {
      const [small] = harness.lamp.variants
      const change = { price: 1234, stockOnHand: 777 }
      expect(
        await harness.changesBy(() => updateVariant(harness.shop.vendure, small?.id ?? '', change)),
      ).toEqual([`updated products ${harness.lamp.id}`])
      const shown = await harness.expectSame(
        'commerce/products',
        await harness.vendureState.product(harness.lamp.id),
      )
      expect(shown.variants).toMatchObject([
        { price: '12.34', inventory: { totalCount: 777 } },
        { price: '19.99' },
      ])
    })

    test('a new customer, and a new name', async () => {
      let id = ''
      const ada = { firstName: 'Ada', lastName: 'King', emailAddress: 'ada@example.org' }
      expect(
        await harness.changesBy(async () => {
          id = (await createCustomer(harness.shop.vendure, ada)).id
        }),
      ).toEqual([`created customers ${id}`])
      const change = { lastName: 'Lovelace', phoneNumber: '+44 20 1' }
      expect(
        await harness.changesBy(() => updateCustomer(harness.shop.vendure, id, change)),
      ).toEqual([`updated customers ${id}`])
      const shown = await harness.expectSame(
        'commerce/customers',
        await harness.vendureState.customer(id),
      )
      expect(shown).toMatchObject({ lastName: 'Lovelace', phone: '+44 20 1' })
    })

    test('a fulfillment of part of an order, which leaves the order’s update time unchanged', async () => {
      const before = await harness.readAgain(harness.first)
      const lines = [{ orderLineId: harness.first.lines[0]?.id ?? '', quantity: 2 }]
      let id = ''
      const shipment = { trackingCode: 'T-1', method: 'DHL', lines }
      const changes = await harness.changesBy(async () => {
        id = (await fulfillOrder(harness.shop.vendure, harness.first, shipment)).id
      })
      harness.setStatuses(harness.first.id, 'Authorized', 'PartiallyShipped')
      expect((await harness.readAgain(harness.first)).updatedAt).toBe(before.updatedAt)
      expect(changes).toEqual([`created fulfillments ${id}`, `updated orders ${harness.first.id}`])
      await harness.expectSame(
        'commerce/orders',
        await harness.vendureState.order(harness.first.id),
      )
      const [expected] = await harness.vendureState.fulfillmentsOf(harness.first.id)
      const shown = await harness.expectSame('commerce/fulfillments', expected)
      expect(shown).toMatchObject({ carrier: 'DHL', trackingNumbers: ['T-1'] })
      expect(shown.remoteFields).toMatchObject({ state: 'Shipped', orderId: harness.first.id })
    })

    test('a late payment', async () => {
      const before = await harness.readAgain(harness.first)
      expect(
        await harness.changesBy(() =>
          settlePayment(harness.shop.vendure, harness.first.payments[0]?.id ?? ''),
        ),
      ).toEqual([`updated orders ${harness.first.id}`])
      harness.setStatuses(harness.first.id, 'Settled', 'PartiallyShipped')
      expect((await harness.readAgain(harness.first)).updatedAt).toBe(before.updatedAt)
      await harness.expectSame(
        'commerce/orders',
        await harness.vendureState.order(harness.first.id),
      )
    })

    test('an order that was created long before it was paid', async () => {
      const variantId = harness.lamp.variants[1]?.id ?? ''
      const id = await draftOrder(harness.shop.vendure, { customerId: harness.emmy.id, variantId })
      const before = (await readOrder(harness.shop.vendure, id))?.updatedAt
      expect(await harness.changesBy(async () => {})).toEqual([])
      expect(await harness.changesBy(() => payOrder(harness.shop.vendure, id))).toEqual([
        `created orders ${id}`,
      ])
      harness.setStatuses(id, 'Settled', 'Unfulfilled')
      expect((await readOrder(harness.shop.vendure, id))?.updatedAt).toBe(before)
      await harness.expectSame('commerce/orders', await harness.vendureState.order(id))
    })

    test('a delivery that completes the order, and a refund after it', async () => {
      const order = await harness.buy()
      await harness.shop.sync()
      const shipment = await fulfillOrder(harness.shop.vendure, order, {
        trackingCode: 'T-2',
        method: 'UPS',
      })
      await harness.shop.sync()
      expect(
        await harness.changesBy(() =>
          setFulfillmentState(harness.shop.vendure, shipment.id, 'Delivered'),
        ),
      ).toEqual([`updated fulfillments ${shipment.id}`, `updated orders ${order.id}`])
      harness.setStatuses(order.id, 'Settled', 'Delivered')
      expect((await harness.shop.get('commerce/orders', order.id)).orderStatus).toBe('Delivered')
      await harness.expectSame('commerce/orders', await harness.vendureState.order(order.id))

      const [payment] = order.payments
      const updated = [`updated orders ${order.id}`]
      expect(
        await harness.changesBy(() => refundPayment(harness.shop.vendure, payment?.id ?? '', 1000)),
      ).toEqual(updated)
      await harness.expectSame('commerce/orders', await harness.vendureState.order(order.id))
      const [refund] = (await harness.readAgain(order)).payments[0]?.refunds ?? []
      expect(
        await harness.changesBy(() => settleRefund(harness.shop.vendure, refund?.id ?? '')),
      ).toEqual(updated)
      harness.setStatuses(order.id, 'PartiallyRefunded', 'Delivered')
      expect((await harness.readAgain(order)).updatedAt).toBe(order.updatedAt)
      await harness.expectSame('commerce/orders', await harness.vendureState.order(order.id))
    })

    test('a fulfillment that is created and delivered between two runs', async () => {
      const order = await harness.buy()
      await harness.shop.sync()
      let id = ''
      const changes = await harness.changesBy(async () => {
        id = (
          await fulfillOrder(harness.shop.vendure, order, { trackingCode: 'T-3', method: 'UPS' })
        ).id
        await setFulfillmentState(harness.shop.vendure, id, 'Delivered')
      })
      harness.setStatuses(order.id, 'Settled', 'Delivered')
      expect(changes).toEqual([`created fulfillments ${id}`, `updated orders ${order.id}`])
      await harness.expectSame('commerce/orders', await harness.vendureState.order(order.id))
    })

    test('a cancelled fulfillment', async () => {
      const order = await harness.buy()
      const { id } = await fulfillOrder(harness.shop.vendure, order, {
        trackingCode: '',
        method: 'Post',
      })
      await harness.shop.sync()
      expect(
        await harness.changesBy(() => setFulfillmentState(harness.shop.vendure, id, 'Cancelled')),
      ).toEqual([`updated fulfillments ${id}`, `updated orders ${order.id}`])
      harness.setStatuses(order.id, 'Settled', 'Unfulfilled')
      await harness.expectSame('commerce/orders', await harness.vendureState.order(order.id))
    })

    test('a note, a new address and a cancellation', async () => {
      const order = await harness.buy()
      await harness.shop.sync()
      const updated = [`updated orders ${order.id}`]
      for (const perform of [
        () => addNote(harness.shop.vendure, order.id, 'call before delivery'),
        () => correctAddress(harness.shop.vendure, order.id, 'Domshof 3'),
        () => cancelOrder(harness.shop.vendure, order.id),
      ]) {
        expect(await harness.changesBy(perform)).toEqual(updated)
        await harness.expectSame('commerce/orders', await harness.vendureState.order(order.id))
      }
      expect(await harness.shop.get('commerce/orders', order.id)).toMatchObject({
        orderStatus: 'Cancelled',
        totalPrice: '0.00',
        paymentStatus: 'Settled',
        shippingAddress: { address1: 'Domshof 3' },
      })
    })

    addFidelityTest('vendure', 'live', () => harness.shop.service)
  },
)
