/** Writes to the real Vendure through our API: Vendure's own API shows them, and concurrent changes are not overwritten. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { placeOrder } from '../apps/vendure/checkout.ts'
import { fulfillOrder, setFulfillmentState } from '../apps/vendure/orders.ts'
import {
  createProduct,
  deleteProduct,
  deleteVariant,
  updateCustomer,
  updateVariant,
} from '../apps/vendure/shop.ts'
import {
  type Order,
  type Product,
  readCustomer,
  readOrder,
  readProduct,
} from '../apps/vendure/state.ts'
import { addFidelityTest } from '../support/fidelity.ts'
import { type Transport, transports } from '../support/operations.ts'
import { createRecordCalls, type RecordCalls, type RecordOutcome } from '../support/record-calls.ts'
import { type Connection, connectVendure, type Shown } from './vendure/connection.ts'
import { missing } from './vendure/harness.ts'
import { createKey, WRITING } from './vendure/key.ts'
import { correctAddress } from './vendure/order-actions.ts'

const ORDERS = 'commerce/orders'
const FULFILLMENTS = 'commerce/fulfillments'
const CUSTOMERS = 'commerce/customers'
const PRODUCTS = 'commerce/products'

describe.skipIf(missing)(`the real Vendure through the API${missing ? `: ${missing}` : ''}`, () => {
  let shop: Connection
  let lamp: Product
  beforeAll(async () => {
    shop = await connectVendure((vendure) => createKey(vendure, WRITING))
    lamp = await createProduct(shop.vendure, {
      name: 'Lamp',
      variants: [
        { sku: 'LAMP-S', price: 1000, stockOnHand: 1000, options: { Size: 'S' } },
        { sku: 'LAMP-L', price: 1999, stockOnHand: 1000, options: { Size: 'L' } },
      ],
    })
  }, 120_000)
  afterAll(() => shop?.close())

  const readOrderNow = async (id: string): Promise<Order> => {
    const order = await readOrder(shop.vendure, id)
    if (!order) throw new Error(`order ${id} is gone`)
    return order
  }
  /** An order of both lamps, listed here as in Vendure. */
  const buy = async (): Promise<Order> => {
    const order = await placeOrder(shop.vendure, {
      customer: { firstName: 'Sofja', lastName: 'K', emailAddress: 'sofja@example.org' },
      lines: lamp.variants.map(({ id }, index) => ({ variantId: id, quantity: index + 2 })),
    })
    await shop.sync()
    return order
  }
  const expectSuccess = ({ status, record, message }: RecordOutcome) => {
    expect(status, message).toBe(200)
    return record
  }
  /** The changes of a record since the last read of the log: `created`, `updated`. */
  const kindsOf = async (topic: string, remoteId: string) => {
    const log = await shop.takeLog()
    return log.flatMap((row) => (row.topic === topic && row.remoteId === remoteId ? row.kind : []))
  }
  /** Neither a listing of changes nor a full listing finds a record that differs from what was written. */
  const expectSettled = async (topic: string, { remoteId }: { readonly remoteId: string }) => {
    await shop.takeLog()
    await shop.sync()
    await shop.syncEverything()
    expect(await kindsOf(topic, remoteId)).toEqual([])
  }
  const expectConflict = ({ status, code, details, message }: RecordOutcome, field: string) => {
    expect([status, code], message).toEqual([409, 'WRITE_CONFLICT'])
    return details.find((detail) => detail.field === field)
  }

  describe.each(transports)('over %s', (transport: Transport) => {
    let records: RecordCalls
    beforeAll(() => {
      records = createRecordCalls(transport, shop)
    })

    test('changes the address of an order, and Vendure’s own API shows it', async () => {
      const order = await buy()
      await shop.takeLog()
      const shippingAddress = { address1: 'Rue 1', city: 'Paris', countryCode: 'FR' }
      const changed = expectSuccess(await records.update(ORDERS, order.id, { shippingAddress }))
      expect(changed).toMatchObject({
        remoteId: order.id,
        orderNumber: order.code,
        totalPrice: '100.96',
        shippingAddress: { ...shippingAddress, firstName: 'Grete', lastName: 'Hermann' },
        billingAddress: { address1: 'Am Wall 1' },
      })
      expect(await readOrderNow(order.id)).toMatchObject({
        state: 'PaymentSettled',
        shippingAddress: { streetLine1: 'Rue 1', city: 'Paris', countryCode: 'FR' },
        billingAddress: { streetLine1: 'Am Wall 1' },
      })
      expect(await kindsOf(ORDERS, order.id)).toEqual(['updated'])
      await expectSettled(ORDERS, changed)
    })

    test('does not overwrite a concurrent change of an order in Vendure', async () => {
      const order = await buy()
      await correctAddress(shop.vendure, order.id, 'Theirs 2')
      const ownChange = { shippingAddress: { address1: 'Mine 3' } }
      const stale = await records.update(ORDERS, order.id, ownChange)
      expect(expectConflict(stale, 'shippingAddress')).toMatchObject({
        stored: { address1: 'Am Wall 1' },
        current: { address1: 'Theirs 2' },
      })
      expect((await readOrderNow(order.id)).shippingAddress).toMatchObject({
        streetLine1: 'Theirs 2',
      })
      expect((await records.get(ORDERS, order.id)).record.shippingAddress).toMatchObject({
        address1: 'Theirs 2',
      })
      const again = expectSuccess(await records.update(ORDERS, order.id, ownChange))
      expect((await readOrderNow(order.id)).shippingAddress).toMatchObject({
        streetLine1: 'Mine 3',
      })
      await expectSettled(ORDERS, again)
    })

    test('reports a rejected order in Vendure’s words', async () => {
      const order = await buy()
      const refused = await records.update(ORDERS, order.id, { orderStatus: 'Delivered' })
      expect([refused.status, refused.code]).toEqual([400, 'APP_REFUSED'])
      expect(refused.message).toContain('unless all OrderItems are delivered')
      const dearer = await records.update(ORDERS, order.id, {
        lineItems: lamp.variants.map(({ id }) => ({ variantId: id, quantity: 9 })),
      })
      expect([dearer.status, dearer.code]).toEqual([400, 'FIELD_NOT_SUPPORTED'])
      expect(dearer.details).toMatchObject([
        { field: 'lineItems', expected: expect.stringContaining('EUR more') },
      ])
      expect(await readOrderNow(order.id)).toEqual(order)
    })

    test('reports an order that Vendure accepts in part, and stores what Vendure has', async () => {
      const order = await buy()
      const response = await records.update(ORDERS, order.id, {
        shippingAddress: { city: 'Hamburg' },
        orderStatus: 'Delivered',
      })
      expect([response.status, response.code], response.message).toEqual([400, 'PARTLY_WRITTEN'])
      expect(response.message).toContain('unless all OrderItems are delivered')
      expect(response.details.find(({ field }) => field === 'shippingAddress')).toMatchObject({
        stored: { city: 'Bremen' },
        current: { city: 'Hamburg' },
      })
      expect(await readOrderNow(order.id)).toMatchObject({
        state: 'PaymentSettled',
        shippingAddress: { city: 'Hamburg' },
      })
      const { record } = await records.get(ORDERS, order.id)
      expect(record).toMatchObject({
        orderStatus: 'PaymentSettled',
        shippingAddress: { city: 'Hamburg' },
      })
      await expectSettled(ORDERS, record)
    })

    test('rejects an order update whose remote field would be overridden', async () => {
      const order = await buy()
      for (const remoteFields of [{ dryRun: true }, { orderId: '1' }]) {
        const shippingAddress = { city: 'Dry' }
        const response = await records.update(ORDERS, order.id, { shippingAddress, remoteFields })
        expect(response).toMatchObject({ status: 400, code: 'FIELD_NOT_SUPPORTED' })
        expect(response.details).toMatchObject([
          { field: `remoteFields.${Object.keys(remoteFields)[0]}` },
        ])
      }
      expect(await readOrderNow(order.id)).toEqual(order)
    })

    test('a product with stock changes by our own writes is up to date, and its next change is no conflict', async () => {
      const readStocks = async () => {
        const { record } = await records.get(PRODUCTS, lamp.id)
        const { variants } = record.remoteFields
        return variants.map(({ stockLevels }: { stockLevels: object[] }) => stockLevels)
      }
      const own = async () => {
        const product = await readProduct(shop.vendure, lamp.id)
        return product?.variants.map(({ stockLevels }) => stockLevels)
      }
      const [shipped, cancelled] = [await buy(), await buy()]
      // Only a full listing sees stock changes by purchases.
      await shop.syncEverything()
      const lineItems = shipped.lines.map(({ id, quantity }) => ({ lineItemId: id, quantity }))
      const writes = [
        () => records.create(FULFILLMENTS, { orderId: shipped.id, lineItems }),
        () => records.update(ORDERS, cancelled.id, { orderStatus: 'Cancelled' }),
      ]
      for (const [index, write] of writes.entries()) {
        const before = await readStocks()
        expectSuccess(await write())
        expect(await readStocks()).not.toEqual(before)
        expect(await readStocks()).toMatchObject((await own()) ?? [])
        const description = `Bright ${transport} ${index}.`
        expectSuccess(await records.update(PRODUCTS, lamp.id, { description }))
      }
    })

    test('an order can be corrected after a rejection: the undone attempt is no conflict', async () => {
      const order = await buy()
      const dear = lamp.variants.map(({ id }) => ({ variantId: id, quantity: 9 }))
      const refused = await records.update(ORDERS, order.id, { lineItems: dear })
      expect(refused.status).toBe(400)
      // Vendure keeps whole seconds: the history of the attempt is later than the stored order.
      await shop.passOverlap()
      expect((await records.update(ORDERS, order.id, { lineItems: dear })).status).toBe(400)
      const billingAddress = { city: 'Kiel' }
      const changed = expectSuccess(await records.update(ORDERS, order.id, { billingAddress }))
      expect((await readOrderNow(order.id)).billingAddress).toMatchObject({ city: 'Kiel' })
      await expectSettled(ORDERS, changed)
    })

    test('reduces an order if the refund is named, and shows Vendure’s total', async () => {
      const order = await buy()
      const changed = expectSuccess(
        await records.update(ORDERS, order.id, {
          lineItems: lamp.variants.map(({ id }) => ({ variantId: id, quantity: 2 })),
          remoteFields: { refunds: [{ paymentId: order.payments[0]?.id, amount: 2399 }] },
        }),
      )
      const { totalWithTax, lines } = await readOrderNow(order.id)
      expect(lines.map(({ quantity }) => quantity)).toEqual([2, 2])
      expect(changed.totalPrice).toBe((totalWithTax / 100).toFixed(2))
      expect(totalWithTax).toBeLessThan(order.totalWithTax)
      await expectSettled(ORDERS, changed)
    })

    test('creates a fulfillment and changes its state, and Vendure’s own API shows it', async () => {
      const order = await buy()
      await shop.takeLog()
      const createdRecord = expectSuccess(
        await records.create(FULFILLMENTS, {
          orderId: order.id,
          carrier: 'DHL',
          trackingNumbers: ['T-1'],
          lineItems: order.lines.map(({ id, quantity }) => ({ lineItemId: id, quantity })),
        }),
      )
      expect(createdRecord).toMatchObject({
        carrier: 'DHL',
        trackingNumbers: ['T-1'],
        trackingUrls: [],
        remoteFields: { state: 'Pending' },
      })
      expect((await readOrderNow(order.id)).fulfillments).toMatchObject([
        { id: createdRecord.remoteId, state: 'Pending', method: 'DHL', trackingCode: 'T-1' },
      ])
      for (const state of ['Shipped', 'Delivered']) {
        const remoteFields = { state }
        const moved = expectSuccess(
          await records.update(FULFILLMENTS, createdRecord.id, { remoteFields }),
        )
        expect(moved).toMatchObject({ id: createdRecord.id, remoteFields })
        expect(await readOrderNow(order.id)).toMatchObject({
          state,
          fulfillments: [{ id: createdRecord.remoteId, state }],
        })
        // The order, whose status the fulfillment moved, is up to date without a sync: its next change is no conflict.
        expect((await records.get(ORDERS, order.id)).record).toMatchObject({
          orderStatus: state,
          fulfillmentStatus: state,
        })
      }
      const shippingAddress = { address1: 'Kai 4' }
      const late = await records.update(ORDERS, order.id, { shippingAddress })
      expect(late.code).not.toBe('WRITE_CONFLICT')
      expect(await kindsOf(FULFILLMENTS, createdRecord.remoteId)).toEqual([
        'created',
        'updated',
        'updated',
      ])
      await expectSettled(FULFILLMENTS, createdRecord)
      expect((await records.get(ORDERS, order.id)).record).toMatchObject({
        orderStatus: 'Delivered',
        fulfillmentStatus: 'Delivered',
      })
    })

    test('does not change a fulfillment that moved on in Vendure in the meantime', async () => {
      const order = await buy()
      const shipment = { trackingCode: 'T-2', method: 'DHL', state: 'Pending' } as const
      const { id } = await fulfillOrder(shop.vendure, order, shipment)
      await shop.sync()
      await setFulfillmentState(shop.vendure, id, 'Shipped')
      const cancel = { remoteFields: { state: 'Cancelled' } }
      const stale = await records.update(FULFILLMENTS, id, cancel)
      expect(expectConflict(stale, 'remoteFields')).toMatchObject({
        stored: { state: 'Pending' },
        current: { state: 'Shipped' },
      })
      expect((await readOrderNow(order.id)).fulfillments).toMatchObject([{ id, state: 'Shipped' }])
      const again = expectSuccess(await records.update(FULFILLMENTS, id, cancel))
      expect((await readOrderNow(order.id)).fulfillments).toMatchObject([
        { id, state: 'Cancelled' },
      ])
      await expectSettled(FULFILLMENTS, again)
      const late = await records.update(FULFILLMENTS, id, { remoteFields: { state: 'Shipped' } })
      expect([late.status, late.code]).toEqual([400, 'APP_REFUSED'])
      expect(late.message).toContain('Cannot transition Fulfillment from "Cancelled" to "Shipped"')
    })

    test('creates, changes and deletes a customer, and rejects a duplicate by field', async () => {
      const email = `emmy-${transport.toLowerCase()}@example.org`
      const emmy = { firstName: 'Emmy', lastName: 'Noether', email }
      const createdRecord = expectSuccess(
        await records.create(CUSTOMERS, { ...emmy, phone: '+49 1' }),
      )
      expect(await readCustomer(shop.vendure, createdRecord.remoteId)).toMatchObject({
        firstName: 'Emmy',
        lastName: 'Noether',
        emailAddress: email,
        phoneNumber: '+49 1',
      })
      const repeatedCreate = await records.create(CUSTOMERS, emmy)
      expect([repeatedCreate.status, repeatedCreate.code]).toEqual([400, 'APP_REFUSED'])
      expect(repeatedCreate.message).toContain('The email address is not available.')
      expect(repeatedCreate.details).toMatchObject([{ field: 'email' }])

      const changed = expectSuccess(
        await records.update(CUSTOMERS, createdRecord.id, { phone: null }),
      )
      expect(changed).toMatchObject({ ...emmy, phone: null })
      await expectSettled(CUSTOMERS, changed)
      await updateCustomer(shop.vendure, createdRecord.remoteId, { firstName: 'Amalie' })
      const stale = await records.remove(CUSTOMERS, createdRecord.id)
      expect(expectConflict(stale, 'firstName')).toMatchObject({
        stored: 'Emmy',
        current: 'Amalie',
      })

      const deletedRecord = expectSuccess(await records.remove(CUSTOMERS, createdRecord.id))
      expect(deletedRecord).toMatchObject({
        id: createdRecord.id,
        firstName: 'Amalie',
        remoteDeleted: true,
      })
      expect(await readCustomer(shop.vendure, createdRecord.remoteId)).toBeNull()
      await expectSettled(CUSTOMERS, deletedRecord)
      expect((await records.get(CUSTOMERS, createdRecord.id)).record).toEqual(deletedRecord)
    })

    test('one of several concurrent changes of the same version succeeds, and the others get a conflict', async () => {
      const email = `first-${transport.toLowerCase()}@example.org`
      const first = { firstName: 'First', lastName: 'Noether', email }
      const customer = expectSuccess(await records.create(CUSTOMERS, first))
      const order = await buy()
      const { record } = await records.get(ORDERS, order.id)
      const expectOne = async (topic: string, { id, updatedAt }: Shown, inputs: object[]) => {
        const outcomes = await Promise.all(
          inputs.map((input) => records.update(topic, id, input, updatedAt)),
        )
        expect(outcomes.map(({ status }) => status).toSorted()).toEqual([200, 409, 409, 409, 409])
        const index = outcomes.findIndex(({ status }) => status === 200)
        expect(outcomes[index]?.record).toMatchObject(inputs[index] ?? {})
        await expectSettled(topic, outcomes[index]?.record)
      }
      const names = ['A', 'B', 'C', 'D', 'E']
      await expectOne(
        CUSTOMERS,
        customer,
        names.map((firstName) => ({ firstName })),
      )
      await expectOne(
        ORDERS,
        record,
        names.map((city) => ({ billingAddress: { city } })),
      )
    })

    test('repeated changes of a product with several options are no conflict, whatever the order of options', async () => {
      const listOptionValues = (size: string) => [
        { name: 'Size', value: size },
        { name: 'Colour', value: 'red' },
        { name: 'Base', value: 'oak' },
      ]
      const productName = `Chair ${transport}`
      const createdRecord = expectSuccess(
        await records.create(PRODUCTS, {
          productName,
          description: '',
          variants: ['L', 'S'].map((size) => ({
            title: size,
            price: '10.00',
            sku: size,
            optionValues: listOptionValues(size),
          })),
        }),
      )
      const sorted = createdRecord.variants.map(
        ({ optionValues }: { optionValues: { name: string }[] }) =>
          optionValues.map(({ name }) => name),
      )
      expect(sorted).toEqual([
        ['Base', 'Colour', 'Size'],
        ['Base', 'Colour', 'Size'],
      ])
      for (const description of ['One', 'Two', 'Three'])
        expect(
          expectSuccess(await records.update(PRODUCTS, createdRecord.id, { description })),
        ).toMatchObject({
          id: createdRecord.id,
          description,
          variants: createdRecord.variants,
        })
      await expectSettled(PRODUCTS, createdRecord)
      expect(expectSuccess(await records.remove(PRODUCTS, createdRecord.id)).remoteDeleted).toBe(
        true,
      )
    })

    test('reports a deleted record as deleted, here or in Vendure, each time', async () => {
      const expectGone = async (topic: string, id: string, input: object) => {
        for (const _again of [1, 2]) {
          const late = await records.update(topic, id, input)
          expect(expectConflict(late, 'remoteDeleted')).toMatchObject({ current: true })
        }
      }
      const product = { productName: `Stool ${transport}`, description: '' }
      const here = expectSuccess(await records.create(PRODUCTS, product))
      expectSuccess(await records.remove(PRODUCTS, here.id))
      await expectGone(PRODUCTS, here.id, { productName: 'Late' })
      const there = expectSuccess(await records.create(PRODUCTS, product))
      await deleteProduct(shop.vendure, there.remoteId)
      await expectGone(PRODUCTS, there.id, { productName: 'Late' })
      const email = `gone-${transport.toLowerCase()}@example.org`
      const customer = { firstName: 'Lise', lastName: 'Meitner', email }
      const deletedRecord = expectSuccess(await records.create(CUSTOMERS, customer))
      expectSuccess(await records.remove(CUSTOMERS, deletedRecord.id))
      await expectGone(CUSTOMERS, deletedRecord.id, {})
    })

    test('does not overwrite a product that has lost its most recently changed variant', async () => {
      const sizes = ['S', 'L'].map((size) => ({ name: 'Size', value: size }))
      const createdRecord = expectSuccess(
        await records.create(PRODUCTS, {
          productName: `Shelf ${transport}`,
          description: '',
          variants: sizes.map((choice) => ({
            title: choice.value,
            price: '10.00',
            sku: choice.value,
            optionValues: [choice],
          })),
        }),
      )
      const [keptVariant, lost] = createdRecord.variants
      // Vendure keeps whole seconds: the second variant must be later than the rest of the product.
      await shop.passOverlap()
      await updateVariant(shop.vendure, lost.remoteId, { price: 1200 })
      await shop.sync()
      await deleteVariant(shop.vendure, lost.remoteId)
      const unchanged = { variants: [{ remoteId: keptVariant.remoteId, price: '10.00' }] }
      const stale = await records.update(PRODUCTS, createdRecord.id, unchanged)
      expect(expectConflict(stale, 'variants')).toBeDefined()
      const again = expectSuccess(await records.update(PRODUCTS, createdRecord.id, unchanged))
      expect(again.variants).toMatchObject([{ remoteId: keptVariant.remoteId }])
      await expectSettled(PRODUCTS, again)
    })
  })

  test('the paths below an order lead to its own fulfillments only', async () => {
    const [order, other] = [await buy(), await buy()]
    const { key } = shop.tenant
    const [line] = order.lines
    const url = (orderId: string, id = '') =>
      `/2024-03/one/commerce/orders/${orderId}/fulfillments${id}?credentialId=${shop.credentialId}`
    const created = await shop.service.send(key, 'POST', url(order.id), {
      lineItems: [{ lineItemId: line?.id, quantity: 1 }],
    })
    expect(created.statusCode, created.body).toBe(200)
    const { fulfillment } = created.json()
    const body = { remoteFields: { state: 'Shipped' } }
    const below = `/${fulfillment.remoteId}`
    const mismatched = await shop.service.send(key, 'PUT', url(other.id, below), body)
    expect([mismatched.statusCode, mismatched.json().error.code]).toEqual([404, 'NOT_FOUND'])
    const shipped = await shop.service.send(key, 'PUT', url(order.id, below), body)
    expect(shipped.json().fulfillment).toMatchObject({
      id: fulfillment.id,
      remoteFields: body.remoteFields,
    })
    expect((await readOrderNow(order.id)).fulfillments).toMatchObject([
      { id: fulfillment.remoteId, state: 'Shipped' },
    ])
  })

  test('names the operations that Vendure does not support', async () => {
    const records = createRecordCalls('REST', shop)
    const { id } = await buy()
    for (const impossible of [await records.remove(ORDERS, id), await records.create(ORDERS, {})])
      expect(impossible).toMatchObject({ status: 400, code: 'NOT_SUPPORTED' })
    const field = await records.update(ORDERS, id, { totalPrice: 1 })
    expect(field).toMatchObject({ code: 'FIELD_NOT_SUPPORTED', details: [{ field: 'totalPrice' }] })
  })

  addFidelityTest('vendure', 'live', () => shop.service)
})
