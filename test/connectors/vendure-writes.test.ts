/** Writes to the real Vendure, which is started once. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { fulfillOrder } from '../apps/vendure/orders.ts'
import { customerWrites } from './vendure/customer-writes.ts'
import { fulfillmentWrites } from './vendure/fulfillment-writes.ts'
import { missing } from './vendure/harness.ts'
import { orderWrites } from './vendure/order-writes.ts'
import { productWrites } from './vendure/product-writes.ts'
import { createWritingShop } from './vendure/writing.ts'

describe.skipIf(missing)(`writes to the real Vendure${missing ? `: ${missing}` : ''}`, () => {
  const shop = createWritingShop()
  const { buy, get, listRecord: listed, storedAs } = shop
  beforeAll(shop.start, 120_000)
  afterAll(shop.stop)

  customerWrites(shop)
  productWrites(shop)
  orderWrites(shop)
  fulfillmentWrites(shop)

  test('reads one record in the same form as a listing, and none that is not listed', async () => {
    const order = await buy()
    const created = await fulfillOrder(shop.vendure, order, { trackingCode: 'T', method: 'DHL' })
    const records: [string, string][] = [
      ['customers', order.customer?.id ?? ''],
      ['orders', order.id],
      ['products', shop.lamp.id],
      ['fulfillments', created.id],
    ]
    for (const [name, id] of records) {
      const raw = await listed(name, id)
      expect(raw, name).toBeDefined()
      expect(await get(name, id), name).toEqual(raw)
      if (name === 'fulfillments')
        expect(await get(name, id, storedAs(name, raw)), 'by its order').toEqual(raw)
      expect(await get(name, '99999'), name).toBeUndefined()
    }
    const { createDraftOrder: draft } = await shop.vendure.admin<{
      createDraftOrder: { id: string }
    }>('mutation { createDraftOrder { id } }')
    expect(await get('orders', draft.id)).toBeUndefined()
  })
})
