/** Writes of orders, fulfillments and products through the common model. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { openSandboxHarness, type Raw, type SandboxHarness } from './sandbox-harness.ts'
import { CREDENTIAL, type TenantWrites, tenantWrites } from './writing.ts'

let harness: SandboxHarness
let writes: TenantWrites
beforeAll(async () => {
  harness = await openSandboxHarness()
  writes = tenantWrites(harness)
})
afterAll(() => harness.stop())

describe('an order', () => {
  const lines = [
    { productId: 'prd_0001', variantId: 'var_0001', quantity: 1 },
    { productId: 'prd_0001', variantId: 'var_0002', quantity: 2, price: '10' },
  ]
  const lineItemsOf = ({ raw }: { raw: Raw }) =>
    raw.lineItems as { id: string; [name: string]: unknown }[]

  test('keeps the ids and prices of lines that are identified by their variant', async () => {
    const order = await writes.create('commerce/orders', { lineItems: lines })
    const [first, second] = lineItemsOf(order)
    const changed = await writes.update('commerce/orders', order, {
      lineItems: [
        { variantId: 'var_0002', quantity: 5 },
        { productId: 'prd_0001', variantId: 'var_0003', quantity: 1 },
        { variantId: 'var_0001' },
      ],
    })
    const [a, b, c] = lineItemsOf(changed)
    expect(a).toEqual({ ...second, quantity: 5 })
    expect(c).toEqual(first)
    expect([first?.id, second?.id]).not.toContain(b?.id)
  })

  test('computes the totals that were not sent, and keeps those that were', async () => {
    const order = await writes.create('commerce/orders', {
      lineItems: [{ ...lines[0], price: '100' }],
      totalShipping: '5',
    })
    expect(order.row).toMatchObject({ totalTax: '24.15', totalPrice: '129.15' })
    const withTotal = await writes.update('commerce/orders', order, {
      totalTax: '10',
      totalPrice: '120',
    })
    expect(withTotal.row).toMatchObject({ totalTax: '10.00', totalPrice: '120.00' })
    const free = await writes.update('commerce/orders', withTotal, {
      totalPrice: '0',
      totalTax: '0',
    })
    expect(free.row).toMatchObject({ totalTax: '0.00', totalPrice: '0.00' })
    const counted = await writes.update('commerce/orders', free, {
      totalPrice: null,
      totalTax: null,
    })
    expect(counted.row).toMatchObject({ totalTax: '24.15', totalPrice: '129.15' })
  })

  test('has the fulfillment status that was sent until something is shipped', async () => {
    const order = await writes.create('commerce/orders', {
      lineItems: lines,
      fulfillmentStatus: 'Shipped',
    })
    expect(order.row.fulfillmentStatus).toBe('Shipped')
    const later = await writes.update('commerce/orders', order, { totalShipping: '1' })
    expect(later.row.fulfillmentStatus).toBe('Shipped')
    await writes.create('commerce/fulfillments', {
      orderId: order.raw.id,
      lineItems: [{ variantId: 'var_0001', quantity: 1 }],
    })
    const now = await writes.get('commerce/orders', order.raw.id)
    expect(now?.row.fulfillmentStatus).toBe('partial')
    expect(now?.raw.stated_status).toBe(null)
  })

  test('belongs to a known customer, to new contact details, or to a guest', async () => {
    const { body: shopper } = await harness.request('GET', '/v1/shoppers/sho_0002')
    const withCustomer = await writes.create('commerce/orders', {
      lineItems: lines,
      customer: { customerId: 'sho_0002' },
    })
    expect(withCustomer.raw.customer).toMatchObject({
      customerId: 'sho_0002',
      email: shopper.email,
    })
    const updated = await writes.update('commerce/orders', withCustomer, {
      customer: { customerId: 'sho_0002', firstName: 'Aoife', phone: null },
    })
    expect(updated.row.customer).toEqual({
      customerId: recordId(CREDENTIAL, 'commerce/customers', 'sho_0002'),
      firstName: 'Aoife',
      lastName: shopper.lastName,
      email: shopper.email,
      phone: shopper.phone,
    })
    const guest = await writes.update('commerce/orders', updated, {
      customer: { customerId: null, email: 'x@quay.example' },
    })
    expect(guest.row.customer).toEqual({
      customerId: null,
      firstName: null,
      lastName: null,
      email: 'x@quay.example',
      phone: null,
    })
  })
})

describe('a fulfillment', () => {
  test('identifies lines of its order by id or variant, and shows the order’s values for them', async () => {
    const order = await writes.create('commerce/orders', {
      lineItems: [
        { productId: 'prd_0001', variantId: 'var_0001', quantity: 1 },
        { productId: 'prd_0001', variantId: 'var_0001', quantity: 3 },
      ],
    })
    const [first, second] = order.raw.lineItems as { id: string; title: string }[]
    const byVariant = await writes.create('commerce/fulfillments', {
      orderId: order.raw.id,
      lineItems: [
        { variantId: 'var_0001', quantity: 1 },
        { variantId: 'var_0001', quantity: 2 },
      ],
    })
    expect(byVariant.raw.lineItems).toMatchObject([
      { lineItemId: first?.id },
      { lineItemId: second?.id },
    ])
    const byId = await writes.update('commerce/fulfillments', byVariant, {
      lineItems: [{ lineItemId: second?.id ?? '', title: second?.title ?? '', quantity: 3 }],
    })
    expect(byId.raw.lineItems).toMatchObject([{ lineItemId: second?.id, quantity: 3 }])
    const engraved = await writes.update('commerce/fulfillments', byId, {
      lineItems: [{ lineItemId: second?.id ?? '', quantity: 1, title: 'Engraved' }],
    })
    expect(engraved.raw.lineItems).toMatchObject([{ title: 'Engraved', variantId: 'var_0001' }])
  })
})

test('variants are matched by id, stock keeping unit or name, and keep fields that were not sent', async () => {
  const product = await writes.create('commerce/products', {
    productName: 'Lamp',
    variants: [
      { title: 'Red', price: '1', sku: 'R', inventory: { totalCount: 3 } },
      { title: 'Blue', price: '2', inventory: { totalCount: 4 } },
      { title: 'Green', price: '3', weight: { value: 5, unit: 'g' } },
    ],
  })
  const [red, blue, green] = product.raw.variants as Raw[]
  const { raw } = await writes.update('commerce/products', product, {
    variants: [
      { id: green?.id ?? '', price: '9' },
      { sku: 'R', title: 'Crimson' },
      { title: 'Blue', price: '8' },
      { title: 'Black', price: '7' },
    ],
  })
  const [a, b, c, d] = raw.variants as Raw[]
  expect([a, b, c]).toEqual([
    { ...green, price: '9.00' },
    { ...red, title: 'Crimson' },
    { ...blue, price: '8.00' },
  ])
  expect([red?.id, blue?.id, green?.id]).not.toContain(d?.id)
})
