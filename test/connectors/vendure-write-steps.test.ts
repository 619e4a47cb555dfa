import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/vendure/manifest.ts'
import {
  type AppRequest,
  isAbsent,
  type Json,
  type Steps,
  type StoredRecord,
} from '../../src/definition/connector.ts'
import { toMinorUnits } from '../../src/definition/mapping/minor-units.ts'
import { buildBody } from '../../src/definition/mapping/write.ts'
import { ATTEMPT as ANY_ATTEMPT, driveSteps, REQUEST } from '../support/steps.ts'
import { answered, CONTEXT, rawRecords, resource, response } from './vendure/fixtures.ts'

const thrownBy = (perform: () => unknown): unknown => {
  try {
    return perform()
  } catch (error) {
    return error
  }
}

/** The operation of a request: its first root field and its variables. */
const requestOf = ({ body }: AppRequest) => {
  // Every request of the connector has such a body.
  const { query, variables } = body as {
    query: string
    variables: { readonly [name: string]: Json }
  }
  const [, root = ''] = /^[^{]*\{\s*(\w+)/.exec(query) ?? []
  return { root, variables }
}

/** Runs steps against one response per request: data, or an error to throw. */
const play = async (steps: Steps<unknown> | undefined, answers: readonly (object | Error)[]) => {
  if (!steps) throw new Error('the connector has no such operation')
  const requests: AppRequest[] = []
  const left = [...answers]
  const result = await driveSteps(steps, (request) => {
    requests.push(request)
    const answer = left.shift()
    if (!answer) throw new Error(`no response is planned for ${requestOf(request).root}`)
    if (answer instanceof Error) throw answer
    return answered(answer)
  }).catch((error: unknown) => error)
  expect(left).toEqual([])
  return { result, requests, calls: requests.map(requestOf) }
}

const writerOf = (name: string) => {
  const { write } = resource(name)
  if (!write) throw new Error(`the connector does not write ${name}`)
  return write
}

interface RawVariant {
  readonly productId: string
}

const ATTEMPT = { ...ANY_ATTEMPT, context: CONTEXT }
const stored = (remoteId: string, record: StoredRecord['record'] = {}): StoredRecord => ({
  ...{ remoteId, record },
})
/** A record as the guard has read it. */
const guarded = (raw: { readonly id: string }): StoredRecord => ({ ...stored(raw.id), raw })
/** The body that an update of an order sends. @throws WriteRejection */
const orderBody = (fields: { readonly [name: string]: Json }, raw: object) => {
  const input = { fields, remoteFields: {} }
  const options = { app: 'Vendure', verb: 'update', stored: { ...raw }, context: CONTEXT } as const
  const { done, value } = buildBody(resource('orders').mapping, input, options).next()
  if (!done) throw new Error('a request was sent')
  return value
}

describe('an amount in a write', () => {
  test.each([
    ['91.36', 2, 9136],
    ['91.3600', 2, 9136],
    ['0.1', 2, 10],
    ['-9.6', 2, -960],
    ['12', 2, 1200],
    ['12.00', 0, 12],
    ['1.2345', 4, 12_345],
    ['90071992547409.91', 2, Number.MAX_SAFE_INTEGER],
    ['1e2', 2, 10_000],
    ['1.50E1', 2, 1500],
    ['.5', 2, 50],
    ['5.', 2, 500],
    ['1000e-1', 0, 100],
  ])('of %s at precision %i is %i', (text, precision, units) => {
    expect(toMinorUnits(text, precision, 'price')).toBe(units)
  })

  test.each([
    ['1.005', 2, 'more than 2 decimal places'],
    ['0.1', 0, 'more than 0 decimal places'],
    ['90071992547409.92', 2, 'too large'],
    ['1e-3', 2, 'more than 2 decimal places'],
    ['1e999', 2, 'too large'],
    ['', 2, 'not a decimal number'],
  ])('of %s at precision %i is rejected', (text, precision, words) => {
    expect(thrownBy(() => toMinorUnits(text, precision, 'variants.0.price'))).toMatchObject({
      ...{ name: 'WriteRejection', field: 'variants.0.price' },
      reason: expect.stringContaining(words),
    })
  })
})

describe('a rejected mutation', () => {
  const failure = (body: unknown) => connector.readFailure(response({ status: 200, body }), REQUEST)
  const badInput = (message: string) => ({
    errors: [{ message, extensions: { code: 'BAD_USER_INPUT' } }],
  })

  test.each([
    ['Field "shoeSize" is not defined by type "CreateCustomerInput".', '', 'shoeSize'],
    ['String cannot represent a non string value: 5', ' at "input.emailAddress"', 'emailAddress'],
    ['Int cannot represent: "x"', ' at "input.addItems[0].quantity"', 'addItems.0.quantity'],
    ['Int cannot represent: "x"', ' at "input[1].stockOnHand"', '1.stockOnHand'],
    ['Field "paymentId" of required type "ID!"', ' at "input.refunds[0]"', 'refunds.0.paymentId'],
  ])('for an invalid value names the field: %s', (message, place, field) => {
    const whole = `Variable "$input" got invalid value { phoneNumber: "+39 1; 2" }${place}; ${message}`
    // The value itself is left out: it is personal data and may fill the whole message.
    expect(failure(badInput(whole))).toEqual({
      ...{ kind: 'refused', reason: `BAD_USER_INPUT: ${message}`, field },
    })
  })

  test('has no message if Vendure returns only a translation key', () => {
    const errorCode = 'NO_CHANGES_SPECIFIED_ERROR'
    expect(
      failure({ data: { modifyOrder: { errorCode, message: `errorResult.${errorCode}` } } }),
    ).toEqual({ kind: 'refused', reason: errorCode })
  })

  test('explains why a state cannot be reached', () => {
    const message = 'Cannot transition Order from "A" to "B"'
    const errorCode = 'ORDER_STATE_TRANSITION_ERROR'
    const because = (transitionError: string) =>
      failure({ data: { transitionOrderToState: { errorCode, message, transitionError } } })?.reason
    expect(because('unless all are shipped')).toBe(
      `${errorCode}: ${message}; unless all are shipped`,
    )
    expect(because(message)).toBe(`${errorCode}: ${message}`)
  })

  test('for a missing permission is not treated as an invalid credential', () => {
    const body = { errors: [{ message: 'No.', extensions: { code: 'FORBIDDEN' } }] }
    const forbidden = (query: string) =>
      connector.readFailure(response({ status: 200, body }), {
        ...{ method: 'POST', path: '/admin-api', body: { query } },
      })
    expect(forbidden('mutation ($id: ID!) { deleteCustomer(id: $id) }')?.kind).toBe('refused')
    expect(forbidden('query { customers { totalItems } }')?.kind).toBe('authentication')
    expect(forbidden('{ activeChannel { code } }')?.kind).toBe('authentication')
  })

  test('for a missing record distinguishes the record from the one it references', () => {
    const unknown = (root: string) =>
      failure({ errors: [{ message: '', path: [root], extensions: { code: 'ENTITY_NOT_FOUND' } }] })
    expect(unknown('deleteProduct')?.kind).toBe('absent')
    expect(unknown('setOrderCustomer')?.kind).toBe('refused')
  })
})

describe('the lines of an order', () => {
  const line = (id: string, variantId: string, quantity: number) => ({
    ...{ id, quantity, unitPriceWithTax: 100 },
    productVariant: { id: variantId, productId: '1', sku: '', name: `Variant ${variantId}` },
  })
  const lines = [line('11', '1', 2), line('12', '2', 3), line('13', '2', 1), line('14', '4', 0)]
  const as = (...input: readonly [string, number][]) =>
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
    expect(orderBody({ lineItems: as(...input) }, { lines })).toEqual(change)
  })

  test.each<[string, Json, string]>([
    ['no lines', [], 'lineItems'],
    ['null', null, 'lineItems'],
    ['one missing', as(['1', 2], ['2', 3]), 'lineItems'],
    [
      'a third of the same variant',
      as(['1', 2], ['2', 3], ['2', 1], ['2', 1]),
      'lineItems[3].variantId',
    ],
    [
      'a duplicate new one',
      as(['1', 2], ['2', 3], ['2', 1], ['9', 1], ['9', 1]),
      'lineItems[3].variantId',
    ],
    ['a negative quantity', as(['1', -1], ['2', 3], ['2', 1]), 'lineItems[0].quantity'],
  ])('with %s are rejected', (_name, input, field) => {
    expect(thrownBy(() => orderBody({ lineItems: input }, { lines }))).toMatchObject({
      ...{ name: 'WriteRejection', field },
    })
  })
})

