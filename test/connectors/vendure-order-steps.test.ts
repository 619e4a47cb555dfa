/** The steps of the writes of orders, against planned responses. */
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/definition/connector.ts'
import { buildBody } from '../../src/definition/mapping/write.ts'
import { CONTEXT, findResource, readRawRecords } from './vendure/fixtures.ts'
import { ATTEMPT, catchError, recordReadByGuard, runSteps, writerOf } from './vendure/steps.ts'

/** The body that an update of an order sends. @throws WriteRejection */
const orderBody = (fields: { readonly [name: string]: Json }, raw: object) => {
  const input = { fields, remoteFields: {} }
  const options = { app: 'Vendure', verb: 'update', stored: { ...raw }, context: CONTEXT } as const
  const { done, value } = buildBody(findResource('orders').mapping, input, options).next()
  if (!done) throw new Error('a request was sent')
  return value
}

describe('the lines of an order', () => {
  const line = (id: string, variantId: string, quantity: number) => ({
    id,
    quantity,
    unitPriceWithTax: 100,
    productVariant: { id: variantId, productId: '1', sku: '', name: `Variant ${variantId}` },
  })
  const lines = [line('11', '1', 2), line('12', '2', 3), line('13', '2', 1), line('14', '4', 0)]
  const quantitiesByVariant = (...input: readonly [string, number][]) =>
    input.map(([variantId, quantity]) => ({ variantId, quantity }))

  test.each<[string, readonly [string, number][], object]>([
    [
      'unchanged',
      [
        ['1', 2],
        ['2', 3],
        ['2', 1],
      ],
      {},
    ],
    [
      'with the cancelled one',
      [
        ['1', 2],
        ['2', 3],
        ['2', 1],
        ['4', 0],
      ],
      {},
    ],
    [
      'in another order, one unit less',
      [
        ['2', 3],
        ['2', 0],
        ['1', 2],
      ],
      { adjustOrderLines: [{ orderLineId: '13', quantity: 0 }] },
    ],
    [
      'with a new one',
      [
        ['1', 5],
        ['2', 3],
        ['2', 1],
        ['9', 1],
      ],
      {
        adjustOrderLines: [{ orderLineId: '11', quantity: 5 }],
        addItems: [{ productVariantId: '9', quantity: 1 }],
      },
    ],
  ])('are accepted %s', (_name, input, change) => {
    expect(orderBody({ lineItems: quantitiesByVariant(...input) }, { lines })).toEqual(change)
  })

  test.each<[string, Json, string]>([
    ['no lines', [], 'lineItems'],
    ['null', null, 'lineItems'],
    ['one missing', quantitiesByVariant(['1', 2], ['2', 3]), 'lineItems'],
    [
      'a third of the same variant',
      quantitiesByVariant(['1', 2], ['2', 3], ['2', 1], ['2', 1]),
      'lineItems[3].variantId',
    ],
    [
      'a duplicate new one',
      quantitiesByVariant(['1', 2], ['2', 3], ['2', 1], ['9', 1], ['9', 1]),
      'lineItems[3].variantId',
    ],
    [
      'a negative quantity',
      quantitiesByVariant(['1', -1], ['2', 3], ['2', 1]),
      'lineItems[0].quantity',
    ],
  ])('with %s are rejected', (_name, input, field) => {
    expect(catchError(() => orderBody({ lineItems: input }, { lines }))).toMatchObject({
      name: 'WriteRejection',
      field,
    })
  })
})

describe('the address of an order', () => {
  const [order] = readRawRecords('orders')

  test.each<[string, Json, object | undefined]>([
    ['nothing if unchanged', { city: 'Stockholm', lastName: 'Kowalewskaja' }, undefined],
    ['nothing if it has no parts', {}, undefined],
    ['a cleared line', { address2: null }, { streetLine2: null }],
    ['a first name', { firstName: 'Sofja' }, { fullName: 'Sofja Kowalewskaja' }],
    ['no first name', { firstName: null }, { fullName: 'Kowalewskaja' }],
    [
      'the other fields',
      { address1: 'A', countryCode: 'DE', phone: '1', region: 'R', postalCode: '2' },
      { streetLine1: 'A', countryCode: 'DE', phoneNumber: '1', province: 'R', postalCode: '2' },
    ],
  ])('updates %s', (_name, input, change) => {
    const body = change === undefined ? {} : { updateShippingAddress: change }
    expect(orderBody({ shippingAddress: input }, order)).toEqual(body)
  })

  test.each<[string, Json, string, string]>([
    [
      'a last name of several words',
      { firstName: 'Jan', lastName: 'van der Berg' },
      'shippingAddress.lastName',
      '{"firstName":"Jan van der","lastName":"Berg"}',
    ],
    [
      'a first name alone',
      { firstName: 'Cher', lastName: null },
      'shippingAddress.lastName',
      '{"firstName":null,"lastName":"Cher"}',
    ],
    [
      'a name that begins with a space',
      { firstName: ' Jan' },
      'shippingAddress.firstName',
      '{"firstName":"Jan","lastName":"Kowalewskaja"}',
    ],
  ])('rejects %s, which would be read back differently', (_name, input, field, instead) => {
    expect(catchError(() => orderBody({ shippingAddress: input }, order))).toMatchObject({
      name: 'WriteRejection',
      field,
      reason: expect.stringContaining(instead),
    })
  })

  test('is not changed by parts that it does not have', () => {
    const shippingAddress = { ...order.shippingAddress, streetLine2: null }
    const input = { shippingAddress: { address2: null } }
    expect(orderBody(input, { ...order, shippingAddress })).toEqual({})
  })

  test('is created where none existed', () => {
    const input = { firstName: 'Emmy', lastName: 'Noether', countryCode: 'DE' }
    const change = { fullName: 'Emmy Noether', countryCode: 'DE' }
    expect(orderBody({ billingAddress: input }, { billingAddress: null })).toEqual({
      updateBillingAddress: change,
    })
  })
})

