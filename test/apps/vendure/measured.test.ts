/**
 * Behaviour of the real Vendure that the connector relies on, as in its NOTES.md. If a new Vendure fails here, the
 * connector's detection of changes must be revised.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fillCart, placeOrder } from './checkout.ts'
import { addNote, cancelOrder, fulfillOrder, refundPayment, settlePayment } from './orders.ts'
import {
  createCustomer,
  createProduct,
  deleteCustomer,
  deleteProduct,
  deleteVariant,
  updateVariant,
} from './shop.ts'
import { startVendure, type Vendure, vendureMissing } from './start.ts'
import { type Order, type Product, readCustomer, readOrder, readProduct } from './state.ts'

describe.skipIf(vendureMissing())('Vendure', () => {
  const buyer = { firstName: 'Emmy', lastName: 'Noether', emailAddress: 'emmy@example.org' }
  let vendure: Vendure
  let product: Product

  beforeAll(async () => {
    vendure = await startVendure()
    product = await createProduct(vendure, {
      name: 'Lamp',
      variants: [
        { sku: 'LAMP-S', price: 1000, options: { Size: 'S' } },
        { sku: 'LAMP-L', price: 1999, options: { Size: 'L' } },
      ],
    })
  }, 90_000)
  afterAll(() => vendure?.stop())

  const buy = (payment: 'prepaid' | 'invoice' = 'prepaid') => {
    const lines = product.variants.map(({ id }) => ({ variantId: id, quantity: 2 }))
    return placeOrder(vendure, { customer: buyer, lines, payment })
  }
  const readAgain = async (order: Order) => {
    const now = await readOrder(vendure, order.id)
    if (!now) throw new Error(`order "${order.id}" is gone`)
    return now
  }

  test('leaves Order.updatedAt unchanged on payment, note, fulfillment, state and refund', async () => {
    const order = await buy('invoice')
    await waitForNextSecond()
    await settlePayment(vendure, order.payments[0]?.id ?? '')
    await addNote(vendure, order.id, 'call before delivery')
    await fulfillOrder(vendure, order, { trackingCode: 'T-1', method: 'DHL' })
    await refundPayment(vendure, order.payments[0]?.id ?? '', 100)

    const now = await readAgain(order)
    expect(now).toMatchObject({ state: 'Shipped', updatedAt: order.updatedAt })
    expect(Date.parse(now.fulfillments[0]?.updatedAt ?? '')).toBeGreaterThan(
      Date.parse(order.updatedAt),
    )
  })

  test('moves Order.updatedAt on cancellation, and empties lines and totals', async () => {
    const order = await buy()
    await waitForNextSecond()
    await cancelOrder(vendure, order.id)

    const now = await readAgain(order)
    expect(now).toMatchObject({ state: 'Cancelled', totalWithTax: 0 })
    expect(now.updatedAt).not.toBe(order.updatedAt)
    expect(now.lines[0]).toMatchObject({ quantity: 0, orderPlacedQuantity: 2 })
  })

  test('lists carts among the orders; only orderPlacedAt distinguishes them', async () => {
    const order = await buy()
    const cart = await fillCart(vendure, [
      { variantId: product.variants[0]?.id ?? '', quantity: 1 },
    ])
    expect(cart).toMatchObject({ state: 'AddingItems', orderPlacedAt: null })

    expect(await listOrderIds(`id: { in: ["${order.id}", "${cart.id}"] }`)).toHaveLength(2)
    const placed = `id: { in: ["${order.id}", "${cart.id}"] }, orderPlacedAt: { isNull: false }`
    expect(await listOrderIds(placed)).toEqual([{ id: order.id }])
  })

  test('moves the update time of the variant, not of the product, on a change of price or stock', async () => {
    const before = await createProduct(vendure, {
      name: 'Desk',
      variants: [{ sku: 'D', price: 5 }],
    })
    await waitForNextSecond()
    const changed = await updateVariant(vendure, before.variants[0]?.id ?? '', { price: 7 })

    expect(changed.updatedAt).not.toBe(before.variants[0]?.updatedAt)
    expect((await readProduct(vendure, before.id))?.updatedAt).toBe(before.updatedAt)
  })

  test('hides deleted records without a trace, and keeps them inside old orders', async () => {
    const gone = await createProduct(vendure, {
      name: 'Sofa',
      variants: [{ sku: 'S', price: 900 }],
    })
    const variantId = gone.variants[0]?.id ?? ''
    const customer = { ...buyer, emailAddress: 'gone@example.org' }
    const { id: customerId } = await createCustomer(vendure, customer)
    const order = await placeOrder(vendure, { customer, lines: [{ variantId, quantity: 1 }] })
    await deleteVariant(vendure, variantId)
    expect((await readProduct(vendure, gone.id))?.variants).toEqual([])
    await deleteProduct(vendure, gone.id)
    await deleteCustomer(vendure, customerId)

    expect(await readProduct(vendure, gone.id)).toBeNull()
    expect(await readCustomer(vendure, customerId)).toBeNull()
    expect(await readAgain(order)).toMatchObject({
      customer: { id: customerId },
      lines: [{ productVariant: { id: variantId, sku: 'S', productId: gone.id } }],
    })
  })

  test('responds to a wrong key with HTTP 200 and the code FORBIDDEN', async () => {
    const response = await fetch(`${vendure.url}/admin-api`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'vendure-api-key': 'wrong' },
      body: JSON.stringify({ query: '{ orders { totalItems } }' }),
    })
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({
      data: null,
      errors: [{ extensions: { code: 'FORBIDDEN' } }],
    })
  })

  test('rejects a page of more than 1,000', async () => {
    const query = '{ orders(options: { take: 1001 }) { totalItems } }'
    await expect(vendure.admin(query)).rejects.toMatchObject({ code: 'USER_INPUT_ERROR' })
  })

  async function listOrderIds(filter: string) {
    const query = `{ orders(options: { filter: { ${filter} } }) { items { id } } }`
    return (await vendure.admin<{ orders: { items: { id: string }[] } }>(query)).orders.items
  }
})

/** SQLite keeps whole seconds: a changed time shows only in a later one. */
async function waitForNextSecond(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, 1_000 - (Date.now() % 1_000) + 5))
}
