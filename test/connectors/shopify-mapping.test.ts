/** The Shopify connector without a shop: mappings. */
import { describe, expect, test } from 'vitest'
import { createMapper } from '../../src/definition/mapping.ts'
import { valuesOf } from '../../src/definition/raw-values.ts'
import { context, findResource, globalId, SINCE } from './shopify/fixtures.ts'

const CREDENTIAL = 'b4f1c1de-0000-4000-8000-000000000000'

describe('a mapped record', () => {
  const map = (name: string, raw: object) =>
    createMapper(findResource(name).mapping)(raw, CREDENTIAL, { context }).row

  test('of an order has the exact amounts of the shop, and shows those of the buyer', () => {
    const money = (amount: string, presented: string) => ({
      shopMoney: { amount, currencyCode: 'EUR' },
      presentmentMoney: { amount: presented, currencyCode: 'JPY' },
    })
    const row = map('orders', {
      id: globalId('Order', 1),
      currencyCode: 'EUR',
      cancelledAt: null,
      closed: false,
      totalPriceSet: money('9007199254740993.10', '100'),
      lineItems: [{ name: 'Lamp', originalUnitPriceSet: { shopMoney: { amount: '0.1' } } }],
      shippingAddress: { province: 'Hamburg', provinceCode: null, countryCodeV2: 'DE' },
      customer: null,
    })
    expect(row).toMatchObject({
      orderStatus: 'open',
      currency: 'EUR',
      totalPrice: '9007199254740993.10',
      lineItems: [{ price: '0.1', currency: 'EUR' }],
      shippingAddress: { region: 'Hamburg', countryCode: 'DE' },
      customer: { customerId: null, firstName: null },
    })
    expect(valuesOf(row.remoteFields).totalPriceSet).toMatchObject({
      presentmentMoney: { amount: '100', currencyCode: 'JPY' },
    })
  })

  test.each([
    [{ cancelledAt: SINCE, closed: true }, 'cancelled', 'CANCELLED'],
    [{ cancelledAt: null, closed: true }, 'closed', 'COMPLETED'],
  ])('of an order with %j is %s', (facts, orderStatus, orderState) => {
    expect(map('orders', { id: 'o', ...facts })).toMatchObject({ orderStatus, orderState })
  })

  test('of an order has unified states only for words that mean one', () => {
    const statesOf = (displayFulfillmentStatus: string, displayFinancialStatus: string) => {
      const row = map('orders', { id: 'o', displayFulfillmentStatus, displayFinancialStatus })
      return [row.fulfillmentState, row.paymentState]
    }
    expect(statesOf('PARTIALLY_FULFILLED', 'VOIDED')).toEqual(['PARTIALLY_FULFILLED', 'VOID'])
    expect(statesOf('ON_HOLD', 'NEW_WORD')).toEqual([null, null])
  })

  test.each([
    [{ status: 'SUCCESS', displayStatus: 'OUT_FOR_DELIVERY' }, 'SHIPPED'],
    [{ status: 'SUCCESS', displayStatus: null }, 'SHIPPED'],
    [{ status: 'SUCCESS', displayStatus: 'LABEL_VOIDED' }, null],
    [{ status: 'CANCELLED', displayStatus: 'CANCELED' }, 'CANCELLED'],
  ])('of a fulfillment with %j is %s', (raw, shipmentState) => {
    expect(map('fulfillments', { id: 'f', ...raw }).shipmentState).toBe(shipmentState)
  })

  test('of a product hides the default option, and stock that is not tracked', () => {
    const variant = {
      id: globalId('ProductVariant', 1),
      inventoryQuantity: 0,
      inventoryItem: { tracked: false },
      selectedOptions: [{ name: 'Title', value: 'Default Title' }],
    }
    expect(map('products', { id: 'p', variants: [variant] }).variants).toMatchObject([
      { optionValues: [], inventory: null },
    ])
  })

  test('of a cancelled fulfillment is deleted', () => {
    expect(map('fulfillments', { id: 'f', status: 'CANCELLED' }).remoteDeleted).toBe(true)
    expect(map('fulfillments', { id: 'f', status: 'SUCCESS' }).remoteDeleted).toBe(false)
  })
})
