/** The Vendure connector without a Vendure: amounts, and the status of orders. */
import { describe, expect, test } from 'vitest'
import { fulfillmentStatus, paymentStatus } from '../../src/connectors/vendure/order-status.ts'
import { fromMinorUnits } from '../../src/definition/mapping/minor-units.ts'
import { CONTEXT, mapRaw, readRawRecords } from './vendure/fixtures.ts'

describe('the status of an order', () => {
  const shipment = (state: string, ...lines: [string, number][]) => ({
    state,
    updatedAt: '',
    lines: lines.map(([orderLineId, quantity]) => ({ orderLineId, quantity })),
  })
  const lines = [
    { id: '1', quantity: 2 },
    { id: '2', quantity: 1 },
  ]

  test.each([
    ['Unfulfilled', []],
    ['Unfulfilled', [shipment('Pending', ['1', 2], ['2', 1])]],
    ['Unfulfilled', [shipment('Cancelled', ['1', 2], ['2', 1])]],
    ['PartiallyShipped', [shipment('Shipped', ['1', 2])]],
    // Three units of one line do not count for the other.
    ['PartiallyShipped', [shipment('Shipped', ['1', 3])]],
    ['Shipped', [shipment('Shipped', ['1', 1], ['2', 1]), shipment('Shipped', ['1', 1])]],
    ['PartiallyDelivered', [shipment('Shipped', ['1', 2]), shipment('Delivered', ['2', 1])]],
    ['Delivered', [shipment('Delivered', ['1', 2], ['2', 1])]],
  ])('the fulfillment status is %s', (status, fulfillments) => {
    expect(fulfillmentStatus({ fulfillments, lines })).toBe(status)
  })

  test('is not guessed without payments or fulfillments', () => {
    expect(() => fulfillmentStatus({ lines })).toThrow(TypeError)
    expect(() => paymentStatus({ totalWithTax: 0 })).toThrow(TypeError)
  })

  const payment = (state: string, amount: number, ...refunds: [string, number][]) => ({
    state,
    amount,
    updatedAt: '',
    refunds: refunds.map(([refundState, total]) => ({ state: refundState, total, updatedAt: '' })),
  })

  test.each([
    ['Unpaid', 100, []],
    ['Unpaid', 100, [payment('Declined', 100), payment('Error', 100), payment('Created', 100)]],
    ['Unpaid', 0, [payment('Cancelled', 100)]],
    ['Authorized', 100, [payment('Authorized', 100)]],
    ['PartiallyAuthorized', 100, [payment('Authorized', 40)]],
    ['PartiallySettled', 100, [payment('Settled', 40), payment('Authorized', 60)]],
    ['Settled', 100, [payment('Settled', 40), payment('Settled', 60)]],
    ['Settled', 0, [payment('Settled', 0)]],
    // Cancelled: the total is 0, and the money was not refunded.
    ['Settled', 0, [payment('Settled', 100)]],
    ['Settled', 100, [payment('Settled', 100, ['Pending', 100], ['Failed', 100])]],
    ['PartiallyRefunded', 100, [payment('Settled', 100, ['Settled', 40])]],
    ['Refunded', 0, [payment('Settled', 100, ['Settled', 40], ['Settled', 60])]],
  ])('the payment status is %s of %i', (status, total, payments) => {
    expect(paymentStatus({ payments, totalWithTax: total })).toBe(status)
  })
})

describe('an amount', () => {
  test.each([
    [9136, 2, '91.36'],
    [5, 2, '0.05'],
    [-960, 2, '-9.60'],
    [-5, 2, '-0.05'],
    [-0, 2, '0.00'],
    [100_000, 2, '1000.00'],
    [1234, 0, '1234'],
    [12_345, 4, '1.2345'],
    [Number.MAX_SAFE_INTEGER, 2, '90071992547409.91'],
  ])('of %i at precision %i is %s', (amount, precision, text) => {
    expect(fromMinorUnits(amount, precision)).toBe(text)
  })

  test('is a multiple of the unit that the shop sets, whatever the currency', () => {
    const [first] = readRawRecords('orders')
    const yen = { ...first, currencyCode: 'JPY' }
    expect(mapRaw('orders', yen).row.totalPrice).toBe('91.36')
    expect(mapRaw('orders', yen, { ...CONTEXT, moneyStrategyPrecision: 0 }).row.totalPrice).toBe(
      '9136',
    )
    expect(mapRaw('orders', first, { ...CONTEXT, moneyStrategyPrecision: 3 }).row.totalPrice).toBe(
      '9.136',
    )
  })

  test('that is not an integer is rejected, not rounded', () => {
    expect(() => fromMinorUnits(1.5, 2)).toThrow(RangeError)
  })
})