describe('a change of an order', () => {
  const [raw] = readRawRecords('orders')
  const listed = { orders: { totalItems: 1, items: [raw] } }
  const done = { transitionOrderToState: { id: raw.id } }
  const modifiedTotal = (totalWithTax: number) => ({ modifyOrder: { totalWithTax } })
  const toParis = () =>
    writerOf('orders').update?.steps(
      { fields: { shippingAddress: { city: 'Paris' } }, remoteFields: {} },
      recordReadByGuard(raw),
      ATTEMPT,
    )
  const back = { root: 'transitionOrderToState', variables: { id: raw.id, state: raw.state } }

  test('is a dry run first, then performed, and restores the state', async () => {
    const responses = [
      done,
      modifiedTotal(raw.totalWithTax),
      modifiedTotal(raw.totalWithTax),
      done,
      listed,
    ]
    const { result, calls, requests } = await runSteps(toParis(), responses)
    expect(result).toEqual({ ...raw, moneyStrategyPrecision: 2 })
    const change = { orderId: raw.id, updateShippingAddress: { city: 'Paris' } }
    expect(calls.slice(0, 4)).toEqual([
      { ...back, variables: { id: raw.id, state: 'Modifying' } },
      { root: 'modifyOrder', variables: { input: { ...change, dryRun: true } } },
      { root: 'modifyOrder', variables: { input: { ...change, dryRun: false } } },
      back,
    ])
    // A mutation is sent once, whatever happens; a query may be repeated.
    expect(requests.map(({ read }) => read === true)).toEqual([false, false, false, false, true])
  })

  const lost = new Error('no answer in time')
  test.each<[string, readonly (object | Error)[], unknown]>([
    [
      'more expensive',
      [modifiedTotal(raw.totalWithTax + 1), done],
      {
        name: 'WriteRejection',
        reason: expect.stringContaining('0.01 EUR more'),
        field: undefined,
      },
    ],
    ['rejected', [lost, done], lost],
    ['lost', [modifiedTotal(raw.totalWithTax), lost, done], lost],
    ['lost and Vendure is down', [modifiedTotal(raw.totalWithTax), lost, new Error('down')], lost],
  ])('restores the state when it is %s', async (_name, responses, failure) => {
    const { result, calls, requests } = await runSteps(toParis(), [done, ...responses])
    expect(result).toMatchObject(failure as object)
    expect(calls.at(-1)).toEqual(back)
    expect(requests.map(({ undo }) => undo === true).lastIndexOf(true)).toBe(requests.length - 1)
  })

  test('is not started if the order may not be modified', async () => {
    const { result, calls } = await runSteps(toParis(), [lost])
    expect(result).toBe(lost)
    expect(calls).toHaveLength(1)
  })

  test.each<[string, Json, readonly object[], string]>([
    [
      'to an unreachable state',
      { orderStatus: 'Nonsense' },
      [{ order: { nextStates: ['Shipped', 'Modifying'] } }],
      'orderStatus',
    ],
    [
      'to an unknown customer',
      { customer: { customerId: '999' } },
      [{ customer: null }],
      'customer.customerId',
    ],
  ])('is rejected when it leads %s', async (_name, input, responses, field) => {
    const fields = { shippingAddress: { city: 'Paris' }, ...Object(input) }
    const steps = writerOf('orders').update?.steps(
      { fields, remoteFields: {} },
      recordReadByGuard(raw),
      ATTEMPT,
    )
    const { result, requests } = await runSteps(steps, responses)
    expect(result).toMatchObject({ name: 'WriteRejection', field })
    expect(requests.every(({ read }) => read)).toBe(true)
  })

  test.each(['dryRun', 'orderId'])(
    'rejects %s as a remote field: the writer sets it',
    async (name) => {
      const remoteFields = { [name]: true }
      const steps = writerOf('orders').update?.steps(
        { fields: {}, remoteFields },
        recordReadByGuard(raw),
        ATTEMPT,
      )
      const { result } = await runSteps(steps, [])
      expect(result).toMatchObject({ name: 'WriteRejection', field: `remoteFields.${name}` })
    },
  )

  test('may reduce the total if a refund is named', async () => {
    const refunds = [{ paymentId: '1', amount: 5 }]
    const less = modifiedTotal(raw.totalWithTax - 5)
    const [{ quantity, ...first }, second] = raw.lines
    const lineItems = [
      { variantId: first.productVariant.id, quantity: quantity - 1 },
      { variantId: second.productVariant.id, quantity: second.quantity },
    ]
    const { calls } = await runSteps(
      writerOf('orders').update?.steps(
        { fields: { lineItems }, remoteFields: { refunds } },
        recordReadByGuard(raw),
        ATTEMPT,
      ),
      [done, less, less, done, listed],
    )
    expect(calls[2]?.variables).toEqual({
      input: {
        orderId: raw.id,
        dryRun: false,
        refunds,
        adjustOrderLines: [{ orderLineId: first.id, quantity: quantity - 1 }],
      },
    })
  })
})
