/** Writes of orders. */
import { describe, expect, test } from 'vitest'
import { fulfillOrder } from '../../apps/vendure/orders.ts'
import { createCustomer, createProduct } from '../../apps/vendure/shop.ts'
import { type Fields, topicOf, type WritingShop } from './writing.ts'

export const orderWrites = (shop: WritingShop): unknown =>
  describe('an order', () => {
    const { showRecord: shown, get, update, refusal, buy, now, historyOf, linesOf } = shop
    test('accepts another address and keeps its state', async () => {
      for (const payment of ['prepaid', 'invoice'] as const) {
        const order = await buy(payment)
        const changed = await update('orders', order.id, {
          shippingAddress: { address1: 'Rue 1', city: null, countryCode: 'FR', firstName: 'Emmy' },
          billingAddress: { lastName: 'Noether', phone: '+49 1' },
        })
        const own = await now(order)
        expect(own).toMatchObject({
          state: order.state,
          shippingAddress: {
            fullName: 'Emmy Hermann',
            streetLine1: 'Rue 1',
            city: null,
            postalCode: '28195',
            countryCode: 'FR',
          },
          billingAddress: { fullName: 'Grete Noether', phoneNumber: '+49 1', city: 'Bremen' },
        })
        expect(changed).toMatchObject({
          orderStatus: order.state,
          shippingAddress: { firstName: 'Emmy', lastName: 'Hermann', city: null },
        })
      }
    })

    test('is not modified by its current values', async () => {
      const order = await buy()
      const before = await historyOf(order.id)
      const record = shown('orders', await get('orders', order.id))
      await update('orders', order.id, {
        orderStatus: order.state,
        lineItems: linesOf(2, 3),
        shippingAddress: record.shippingAddress as Fields,
        customer: { customerId: order.customer?.id ?? '' },
      })
      expect(await historyOf(order.id)).toEqual(before)
    })

    test('costs less if the refunded payment is named', async () => {
      const order = await buy()
      const [payment] = order.payments
      if (!payment) throw new Error('the order is not paid')
      const refused = await refusal(update('orders', order.id, { lineItems: linesOf(2, 2) }))
      expect(refused).toMatchObject({ name: 'WriteRejection', field: 'lineItems' })
      expect(refused.reason).toMatch(/23\.9\d EUR less/)
      expect(await now(order)).toMatchObject({ state: 'PaymentSettled', totalWithTax: 10_096 })

      const amount = 2399
      const refunds = [{ paymentId: payment.id, amount, reason: 'One too many' }]
      await update('orders', order.id, { lineItems: linesOf(2, 2) }, { refunds })
      const own = await now(order)
      expect(own).toMatchObject({ state: 'PaymentSettled' })
      expect(own.lines.map(({ quantity }) => quantity)).toEqual([2, 2])
      expect(own.payments[0]?.refunds).toMatchObject([{ total: amount }])
    })

    test('is completely shipped once its unshipped units are removed', async () => {
      const order = await buy()
      const [small, large] = order.lines
      if (!small || !large) throw new Error('the order has no lines')
      const lines = [{ orderLineId: small.id, quantity: small.quantity }]
      await fulfillOrder(shop.vendure, order, { trackingCode: 'T', method: 'DHL', lines })
      expect(await now(order)).toMatchObject({ state: 'PartiallyShipped' })

      const amount = large.linePriceWithTax
      const refunds = [{ paymentId: order.payments[0]?.id ?? '', amount }]
      await update('orders', order.id, { lineItems: linesOf(2, 0) }, { refunds })
      expect(await now(order)).toMatchObject({ state: 'Shipped', totalWithTax: 10_096 - amount })
    })

    test('rejects a higher total and stays unchanged', async () => {
      const order = await buy()
      const another = await createProduct(shop.vendure, {
        name: `Bulb ${order.id}`,
        variants: [{ sku: 'BULB', price: 100 }],
      })
      const bulb = { variantId: another.variants[0]?.id ?? '', quantity: 1 }
      for (const lineItems of [linesOf(3, 3), [...linesOf(2, 3), bulb]]) {
        const refused = await refusal(update('orders', order.id, { lineItems }))
        expect(refused).toMatchObject({ name: 'WriteRejection', field: 'lineItems' })
        expect(refused.reason).toMatch(/1(2\.00|\.20) EUR more/)
        const own = await now(order)
        expect(own).toMatchObject({ state: 'PaymentSettled', totalWithTax: 10_096 })
        expect(own.lines).toHaveLength(2)
      }
    })

    test.each<[string, string, () => Fields]>([
      ['a missing line', 'lineItems', () => ({ lineItems: linesOf(2) })],
      [
        'a line without a variant',
        'lineItems[0].variantId',
        () => ({ lineItems: [{ quantity: 1 }] }),
      ],
      [
        'a line without a quantity',
        'lineItems[1].quantity',
        () => ({ lineItems: [...linesOf(2), { variantId: shop.lamp.variants[1]?.id ?? '' }] }),
      ],
      [
        'a duplicate variant',
        'lineItems[2].variantId',
        () => ({ lineItems: [...linesOf(2, 3), ...linesOf(1)] }),
      ],
      ['no address', 'shippingAddress', () => ({ shippingAddress: null })],
      [
        'no country',
        'billingAddress.countryCode',
        () => ({ billingAddress: { countryCode: null } }),
      ],
      ['no customer', 'customer', () => ({ customer: null })],
      ['no state', 'orderStatus', () => ({ orderStatus: null })],
      [
        'an address and an unreachable state',
        'orderStatus',
        () => ({ shippingAddress: { city: 'Hamburg' }, orderStatus: 'Nonsense' }),
      ],
      [
        'an address and an unknown customer',
        'customer.customerId',
        () => ({ shippingAddress: { city: 'Hamburg' }, customer: { customerId: '999' } }),
      ],
      [
        'a name that would be read back differently',
        'billingAddress.lastName',
        () => ({ billingAddress: { firstName: 'Jan', lastName: 'van der Berg' } }),
      ],
    ])('rejects %s', async (_name, field, fieldsOf) => {
      const order = await buy()
      expect(await refusal(update('orders', order.id, fieldsOf()))).toMatchObject({
        name: 'WriteRejection',
        field,
      })
      expect(await now(order)).toEqual(order)
    })

    test('is rejected in Vendure’s words and stays unchanged', async () => {
      const order = await buy()
      const refusals: [Fields, Fields, string][] = [
        [{ shippingAddress: { countryCode: 'US' } }, {}, 'The countryCode "US" was not recognized'],
        [{}, { nonsense: 1 }, 'Field "nonsense" is not defined by type "ModifyOrderInput".'],
        [{ orderStatus: 'Delivered' }, {}, 'unless all OrderItems are delivered'],
        [{ orderStatus: 'Nonsense' }, {}, 'from "PaymentSettled" to "Nonsense"'],
        [{ customer: { customerId: '999' } }, {}, 'No Customer with the id "999"'],
        [{}, { couponCodes: ['NONE'] }, 'COUPON_CODE_INVALID_ERROR'],
      ]
      for (const [fields, remoteFields, words] of refusals) {
        const refused = await refusal(update('orders', order.id, fields, remoteFields))
        expect(refused, words).toMatchObject({ code: 'APP_REFUSED', kind: 'refused' })
        expect(refused.reason).toContain(words)
        expect((await now(order)).state).toBe('PaymentSettled')
      }
    })

    test('accepts another customer and another state, and can be cancelled', async () => {
      const order = await buy()
      const { id: customerId } = await createCustomer(shop.vendure, {
        firstName: 'Ada',
        lastName: 'L',
        emailAddress: `ada-${order.id}@example.org`,
      })
      const changed = await update('orders', order.id, {
        customer: { customerId },
        orderStatus: 'Modifying',
      })
      expect(changed).toMatchObject({ orderStatus: 'Modifying', customer: { firstName: 'Ada' } })
      expect(await now(order)).toMatchObject({ state: 'Modifying', customer: { id: customerId } })

      // Simulates a crash during a correction: in this state an order may be corrected, and a new state ends the
      // correction.
      await update('orders', order.id, { shippingAddress: { city: 'Paris' } })
      expect(await now(order)).toMatchObject({
        state: 'Modifying',
        shippingAddress: { city: 'Paris' },
      })
      await update('orders', order.id, { orderStatus: 'PaymentSettled' })
      expect(await now(order)).toMatchObject({ state: 'PaymentSettled' })

      const cancelled = await update('orders', order.id, { orderStatus: 'Cancelled' })
      expect(cancelled).toMatchObject({ orderStatus: 'Cancelled', totalPrice: '0.00' })
      expect(await now(order)).toMatchObject({ state: 'Cancelled', totalWithTax: 0 })
      const late = update('orders', order.id, { shippingAddress: { city: 'Rome' } })
      expect(await refusal(late)).toMatchObject({
        reason: expect.stringContaining('from "Cancelled" to "Modifying"'),
      })
    })

    test('cannot be created or deleted', () => {
      const { write } = topicOf('orders')
      expect(write.create ?? write.delete).toBeUndefined()
    })
  })
