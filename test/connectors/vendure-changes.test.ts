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
import { fidelityTest } from '../support/fidelity.ts'
import { draftOrder, moveOrder, payOrder, settleRefund } from './vendure/acts.ts'
import { missing, openScene, type Scene } from './vendure/scene.ts'

// Each change happens after the overlap has passed: nothing is listed only because it is recent.
describe.skipIf(missing)(
  `a change listing of the real Vendure${missing ? `: ${missing}` : ' detects'}`,
  () => {
    let scene: Scene

    beforeAll(async () => {
      scene = await openScene()
      await scene.shop.sync()
    }, 120_000)
    afterAll(() => scene?.shop.close())

    test('a new product with its variants, and its new text', async () => {
      let id = ''
      expect(
        await scene.changesBy(async () => {
          const desk = await createProduct(scene.shop.vendure, {
            name: 'Desk',
            variants: [{ sku: 'DESK', price: 19_950 }],
          })
          id = desk.id
        }),
      ).toEqual([`created products ${id}`])
      await scene.expectSame('commerce/products', await scene.truth.product(id))
      const rename = { name: 'Standing desk', description: 'High.', enabled: false }
      expect(await scene.changesBy(() => updateProduct(scene.shop.vendure, id, rename))).toEqual([
        `updated products ${id}`,
      ])
      const shown = await scene.expectSame('commerce/products', await scene.truth.product(id))
      expect(shown).toMatchObject({ productName: 'Standing desk', productStatus: 'disabled' })
    })

    test('a deleted product, by the number of products, one run later', async () => {
      const { id } = await createProduct(scene.shop.vendure, { name: 'Stool', variants: [] })
      await scene.shop.sync()
      expect(await scene.changesBy(() => deleteProduct(scene.shop.vendure, id))).toEqual([])
      expect(await scene.changesBy(async () => {})).toEqual([`deleted products ${id}`])
    })

    test("a variant's new price, which leaves the product's update time unchanged", async () => {
      const [small] = scene.lamp.variants
      const change = { price: 1234, stockOnHand: 777 }
      expect(
        await scene.changesBy(() => updateVariant(scene.shop.vendure, small?.id ?? '', change)),
      ).toEqual([`updated products ${scene.lamp.id}`])
      const shown = await scene.expectSame(
        'commerce/products',
        await scene.truth.product(scene.lamp.id),
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
        await scene.changesBy(async () => {
          id = (await createCustomer(scene.shop.vendure, ada)).id
        }),
      ).toEqual([`created customers ${id}`])
      const change = { lastName: 'Lovelace', phoneNumber: '+44 20 1' }
      expect(await scene.changesBy(() => updateCustomer(scene.shop.vendure, id, change))).toEqual([
        `updated customers ${id}`,
      ])
      const shown = await scene.expectSame('commerce/customers', await scene.truth.customer(id))
      expect(shown).toMatchObject({ lastName: 'Lovelace', phone: '+44 20 1' })
    })

    test('a fulfillment of part of an order, which leaves the order’s update time unchanged', async () => {
      const before = await scene.reread(scene.first)
      const lines = [{ orderLineId: scene.first.lines[0]?.id ?? '', quantity: 2 }]
      let id = ''
      const shipment = { trackingCode: 'T-1', method: 'DHL', lines }
      const seen = await scene.changesBy(async () => {
        id = (await fulfillOrder(scene.shop.vendure, scene.first, shipment)).id
      })
      scene.stand(scene.first.id, 'Authorized', 'PartiallyShipped')
      expect((await scene.reread(scene.first)).updatedAt).toBe(before.updatedAt)
      expect(seen).toEqual([`created fulfillments ${id}`, `updated orders ${scene.first.id}`])
      await scene.expectSame('commerce/orders', await scene.truth.order(scene.first.id))
      const [expected] = await scene.truth.fulfillmentsOf(scene.first.id)
      const shown = await scene.expectSame('commerce/fulfillments', expected)
      expect(shown).toMatchObject({ carrier: 'DHL', trackingNumbers: ['T-1'] })
      expect(shown.remoteFields).toMatchObject({ state: 'Shipped', orderId: scene.first.id })
    })

    test('a late payment', async () => {
      const before = await scene.reread(scene.first)
      expect(
        await scene.changesBy(() =>
          settlePayment(scene.shop.vendure, scene.first.payments[0]?.id ?? ''),
        ),
      ).toEqual([`updated orders ${scene.first.id}`])
      scene.stand(scene.first.id, 'Settled', 'PartiallyShipped')
      expect((await scene.reread(scene.first)).updatedAt).toBe(before.updatedAt)
      await scene.expectSame('commerce/orders', await scene.truth.order(scene.first.id))
    })

    test('an order that was created long before it was paid', async () => {
      const variantId = scene.lamp.variants[1]?.id ?? ''
      const id = await draftOrder(scene.shop.vendure, { customerId: scene.emmy.id, variantId })
      const before = (await readOrder(scene.shop.vendure, id))?.updatedAt
      expect(await scene.changesBy(async () => {})).toEqual([])
      expect(await scene.changesBy(() => payOrder(scene.shop.vendure, id))).toEqual([
        `created orders ${id}`,
      ])
      scene.stand(id, 'Settled', 'Unfulfilled')
      expect((await readOrder(scene.shop.vendure, id))?.updatedAt).toBe(before)
      await scene.expectSame('commerce/orders', await scene.truth.order(id))
    })

    test('a delivery that completes the order, and a refund after it', async () => {
      const order = await scene.buy()
      await scene.shop.sync()
      const shipment = await fulfillOrder(scene.shop.vendure, order, {
        trackingCode: 'T-2',
        method: 'UPS',
      })
      await scene.shop.sync()
      expect(
        await scene.changesBy(() =>
          setFulfillmentState(scene.shop.vendure, shipment.id, 'Delivered'),
        ),
      ).toEqual([`updated fulfillments ${shipment.id}`, `updated orders ${order.id}`])
      scene.stand(order.id, 'Settled', 'Delivered')
      expect((await scene.shop.get('commerce/orders', order.id)).orderStatus).toBe('Delivered')
      await scene.expectSame('commerce/orders', await scene.truth.order(order.id))

      const [payment] = order.payments
      const updated = [`updated orders ${order.id}`]
      expect(
        await scene.changesBy(() => refundPayment(scene.shop.vendure, payment?.id ?? '', 1000)),
      ).toEqual(updated)
      await scene.expectSame('commerce/orders', await scene.truth.order(order.id))
      const [refund] = (await scene.reread(order)).payments[0]?.refunds ?? []
      expect(
        await scene.changesBy(() => settleRefund(scene.shop.vendure, refund?.id ?? '')),
      ).toEqual(updated)
      scene.stand(order.id, 'PartiallyRefunded', 'Delivered')
      expect((await scene.reread(order)).updatedAt).toBe(order.updatedAt)
      await scene.expectSame('commerce/orders', await scene.truth.order(order.id))
    })

    test('a fulfillment that is created and delivered between two runs', async () => {
      const order = await scene.buy()
      await scene.shop.sync()
      let id = ''
      const seen = await scene.changesBy(async () => {
        id = (await fulfillOrder(scene.shop.vendure, order, { trackingCode: 'T-3', method: 'UPS' }))
          .id
        await setFulfillmentState(scene.shop.vendure, id, 'Delivered')
      })
      scene.stand(order.id, 'Settled', 'Delivered')
      expect(seen).toEqual([`created fulfillments ${id}`, `updated orders ${order.id}`])
      await scene.expectSame('commerce/orders', await scene.truth.order(order.id))
    })

    test('a cancelled fulfillment', async () => {
      const order = await scene.buy()
      const { id } = await fulfillOrder(scene.shop.vendure, order, {
        trackingCode: '',
        method: 'Post',
      })
      await scene.shop.sync()
      expect(
        await scene.changesBy(() => setFulfillmentState(scene.shop.vendure, id, 'Cancelled')),
      ).toEqual([`updated fulfillments ${id}`, `updated orders ${order.id}`])
      scene.stand(order.id, 'Settled', 'Unfulfilled')
      await scene.expectSame('commerce/orders', await scene.truth.order(order.id))
    })

    test('a note, a new address and a cancellation', async () => {
      const order = await scene.buy()
      await scene.shop.sync()
      const updated = [`updated orders ${order.id}`]
      for (const perform of [
        () => addNote(scene.shop.vendure, order.id, 'call before delivery'),
        () => moveOrder(scene.shop.vendure, order.id, 'Domshof 3'),
        () => cancelOrder(scene.shop.vendure, order.id),
      ]) {
        expect(await scene.changesBy(perform)).toEqual(updated)
        await scene.expectSame('commerce/orders', await scene.truth.order(order.id))
      }
      expect(await scene.shop.get('commerce/orders', order.id)).toMatchObject({
        orderStatus: 'Cancelled',
        totalPrice: '0.00',
        paymentStatus: 'Settled',
        shippingAddress: { address1: 'Domshof 3' },
      })
    })

    fidelityTest('vendure', 'live', () => scene.shop.service)
  },
)
