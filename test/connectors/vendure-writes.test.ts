import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/vendure/manifest.ts'
import { type Shop, shop } from '../../src/connectors/vendure/shop.ts'
import type { Json, ResourceWriter, StoredRecord } from '../../src/definition/connector.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { placeOrder } from '../apps/vendure/checkout.ts'
import { fulfillOrder } from '../apps/vendure/orders.ts'
import { createCustomer, createProduct } from '../apps/vendure/shop.ts'
import { startVendure, type Vendure } from '../apps/vendure/start.ts'
import {
  type Order,
  type Product,
  readCustomer,
  readOrder,
  readProduct,
} from '../apps/vendure/state.ts'
import { ATTEMPT, createDriver, type Driver } from '../support/steps.ts'
import { createKey, READING, WRITING } from './vendure/key.ts'
import { missing } from './vendure/scene.ts'

type Fields = { readonly [name: string]: Json }
type Shown = Readonly<Record<string, unknown>> & { readonly remoteId: string }

const topicOf = (name: string) => {
  const found = connector.resources[`commerce/${name}`]
  if (!found?.write) throw new Error(`the connector does not write ${name}`)
  return { ...found, write: found.write }
}

describe.skipIf(missing)(`writes to the real Vendure${missing ? `: ${missing}` : ''}`, () => {
  let vendure: Vendure
  let driver: Driver
  let lamp: Product
  let context: Shop
  const attempt = () => ({ ...ATTEMPT, context })

  beforeAll(async () => {
    vendure = await startVendure()
    const { apiKey } = await createKey(vendure, WRITING)
    driver = createDriver(connector, { url: vendure.url, apiKey })
    context = shop.of(await driver.run(shop.read()))
    lamp = await createProduct(vendure, {
      name: 'Lamp',
      description: 'Bright.',
      variants: [
        { sku: 'LAMP-S', price: 1000, stockOnHand: 1000, options: { Size: 'S' } },
        { sku: 'LAMP-L', price: 1999, stockOnHand: 1000, options: { Size: 'L' } },
      ],
    })
  }, 120_000)
  afterAll(async () => {
    await driver?.stop()
    await vendure?.stop()
  })

  /** A raw record as the API would show it. */
  const shown = (name: string, raw: unknown): Shown => {
    const { row, problems } = createMapper(topicOf(name).mapping)(raw, 'credential', { context })
    expect(problems).toEqual([])
    return row
  }
  const storedAs = (name: string, raw: unknown): StoredRecord => {
    const record = shown(name, raw)
    return { remoteId: record.remoteId, record, raw }
  }
  const write = async (
    name: string,
    perform: (writer: ResourceWriter) => ReturnType<ResourceWriter['get']> | undefined,
  ): Promise<Shown> => {
    const steps = perform(topicOf(name).write)
    if (!steps) throw new Error(`the connector has no such operation for ${name}`)
    return shown(name, await driver.run(steps))
  }
  const create = (name: string, fields: Fields, remoteFields: Fields = {}) =>
    write(name, ({ create }) => create?.steps({ fields, remoteFields }, attempt()))
  const get = (name: string, remoteId: string, stored?: StoredRecord) =>
    driver.run(topicOf(name).write.get(remoteId, stored, context))
  const update = async (
    name: string,
    remoteId: string,
    fields: Fields,
    remoteFields: Fields = {},
  ): Promise<Shown> => {
    const stored = storedAs(name, await get(name, remoteId))
    return write(name, (writer) =>
      writer.update?.steps({ fields, remoteFields }, stored, attempt()),
    )
  }
  const remove = async (name: string, remoteId: string): Promise<void> => {
    const steps = topicOf(name).write.delete?.steps(
      storedAs(name, await get(name, remoteId)),
      attempt(),
    )
    if (!steps) throw new Error(`the connector does not delete ${name}`)
    await driver.run(steps)
  }
  /** The record as a listing returns it. */
  const listed = async (name: string, remoteId: string): Promise<unknown> => {
    const { listRequest, readList } = topicOf(name)
    const position = { since: undefined, cursor: undefined, context }
    const steps = (function* () {
      return readList(yield listRequest(position), position).records
    })()
    const records = (await driver.run(steps)) as readonly { readonly id: string }[]
    return records.find(({ id }) => id === remoteId)
  }
  const refusal = (writing: Promise<unknown>) =>
    writing.then(
      () => undefined,
      (error) => error,
    )

  describe('a customer', () => {
    test('is created, changed and deleted', async () => {
      const maria = { firstName: 'Maria', lastName: 'Agnesi', email: 'Maria@example.org' }
      const made = await create('customers', { ...maria, phone: '+39 1' }, { title: 'Dott.' })
      expect(made).toMatchObject({ ...maria, email: 'maria@example.org', phone: '+39 1' })
      expect(await readCustomer(vendure, made.remoteId)).toMatchObject({
        ...{ firstName: 'Maria', lastName: 'Agnesi', title: 'Dott.' },
        ...{ emailAddress: 'maria@example.org', phoneNumber: '+39 1' },
      })

      const changed = await update('customers', made.remoteId, { lastName: 'Gaetana', phone: null })
      expect(changed).toMatchObject({ firstName: 'Maria', lastName: 'Gaetana', phone: null })
      expect(await readCustomer(vendure, made.remoteId)).toMatchObject({
        ...{ firstName: 'Maria', lastName: 'Gaetana', phoneNumber: null },
      })

      await remove('customers', made.remoteId)
      expect(await readCustomer(vendure, made.remoteId)).toBeNull()
      expect(await get('customers', made.remoteId)).toBeUndefined()
    })

    test('is rejected in Vendure’s words, with the field that it names', async () => {
      await createCustomer(vendure, {
        ...{ firstName: 'Emmy', lastName: 'Noether', emailAddress: 'emmy@example.org' },
      })
      const twin = { firstName: 'E', lastName: 'N', email: 'emmy@example.org' }
      expect(await refusal(create('customers', twin))).toMatchObject({
        ...{ code: 'APP_REFUSED', kind: 'refused', field: 'emailAddress' },
        reason: 'EMAIL_ADDRESS_CONFLICT_ERROR: The email address is not available.',
      })
      const other = { ...twin, email: 'other@example.org' }
      expect(await refusal(create('customers', other, { shoeSize: 44 }))).toMatchObject({
        ...{ code: 'APP_REFUSED', field: 'shoeSize' },
        reason: 'BAD_USER_INPUT: Field "shoeSize" is not defined by type "CreateCustomerInput".',
      })
    })

    test('is rejected with the path of an invalid value', async () => {
      const person = { firstName: 'E', lastName: 'N', email: 'path@example.org' }
      expect(await refusal(create('customers', person, { title: 5 }))).toMatchObject({
        ...{ code: 'APP_REFUSED', field: 'title' },
        reason: 'BAD_USER_INPUT: String cannot represent a non string value: 5',
      })
    })

    test('with values that Vendure cannot store is not sent', async () => {
      expect(
        await refusal(create('customers', { firstName: 'A', email: 'a@example.org' })),
      ).toMatchObject({ name: 'WriteRejection', field: 'lastName' })
    })

    test('that is missing is reported as absent', async () => {
      const gone = await create('customers', {
        ...{ firstName: 'G', lastName: 'G', email: 'gone@example.org' },
      })
      const stored = storedAs('customers', await get('customers', gone.remoteId))
      await remove('customers', gone.remoteId)
      const writer = topicOf('customers').write
      for (const steps of [
        writer.update?.steps({ fields: { firstName: 'H' }, remoteFields: {} }, stored, attempt()),
        writer.delete?.steps(stored, attempt()),
      ]) {
        if (!steps) throw new Error('no such operation')
        expect(await refusal(driver.run<unknown>(steps))).toMatchObject({ kind: 'absent' })
      }
    })

    test('is not written with a read-only key, which stays valid', async () => {
      const { apiKey } = await createKey(vendure, READING)
      const reader = createDriver(connector, { url: vendure.url, apiKey })
      const steps = topicOf('customers').write.create?.steps(
        {
          fields: { firstName: 'R', lastName: 'R', email: 'r@example.org' },
          remoteFields: {},
        },
        attempt(),
      )
      if (!steps) throw new Error('no such operation')
      expect(await refusal(reader.run(steps))).toMatchObject({
        ...{ code: 'APP_REFUSED', reason: expect.stringMatching(/^FORBIDDEN: .*permission/) },
      })
      await reader.stop()
    })
  })

  describe('a product', () => {
    const choices = (size: string) => [
      { name: 'Size', value: size },
      { name: 'Colour', value: '赤' },
    ]
    // Vendure keeps no order of them.
    const anyOrder = (size: string) => expect.arrayContaining(choices(size))
    const variant = (size: string, price: string) => ({
      ...{ title: `Chair ${size}`, price, sku: `CHAIR-${size}`, inventory: { totalCount: 7 } },
      optionValues: choices(size),
    })

    test('is created with its variants, changed and deleted', async () => {
      const made = await create('products', {
        ...{ productName: 'Chair', description: '<p>To sit.</p>', productStatus: 'disabled' },
        variants: [variant('S', '10'), variant('L', '19.990')],
      })
      expect(made).toMatchObject({
        ...{ productName: 'Chair', description: '<p>To sit.</p>', productStatus: 'disabled' },
        variants: [
          { ...variant('S', '10.00'), weight: null, optionValues: anyOrder('S') },
          { ...variant('L', '19.99'), weight: null, optionValues: anyOrder('L') },
        ],
      })
      const own = await readProduct(vendure, made.remoteId)
      expect(own).toMatchObject({ name: 'Chair', slug: 'chair', enabled: false })
      expect(own?.variants.map(({ sku, price }) => [sku, price])).toEqual([
        ['CHAIR-S', 1000],
        ['CHAIR-L', 1999],
      ])

      const [small, large] = own?.variants ?? []
      if (!small || !large) throw new Error('the product has no variants')
      const changed = await update('products', made.remoteId, {
        ...{ productName: 'Stool', description: null, productStatus: 'enabled' },
        variants: [
          { remoteId: small.id, price: '12.5', sku: 'STOOL-S', inventory: { totalCount: 3 } },
          { remoteId: large.id, title: 'Stool L', inventory: null },
          { ...variant('XL', '0.05'), title: null },
        ],
      })
      expect(changed).toMatchObject({ productName: 'Stool', productStatus: 'enabled' })
      const now = await readProduct(vendure, made.remoteId)
      expect(now).toMatchObject({ name: 'Stool', slug: 'chair', description: '', enabled: true })
      expect(
        now?.variants.map(({ name, sku, price, stockLevels, options }) => [
          ...[name, sku, price, stockLevels[0]?.stockOnHand],
          options.map((option) => option.name).toSorted(),
        ]),
      ).toEqual([
        ['Chair S', 'STOOL-S', 1250, 3, ['S', '赤']],
        ['Stool L', 'CHAIR-L', 1999, 7, ['L', '赤']],
        ['Stool XL 赤', 'CHAIR-XL', 5, 7, ['XL', '赤']],
      ])
      const variants = changed.variants as readonly { readonly inventory: unknown }[]
      expect(variants.map(({ inventory }) => inventory)).toEqual([
        { totalCount: 3 },
        null,
        { totalCount: 7 },
      ])

      await remove('products', made.remoteId)
      expect(await readProduct(vendure, made.remoteId)).toBeNull()
      expect(await get('products', made.remoteId)).toBeUndefined()
    })

    test('may have no variants and a name without Latin letters', async () => {
      const made = await create('products', { productName: '東京' }, { slug: 'tokyo' })
      expect(made).toMatchObject({ productName: '東京', productStatus: 'enabled', variants: [] })
      expect(await readProduct(vendure, made.remoteId)).toMatchObject({ slug: 'tokyo' })
      const nameless = await create('products', { productName: '東京' })
      expect((await readProduct(vendure, nameless.remoteId))?.slug).toBeTruthy()
    })

    test('accepts tags by the names of Vendure’s facet values', async () => {
      const text = (name: string) => ({
        ...{ code: name, translations: [{ languageCode: 'en', name }] },
      })
      const { createFacet } = await vendure.admin<{ createFacet: { values: { id: string }[] } }>(
        'mutation ($input: CreateFacetInput!) { createFacet(input: $input) { values { id } } }',
        { input: { ...text('style'), isPrivate: false, values: [text('modern')] } },
      )
      const facetValueIds = createFacet.values.map(({ id }) => id)
      const made = await create('products', { productName: 'Vase' }, { facetValueIds })
      expect(made.tags).toEqual(['modern'])
      const bare = await update('products', made.remoteId, {}, { facetValueIds: [] })
      expect(bare.tags).toEqual([])
      const both = { translations: [], slug: 'v' }
      expect(
        await refusal(update('products', made.remoteId, { productName: 'V' }, both)),
      ).toMatchObject({ name: 'WriteRejection', field: 'remoteFields.translations' })
    })

    test('whose variants Vendure rejects is removed from the shop', async () => {
      const large = { ...variant('S', '1'), inventory: { totalCount: 3_000_000_000 } }
      const many = { productName: 'Too many', variants: [large] }
      expect(await refusal(create('products', many))).toMatchObject({
        ...{ code: 'APP_REFUSED', kind: 'refused' },
        reason: expect.stringContaining('Int cannot represent'),
      })
      const { products } = await vendure.admin<{ products: { items: { name: string }[] } }>(
        '{ products { items { name } } }',
      )
      expect(products.items.map(({ name }) => name)).not.toContain('Too many')
    })

    test('accepts its unchanged variants without changing any of them', async () => {
      const before = await readProduct(vendure, lamp.id)
      const raw = await get('products', lamp.id)
      const variants = (shown('products', raw).variants as readonly Fields[]).map(
        ({ id, weight, ...rest }) => rest,
      )
      await update('products', lamp.id, { variants })
      expect(await readProduct(vendure, lamp.id)).toEqual(before)
    })

    test.each<[string, string, (ids: readonly string[]) => Fields]>([
      ['a missing variant', 'variants', ([small = '']) => ({ variants: [{ remoteId: small }] })],
      [
        'other options of a variant',
        'variants[1].optionValues',
        ([small = '', large = '']) => ({
          variants: [
            { remoteId: small },
            { remoteId: large, optionValues: [{ name: 'Size', value: 'M' }] },
          ],
        }),
      ],
      [
        'a new variant without options',
        'variants[2].optionValues',
        ([small = '', large = '']) => ({
          variants: [{ remoteId: small }, { remoteId: large }, { price: '1' }],
        }),
      ],
      [
        'a new variant with the options of another',
        'variants[2].optionValues',
        ([small = '', large = '']) => ({
          productName: 'Half done',
          variants: [
            ...[{ remoteId: small, price: '77' }, { remoteId: large }],
            { price: '1', optionValues: [{ name: 'Size', value: 'S' }] },
          ],
        }),
      ],
      [
        'a new variant without a price',
        'variants[2].price',
        ([small = '', large = '']) => ({
          variants: [
            ...[{ remoteId: small }, { remoteId: large }],
            { optionValues: [{ name: 'Size', value: 'M' }] },
          ],
        }),
      ],
      [
        'an amount that is too precise',
        'variants[0].price',
        ([small = '', large = '']) => ({
          variants: [{ remoteId: small, price: '1.005' }, { remoteId: large }],
        }),
      ],
      ['an unknown status', 'productStatus', () => ({ productStatus: 'active' })],
      ['no name', 'productName', () => ({ productName: null })],
    ])('rejects %s', async (_name, field, fieldsOf) => {
      const before = await readProduct(vendure, lamp.id)
      const fields = fieldsOf(lamp.variants.map(({ id }) => id))
      expect(await refusal(update('products', lamp.id, fields))).toMatchObject({
        ...{ name: 'WriteRejection', field },
      })
      expect(await readProduct(vendure, lamp.id)).toEqual(before)
    })
  })

  const buy = (payment: 'prepaid' | 'invoice' = 'prepaid'): Promise<Order> =>
    placeOrder(vendure, {
      customer: { firstName: 'Sofja', lastName: 'K', emailAddress: 'sofja@example.org' },
      lines: lamp.variants.map(({ id }, index) => ({ variantId: id, quantity: index + 2 })),
      payment,
    })
  const now = async ({ id }: { readonly id: string }): Promise<Order> => {
    const order = await readOrder(vendure, id)
    if (!order) throw new Error(`order ${id} is gone`)
    return order
  }
  /** The history of an order in Vendure. */
  const historyOf = async (id: string): Promise<unknown> => {
    const { order } = await vendure.admin<{ order: unknown }>(
      'query ($id: ID!) { order(id: $id) { history { items { id type } } modifications { id } } }',
      { id },
    )
    return order
  }
  const linesOf = (...quantities: readonly number[]) =>
    quantities.map((quantity, index) => ({
      ...{ variantId: lamp.variants[index]?.id ?? '', quantity },
    }))

  describe('an order', () => {
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
            ...{ fullName: 'Emmy Hermann', streetLine1: 'Rue 1', city: null },
            ...{ postalCode: '28195', countryCode: 'FR' },
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
        ...{ orderStatus: order.state, lineItems: linesOf(2, 3) },
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
      await fulfillOrder(vendure, order, { trackingCode: 'T', method: 'DHL', lines })
      expect(await now(order)).toMatchObject({ state: 'PartiallyShipped' })

      const amount = large.linePriceWithTax
      const refunds = [{ paymentId: order.payments[0]?.id ?? '', amount }]
      await update('orders', order.id, { lineItems: linesOf(2, 0) }, { refunds })
      expect(await now(order)).toMatchObject({ state: 'Shipped', totalWithTax: 10_096 - amount })
    })

    test('rejects a higher total and stays unchanged', async () => {
      const order = await buy()
      const another = await createProduct(vendure, {
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
        () => ({ lineItems: [...linesOf(2), { variantId: lamp.variants[1]?.id ?? '' }] }),
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
        ...{ name: 'WriteRejection', field },
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
      const { id: customerId } = await createCustomer(vendure, {
        ...{ firstName: 'Ada', lastName: 'L', emailAddress: `ada-${order.id}@example.org` },
      })
      const changed = await update('orders', order.id, {
        ...{ customer: { customerId }, orderStatus: 'Modifying' },
      })
      expect(changed).toMatchObject({ orderStatus: 'Modifying', customer: { firstName: 'Ada' } })
      expect(await now(order)).toMatchObject({ state: 'Modifying', customer: { id: customerId } })

      // As after a crash: the order may be corrected in this state, and a new state ends the correction.
      await update('orders', order.id, { shippingAddress: { city: 'Paris' } })
      expect(await now(order)).toMatchObject({
        ...{ state: 'Modifying', shippingAddress: { city: 'Paris' } },
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

  describe('a fulfillment', () => {
    const shipment = ({ id, lines }: Order, ...quantities: readonly number[]): Fields => ({
      orderId: id,
      lineItems: quantities.map((quantity, index) => ({
        ...{ lineItemId: lines[index]?.id ?? '', quantity },
      })),
    })

    test('is created in Vendure’s initial state or in the requested one', async () => {
      const order = await buy()
      const packed = await create('fulfillments', {
        ...shipment(order, 1),
        ...{ carrier: 'DHL', trackingNumbers: ['T-1'] },
      })
      expect(packed).toMatchObject({
        ...{ carrier: 'DHL', trackingNumbers: ['T-1'] },
        lineItems: [{ lineItemId: order.lines[0]?.id, quantity: 1, sku: 'LAMP-S' }],
        remoteFields: { state: 'Pending', orderId: order.id },
      })
      const sent = await create('fulfillments', shipment(order, 1, 3), { state: 'Shipped' })
      const own = await now(order)
      expect(own.fulfillments).toMatchObject([
        { id: packed.remoteId, state: 'Pending', method: 'DHL', trackingCode: 'T-1' },
        { id: sent.remoteId, state: 'Shipped', method: '', trackingCode: '' },
      ])
      expect(own.state).toBe('PartiallyShipped')
    })

    test('uses the requested handler', async () => {
      const order = await buy()
      const handler = {
        code: 'manual-fulfillment',
        arguments: [
          { name: 'method', value: 'Bicycle' },
          { name: 'trackingCode', value: 'B-1' },
        ],
      }
      const made = await create('fulfillments', shipment(order, 2), { handler })
      expect(made).toMatchObject({ carrier: 'Bicycle', trackingNumbers: ['B-1'] })
    })

    test('changes from state to state', async () => {
      const order = await buy()
      const { remoteId } = await create('fulfillments', shipment(order, 2, 3))
      for (const state of ['Shipped', 'Shipped', 'Delivered', 'Cancelled']) {
        const changed = await update('fulfillments', remoteId, {}, { state })
        expect(changed).toMatchObject({ remoteId, remoteFields: { state } })
        expect((await now(order)).fulfillments).toMatchObject([{ id: remoteId, state }])
      }
      expect(
        await refusal(update('fulfillments', remoteId, {}, { state: 'Shipped' })),
      ).toMatchObject({
        code: 'APP_REFUSED',
        reason:
          'FULFILLMENT_STATE_TRANSITION_ERROR: Cannot transition Fulfillment from "Cancelled" to "Shipped"',
      })
    })

    test('keeps fields that Vendure cannot change, and names an alternative', async () => {
      const order = await buy()
      const made = await create('fulfillments', {
        ...{ ...shipment(order, 2), carrier: 'DHL', trackingNumbers: ['T-1'] },
      })
      const fixed: Fields = {
        ...{ carrier: 'UPS', trackingNumbers: ['T-2'] },
        lineItems: [{ lineItemId: order.lines[0]?.id ?? '', quantity: 1 }],
      }
      for (const [field, value] of Object.entries(fixed)) {
        const writing = update('fulfillments', made.remoteId, { [field]: value })
        expect(await refusal(writing)).toMatchObject({
          ...{ name: 'WriteRejection', field, reason: expect.stringContaining('cancel this one') },
        })
      }
      const same = { carrier: 'DHL', trackingNumbers: ['T-1'] }
      const { lineItems } = shipment(order, 2)
      await update(
        'fulfillments',
        made.remoteId,
        { ...same, lineItems: lineItems ?? null },
        {
          state: 'Shipped',
        },
      )
      expect((await now(order)).fulfillments).toMatchObject([
        { id: made.remoteId, state: 'Shipped', method: 'DHL', trackingCode: 'T-1' },
      ])
    })

    test('that cannot reach its state is undone', async () => {
      const order = await buy()
      const writing = create('fulfillments', shipment(order, 1), { state: 'Nonsense' })
      expect(await refusal(writing)).toMatchObject({
        reason: expect.stringContaining('from "Pending" to "Nonsense"'),
      })
      expect((await now(order)).fulfillments).toMatchObject([{ state: 'Cancelled' }])
    })

    test('is rejected with the field at fault', async () => {
      const order = await buy()
      const another = await buy()
      const refusals: [Fields, Fields, string | undefined][] = [
        [{ ...shipment(order, 1), orderId: '999' }, {}, 'orderId'],
        [{ ...shipment(another, 1), orderId: order.id }, {}, 'lineItems[0].lineItemId'],
        [{ orderId: order.id }, {}, 'lineItems'],
        [shipment(order, 0), {}, 'lineItems[0].quantity'],
        [{ ...shipment(order, 1), trackingNumbers: ['1', '2'] }, {}, 'trackingNumbers'],
        [shipment(order, 1), { nonsense: 1 }, 'remoteFields.nonsense'],
        [{ ...shipment(order, 1), carrier: 'DHL' }, { handler: {} }, 'remoteFields.handler'],
      ]
      for (const [fields, remoteFields, field] of refusals)
        expect(await refusal(create('fulfillments', fields, remoteFields))).toMatchObject({
          ...{ name: 'WriteRejection', field },
        })
      expect(await refusal(create('fulfillments', shipment(order, 50)))).toMatchObject({
        reason:
          'ITEMS_ALREADY_FULFILLED_ERROR: One or more OrderItems are already part of a Fulfillment',
      })
      const handler = { code: 'robot', arguments: [] }
      expect(await refusal(create('fulfillments', shipment(order, 1), { handler }))).toMatchObject({
        reason: 'INVALID_FULFILLMENT_HANDLER_ERROR',
      })
      expect((await now(order)).fulfillments).toEqual([])
    })
  })

  test('reads one record in the same form as a listing, and none that is not listed', async () => {
    const order = await buy()
    const made = await fulfillOrder(vendure, order, { trackingCode: 'T', method: 'DHL' })
    const records: [string, string][] = [
      ['customers', order.customer?.id ?? ''],
      ['orders', order.id],
      ['products', lamp.id],
      ['fulfillments', made.id],
    ]
    for (const [name, id] of records) {
      const raw = await listed(name, id)
      expect(raw, name).toBeDefined()
      expect(await get(name, id), name).toEqual(raw)
      if (name === 'fulfillments')
        expect(await get(name, id, storedAs(name, raw)), 'by its order').toEqual(raw)
      expect(await get(name, '99999'), name).toBeUndefined()
    }
    const { createDraftOrder: draft } = await vendure.admin<{ createDraftOrder: { id: string } }>(
      'mutation { createDraftOrder { id } }',
    )
    expect(await get('orders', draft.id)).toBeUndefined()
  })
})
