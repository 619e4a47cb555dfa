/** The sandbox accepts every value that a field defines, and any text in a free-text field. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../src/definition/connector.ts'
import type { Field, Fields } from '../../src/definition/field.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { currencyCodes } from '../../src/resources/currency-codes.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'
import { samples } from './write-samples.ts'
import {
  type FieldValues,
  type TenantWrites,
  tenantWrites,
  type Written,
  writerOf,
} from './writing.ts'

let harness: SandboxHarness
let writes: TenantWrites
beforeAll(async () => {
  harness = await openSandboxHarness()
  writes = tenantWrites(harness)
})
afterAll(() => harness.stop())

interface Choice {
  readonly topic: string
  /** `currency`, `addresses.country` */
  readonly path: string
  readonly values: readonly string[]
}

const listChoices = (
  topic: string,
  fields: Fields,
  isAccepted: (name: string) => boolean,
  at = '',
) =>
  Object.entries(fields).flatMap(([name, field]: [string, Field]): readonly Choice[] => {
    const path = `${at}${name}`
    // The lines of a document repeat its currency, which is checked below.
    if (path === 'lineItems') return []
    const { shape, values } = field.kind
    if (shape) {
      const isTaken = (inner: string) => isAccepted(path) || isAccepted(inner)
      return listChoices(topic, shape.fields, isTaken, `${path}.`)
    }
    return values && isAccepted(path) ? [{ topic, path, values }] : []
  })

const choices = Object.keys(samples).flatMap((topic) => {
  const { create, update } = writerOf(topic)
  const acceptedFields = new Set([...(create?.fields ?? []), ...(update?.fields ?? [])])
  return listChoices(topic, catalogue.get(topic).fields, (path) => acceptedFields.has(path))
})

/** The fields of the sample with other values at the path. A list gets one entry for each of `values`. */
const withValues = (topic: string, path: string, values: readonly string[]): FieldValues => {
  const [field = '', inner] = path.split('.')
  if (inner === undefined) return { [field]: values[0] ?? null }
  const sample: Json | undefined = samples[topic]?.update[field]
  const [first] = [sample].flat()
  const entries = values.map((value) => ({ ...Object(first), [inner]: value }))
  return { [field]: Array.isArray(sample) ? entries : (entries[0] ?? null) }
}

const valuesAt = ({ row }: Written, path: string): readonly unknown[] => {
  const [field = '', inner] = path.split('.')
  const found = [row[field]].flat()
  return inner === undefined ? found : found.map((entry) => Object(entry)[inner])
}

const isList = (topic: string, path: string): boolean =>
  Array.isArray(samples[topic]?.update[path.split('.')[0] ?? ''])

/** The number of values that one write can hold. */
const writesOf = ({ topic, path, values }: Choice): readonly (readonly string[])[] => {
  const size = isList(topic, path) ? 100 : 1
  return Array.from({ length: Math.ceil(values.length / size) }, (_, index) =>
    values.slice(index * size, (index + 1) * size),
  )
}

test('covers each resource with a currency that can be written', () => {
  const currencies = choices.filter(({ path }) => path === 'currency')
  const writable = catalogue.resources.filter(
    ({ fields, verbs }) => fields.currency && verbs.includes('update'),
  )
  expect(currencies.map(({ topic }) => topic).sort()).toEqual(
    writable.map(({ topic }) => topic).sort(),
  )
  for (const { values } of currencies) expect(values).toEqual(currencyCodes)
})

test.each(choices)(
  '$topic: each value of $path can be written and read back',
  { timeout: 120_000 },
  async (choice) => {
    const { topic, path } = choice
    const sample = samples[topic]
    let record = await writes.create(topic, sample?.create ?? {})
    const isFixed = !writerOf(topic).update?.fields.some((name) => path.startsWith(name))
    for (const values of writesOf(choice)) {
      const fields = withValues(topic, path, values)
      record = isFixed
        ? await writes.create(topic, { ...sample?.create, ...fields })
        : await writes.update(topic, record, fields)
      const shown = valuesAt(record, path).map((value) => String(value).toUpperCase())
      expect(shown).toEqual(values)
      if (path === 'currency' && record.row.lineItems !== undefined)
        expect(valuesAt(record, 'lineItems.currency')).toEqual(values)
    }
  },
)