describe('the address of an order', () => {
  const [order] = rawRecords('orders')

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
    expect(thrownBy(() => orderBody({ shippingAddress: input }, order))).toMatchObject({
      ...{ name: 'WriteRejection', field, reason: expect.stringContaining(instead) },
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
  const [raw] = rawRecords('orders')
  const listed = { orders: { totalItems: 1, items: [raw] } }
  const done = { transitionOrderToState: { id: raw.id } }
  const total = (totalWithTax: number) => ({ modifyOrder: { totalWithTax } })
  const toParis = () =>
    writerOf('orders').update?.steps(
      { fields: { shippingAddress: { city: 'Paris' } }, remoteFields: {} },
      guarded(raw),
      ATTEMPT,
    )
  const back = { root: 'transitionOrderToState', variables: { id: raw.id, state: raw.state } }

  test('is a dry run first, then performed, and restores the state', async () => {
    const answers = [done, total(raw.totalWithTax), total(raw.totalWithTax), done, listed]
    const { result, calls, requests } = await play(toParis(), answers)
    expect(result).toEqual({ ...raw, moneyStrategyPrecision: 2 })
    const change = { orderId: raw.id, updateShippingAddress: { city: 'Paris' } }
    expect(calls.slice(0, 4)).toEqual([
      { ...back, variables: { id: raw.id, state: 'Modifying' } },
      { root: 'modifyOrder', variables: { input: { ...change, dryRun: true } } },
      { root: 'modifyOrder', variables: { input: { ...change, dryRun: false } } },
      back,
    ])
    // A mutation is sent once, whatever happens; a query may be repeated.
    expect(requests.map(({ read }) => read === true)).toEqual([
      ...[false, false, false, false, true],
    ])
  })

  const lost = new Error('no answer in time')
  test.each<[string, readonly (object | Error)[], unknown]>([
    [
      'more expensive',
      [total(raw.totalWithTax + 1), done],
      {
        name: 'WriteRejection',
        reason: expect.stringContaining('0.01 EUR more'),
        field: undefined,
      },
    ],
    ['rejected', [lost, done], lost],
    ['lost', [total(raw.totalWithTax), lost, done], lost],
    ['lost and Vendure is down', [total(raw.totalWithTax), lost, new Error('down')], lost],
  ])('restores the state when it is %s', async (_name, answers, failure) => {
    const { result, calls, requests } = await play(toParis(), [done, ...answers])
    expect(result).toMatchObject(failure as object)
    expect(calls.at(-1)).toEqual(back)
    expect(requests.map(({ undo }) => undo === true).lastIndexOf(true)).toBe(requests.length - 1)
  })

  test('is not started if the order may not be modified', async () => {
    const { result, calls } = await play(toParis(), [lost])
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
  ])('is rejected when it leads %s', async (_name, input, answers, field) => {
    const fields = { shippingAddress: { city: 'Paris' }, ...Object(input) }
    const steps = writerOf('orders').update?.steps(
      { fields, remoteFields: {} },
      guarded(raw),
      ATTEMPT,
    )
    const { result, requests } = await play(steps, answers)
    expect(result).toMatchObject({ name: 'WriteRejection', field })
    expect(requests.every(({ read }) => read)).toBe(true)
  })

  test.each(['dryRun', 'orderId'])(
    'rejects %s as a remote field: the writer sets it',
    async (name) => {
      const remoteFields = { [name]: true }
      const steps = writerOf('orders').update?.steps(
        { fields: {}, remoteFields },
        guarded(raw),
        ATTEMPT,
      )
      const { result } = await play(steps, [])
      expect(result).toMatchObject({ name: 'WriteRejection', field: `remoteFields.${name}` })
    },
  )

  test('may reduce the total if a refund is named', async () => {
    const refunds = [{ paymentId: '1', amount: 5 }]
    const less = total(raw.totalWithTax - 5)
    const [{ quantity, ...first }, second] = raw.lines
    const lineItems = [
      { variantId: first.productVariant.id, quantity: quantity - 1 },
      { variantId: second.productVariant.id, quantity: second.quantity },
    ]
    const { calls } = await play(
      writerOf('orders').update?.steps(
        { fields: { lineItems }, remoteFields: { refunds } },
        guarded(raw),
        ATTEMPT,
      ),
      [done, less, less, done, listed],
    )
    expect(calls[2]?.variables).toEqual({
      input: {
        ...{ orderId: raw.id, dryRun: false, refunds },
        adjustOrderLines: [{ orderLineId: first.id, quantity: quantity - 1 }],
      },
    })
  })
})

describe('a record deleted during the write', () => {
  const none = { totalItems: 0, items: [] }
  test.each([
    ['orders', { orders: none }],
    ['products', { products: none }],
  ])('is distinguished from a failure: %s', async (name, listed) => {
    const steps = writerOf(name).update?.steps(
      { fields: {}, remoteFields: {} },
      stored('9'),
      ATTEMPT,
    )
    const { result, requests } = await play(steps, [listed])
    expect(isAbsent(result)).toBe(true)
    expect(requests.map(({ read }) => read)).toEqual([true])
  })
})

describe('the stock of a variant', () => {
  const [raw] = rawRecords('products')
  const [small, large] = raw.variants
  const keptIn = (...places: readonly string[]) => {
    const stockLevels = places.map((id) => ({ stockOnHand: 1, stockLocation: { id } }))
    return { ...raw, variants: [{ ...small, stockLevels }, large] }
  }
  const variants = [{ remoteId: small.id, inventory: { totalCount: 5 } }, { remoteId: large.id }]
  const stepsOf = (product: typeof raw) =>
    writerOf('products').update?.steps(
      { fields: { variants }, remoteFields: {} },
      guarded(product),
      ATTEMPT,
    )

  test('is set where it is kept', async () => {
    const { calls } = await play(stepsOf(keptIn('7')), [
      { updateProductVariants: [{ id: small.id }] },
      { products: { totalItems: 1, items: [raw] } },
    ])
    expect(calls[0]).toEqual({
      root: 'updateProductVariants',
      variables: {
        input: [{ id: small.id, stockLevels: [{ stockLocationId: '7', stockOnHand: 5 }] }],
      },
    })
  })

  test('in several locations is not guessed', async () => {
    const { result } = await play(stepsOf(keptIn('7', '8')), [])
    expect(result).toMatchObject({
      ...{ name: 'WriteRejection', field: 'variants[0].inventory.totalCount' },
    })
  })
})

describe('a change of a product', () => {
  const [raw] = rawRecords('products')
  const [small, large] = raw.variants
  const choices = small.options.map(
    ({ name, group }: { readonly name: string; readonly group: { readonly name: string } }) => ({
      ...{ name: group.name, value: name },
    }),
  )

  test('cannot name another product by its remote fields', async () => {
    const remoteFields = { id: '1' }
    const steps = writerOf('products').update?.steps(
      { fields: {}, remoteFields },
      guarded(raw),
      ATTEMPT,
    )
    const { result } = await play(steps, [])
    expect(result).toMatchObject({ name: 'WriteRejection', field: 'remoteFields.id' })
  })

  test('is rejected if a new variant has the options of another', async () => {
    const optionGroups = choices.map(({ name }: { readonly name: string }) => ({
      ...{ id: '1', name, options: [] },
    }))
    const fields = {
      productName: 'Half done',
      variants: [
        ...[{ remoteId: small.id, price: '77' }, { remoteId: large.id }],
        { price: '1', optionValues: choices },
      ],
    }
    const steps = writerOf('products').update?.steps(
      { fields, remoteFields: {} },
      guarded(raw),
      ATTEMPT,
    )
    const { result } = await play(steps, [{ product: { optionGroups } }])
    expect(result).toMatchObject({ name: 'WriteRejection', field: 'variants[2].optionValues' })
  })
})

describe('a half-created product', () => {
  const settings = { ...CONTEXT, defaultLanguageCode: 'de', globalTrackInventory: false }
  const attempt = { ...ATTEMPT, context: settings }

  test('is deleted again, and the first failure is reported', async () => {
    const lost = new Error('no answer in time')
    const variant = { price: '1.5', inventory: { totalCount: 2 } }
    const fields = {
      productName: 'Lampe',
      variants: [{ ...variant, optionValues: [{ name: 'Größe', value: 'S' }] }],
    }
    const { result, calls } = await play(
      writerOf('products').create?.steps(
        { fields, remoteFields: { facetValueIds: ['3'] } },
        attempt,
      ),
      [
        { createProduct: { id: '8' } },
        { createProductOptionGroup: { id: '5', options: [{ id: '6', name: 'S' }] } },
        ...[
          { addOptionGroupToProduct: { id: '8' } },
          lost,
          { deleteProduct: { result: 'DELETED' } },
        ],
      ],
    )
    expect(result).toBe(lost)
    const named = (name: string) => ({ translations: [{ languageCode: 'de', name }] })
    const text = { languageCode: 'de', name: 'Lampe', slug: 'Lampe', description: '' }
    expect(calls).toEqual([
      {
        root: 'createProduct',
        variables: { input: { translations: [text], facetValueIds: ['3'] } },
      },
      {
        root: 'createProductOptionGroup',
        variables: {
          input: { code: 'größe', ...named('Größe'), options: [{ code: 's', ...named('S') }] },
        },
      },
      { root: 'addOptionGroupToProduct', variables: { productId: '8', optionGroupId: '5' } },
      {
        root: 'createProductVariants',
        variables: {
          input: [
            {
              ...{ productId: '8', optionIds: ['6'], ...named('Lampe S'), sku: '', price: 150 },
              // Sent, so it must be tracked, in a shop that tracks no stock by default.
              ...{ trackInventory: 'TRUE', stockOnHand: 2 },
            },
          ],
        },
      },
      { root: 'deleteProduct', variables: { id: '8' } },
    ])
  })
})

describe('a fulfillment', () => {
  const order = rawRecords('orders').find(({ fulfillments }) => fulfillments.length > 0)
  const shipment = rawRecords('fulfillments').find(({ orderId }) => orderId === order.id)
  const listed = {
    orders: { totalItems: 1, items: [{ ...order, fulfillments: [shipment] }] },
  }

  test('affects its order and the shipped products', () => {
    const names = writerOf('fulfillments').sideEffects?.(shipment)
    expect(names).toEqual([
      { topic: 'commerce/orders', remoteId: order.id },
      ...shipment.lines.map(
        ({ orderLine }: { readonly orderLine: { readonly productVariant: RawVariant } }) => ({
          ...{ topic: 'commerce/products', remoteId: orderLine.productVariant.productId },
        }),
      ),
    ])
    expect(writerOf('orders').sideEffects?.(order)).toEqual(
      order.lines.map(({ productVariant }: { readonly productVariant: RawVariant }) => ({
        ...{ topic: 'commerce/products', remoteId: productVariant.productId },
      })),
    )
  })

  test('is read through its order, which a stored record names', async () => {
    const record = { remoteFields: { orderId: order.id } }
    const { calls } = await play(
      writerOf('fulfillments').get(shipment.id, stored(shipment.id, record), CONTEXT),
      [listed],
    )
    expect(calls[0]?.variables).toMatchObject({ options: { filter: { id: { in: [order.id] } } } })
  })

  test('of an unknown order is searched for in all orders, newest first', async () => {
    const page = (start: number, length: number) => ({
      orders: {
        totalItems: 1001,
        items: Array.from({ length }, (_, index) => ({ id: String(2000 - start - index) })),
      },
    })
    const found = { id: order.id, fulfillments: [{ id: shipment.id }] }
    const last = { orders: { totalItems: 1001, items: [{ id: '1002' }, found] } }
    const { result, calls } = await play(
      writerOf('fulfillments').get(shipment.id, undefined, CONTEXT),
      [page(0, 500), page(499, 500), last, listed],
    )
    expect(result).toMatchObject({ id: shipment.id, orderId: order.id })
    expect(calls.slice(0, 3).map(({ variables }) => variables.options)).toMatchObject([
      { skip: 0, sort: { id: 'DESC' } },
      // Each page repeats the last order of the previous one.
      { skip: 499 },
      { skip: 998 },
    ])
  })

  test('that no order has does not exist', async () => {
    const { result } = await play(writerOf('fulfillments').get('9999', undefined, CONTEXT), [
      { orders: { totalItems: 1, items: [{ id: '1', fulfillments: [] }] } },
    ])
    expect(result).toBeUndefined()
  })
})

test('every accepted field is a field of the resource', () => {
  for (const { mapping, write } of Object.values(connector.resources))
    for (const field of [...(write?.create?.fields ?? []), ...(write?.update?.fields ?? [])])
      expect(Object.keys(mapping.resource.fields), field).toContain(field.split('.')[0])
})