describe('a free text of the contract', () => {
  const free = [
    ['orderStatus', ['Active', 'placed', 'On hold – weather', 'CANCELLED']],
    ['paymentStatus', ['Paid', 'pending', 'Partly refunded']],
    ['fulfillmentStatus', ['unfulfilled', 'shipped', 'Ready for pickup']],
  ] as const

  test.each(free)('%s is stored as written', async (field, values) => {
    const lineItems = [{ productId: 'prd_0001', variantId: 'var_0001', quantity: 1 }]
    for (const value of values) {
      const orderInState = await writes.create('commerce/orders', { lineItems, [field]: value })
      expect(orderInState.row[field]).toBe(value)
      const later = await writes.update('commerce/orders', orderInState, { totalShipping: '1' })
      expect(later.row[field]).toBe(value)
    }
  })

  test('an order in a custom state is shipped, changed and deleted like any other', async () => {
    const order = await writes.create('commerce/orders', {
      lineItems: [{ productId: 'prd_0001', variantId: 'var_0001', quantity: 2 }],
      orderStatus: 'Active',
      fulfillmentStatus: 'unfulfilled',
    })
    await writes.create('commerce/fulfillments', {
      orderId: order.raw.id,
      lineItems: [{ variantId: 'var_0001', quantity: 2 }],
    })
    const shipped = await writes.get('commerce/orders', order.raw.id)
    expect(shipped?.row).toMatchObject({
      orderStatus: 'Active',
      orderState: null,
      fulfillmentStatus: 'shipped',
      fulfillmentState: 'FULFILLED',
    })
    // The simulated activity of the sandbox skips orders in states that it does not know.
    await harness.app.advance('acme', 60)
    const later = await writes.get('commerce/orders', order.raw.id)
    if (!later) throw new Error('The order is gone.')
    expect(later.row.orderStatus).toBe('Active')
    await writes.remove('commerce/orders', later)
  })

  test.each([
    ['accounting/vendors', { vendorName: 'Quay', email: 'ü@grüße.example' }],
    ['crm/accounts', { accountName: 'Quay', website: 'quay.example/about us' }],
    ['commerce/fulfillments', { orderId: 'ord_0001', lineItems: [], trackingNumbers: ['1'] }],
    ['commerce/orders', { billingAddress: { city: 'Cork' }, shippingAddress: { lastName: 'B' } }],
  ] as const)('%s accepts %j', async (topic, fields) => {
    const { row } = await writes.create(topic, { ...samples[topic]?.create, ...fields })
    const { orderId: _, ...shown }: FieldValues = fields
    expect(row).toMatchObject(shown)
  })
})

describe('amounts', () => {
  const readSums = async (currency: string, unitPrice: string, quantity: number) => {
    const { row } = await writes.create('accounting/invoices', {
      ...samples['accounting/invoices']?.create,
      currency,
      exchangeRate: '0.5',
      lineItems: [{ description: 'Desk', accountId: 'acc_0021', unitPrice, quantity }],
    })
    return [row.subTotal, row.totalTaxAmount, row.totalAmount]
  }

  test.each([
    ['EUR', '0.99', 1.5, ['1.49', '0.34', '1.83']],
    ['JPY', '99.00', 1.5, ['149.00', '34.00', '183.00']],
    ['KWD', '0.125', 3, ['0.375', '0.086', '0.461']],
    ['CLF', '0.0125', 1, ['0.0125', '0.0029', '0.0154']],
  ])('are rounded to the minor unit of %s', async (currency, price, quantity, expected) => {
    const shown = await readSums(currency, price, quantity)
    expect(shown.map(Number)).toEqual(expected.map(Number))
  })

  test('are settled by payments to the last unit', async () => {
    const invoice = await writes.create('accounting/invoices', {
      ...samples['accounting/invoices']?.create,
      currency: 'KWD',
      lineItems: [{ description: 'Desk', accountId: 'acc_0021', unitPrice: '0.125', quantity: 3 }],
    })
    for (const [amount, balance, state] of [
      ['0.46', '0.001', 'part_paid'],
      ['0.001', '0.00', 'paid'],
    ] as const) {
      await writes.create(
        'accounting/payments',
        { transactionDate: '2026-01-05', totalAmount: amount, currency: 'KWD' },
        { invoice: invoice.raw.id },
      )
      const now = await writes.get('accounting/invoices', invoice.raw.id)
      expect(now?.raw).toMatchObject({ balance, state })
    }
  })
})
