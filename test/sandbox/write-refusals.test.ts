/** Invalid writes that the connector or the sandbox rejects, each with the name of the field. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Json } from '../../src/definition/connector.ts'
import { ATTEMPT } from '../support/steps.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'
import { type FieldValues, type TenantWrites, tenantWrites, writerOf } from './writing.ts'

let harness: SandboxHarness
let writes: TenantWrites
beforeAll(async () => {
  harness = await openSandboxHarness()
  writes = tenantWrites(harness)
})
afterAll(() => harness.stop())

const line = { description: 'Desk', accountId: 'acc_0021', unitPrice: 1, quantity: 1 }
const invoice = { customerId: 'cli_0001', issueDate: '2026-01-01', dueDate: '2026-01-31' }
const bill = { issueDate: '2026-01-01', dueDate: '2026-01-31' }
const orderLine = { productId: 'prd_0001', variantId: 'var_0001', quantity: 1 }

const refused: readonly (readonly [string, FieldValues, string])[] = [
  [
    'accounting/invoices',
    { ...invoice, currency: 'EUR', lineItems: [line, { ...line, currency: 'GBP' }] },
    'lineItems[1].currency',
  ],
  [
    'commerce/products',
    { variants: [{ id: 'var_0001', remoteId: 'var_0002' }] },
    'variants[0].remoteId',
  ],
  [
    'commerce/orders',
    { currency: 'EUR', lineItems: [{ ...orderLine, currency: 'USD' }] },
    'lineItems[0].currency',
  ],
]

test.each(refused)('%s %j is rejected before sending: %s', async (topic, fields, field) => {
  const before = writes.requests.length
  await expect(writes.create(topic, fields)).rejects.toMatchObject({
    name: 'WriteRejection',
    field,
  })
  expect(writes.requests.slice(before).filter((request) => !request.startsWith('GET'))).toEqual([])
})

test('fields that the sandbox computes are not writable', () => {
  const computed: Readonly<Record<string, readonly string[]>> = {
    'accounting/accounts': ['classification', 'currentBalance'],
    'accounting/invoices': [
      'invoiceStatus',
      'invoiceState',
      'paidOnDate',
      'subTotal',
      'totalDiscount',
      'totalTaxAmount',
      'totalAmount',
      'balance',
      'lineItems',
      'lineItems.totalAmount',
    ],
    'accounting/payments': ['paymentState'],
    'accounting/bills': [
      'billStatus',
      'billState',
      'totalAmount',
      'lineItems',
      'lineItems.totalAmount',
    ],
    'accounting/purchaseOrders': [
      'totalAmount',
      'lineItems.taxAmount',
      'lineItems.totalLineAmount',
    ],
    'commerce/orders': ['orderState', 'fulfillmentState', 'paymentState'],
    'commerce/fulfillments': ['shipmentState'],
    'crm/opportunities': ['opportunityStatus', 'opportunityState'],
    'crm/tasks': ['completedDate'],
  }
  for (const [topic, names] of Object.entries(computed)) {
    const { create, update } = writerOf(topic)
    const acceptedFields = [...(create?.fields ?? []), ...(update?.fields ?? [])]
    expect(
      acceptedFields.filter((name) => names.includes(name)),
      topic,
    ).toEqual([])
  }
  expect(writerOf('accounting/invoices').update?.fields).toContain('lineItems.unitPrice')
  expect(writerOf('commerce/orders').update?.fields).toContain('lineItems')
})

test('a rejection by the sandbox names its field', async () => {
  const failures: readonly (readonly [string, FieldValues, FieldValues, string])[] = [
    ['accounting/vendors', {}, {}, 'vendorName'],
    ['accounting/vendors', { vendorName: null }, {}, 'vendorName'],
    ['accounting/vendors', { vendorName: 'x', vendorStatus: 'ASLEEP' }, {}, 'vendorStatus'],
    [
      'accounting/vendors',
      { vendorName: 'x', phoneNumbers: [{ phoneNumberType: 'PAGER', phoneNumber: '1' }] },
      {},
      'phoneNumbers.0.phoneNumberType',
    ],
    [
      'accounting/customers',
      {
        customerName: 'x',
        addresses: [
          { addressType: 'BILLING', street1: '1 Quay' },
          { addressType: 'HOME', street1: '2 Quay' },
        ],
      },
      {},
      'addresses.1.addressType',
    ],
    ['accounting/vendors', { vendorName: 'x', addresses: 'here' }, {}, 'addresses'],
    ['accounting/vendors', { vendorName: 'x', addresses: [7] }, {}, 'addresses.0'],
    ['accounting/items', { itemName: 'x', unitPrice: '.' }, {}, 'unitPrice'],
    ['accounting/vendors', { vendorName: 'x', currency: null }, {}, 'currency'],
    ['accounting/items', { itemName: 'x', unitPrice: '1.00005' }, {}, 'unitPrice'],
    ['accounting/items', { itemName: 'x', unitPrice: '1e10' }, {}, 'unitPrice'],
    [
      'accounting/invoices',
      { ...invoice, lineItems: [line], exchangeRate: '-1' },
      {},
      'exchangeRate',
    ],
    [
      'accounting/invoices',
      { ...invoice, lineItems: [line], exchangeRate: '0.1234567' },
      {},
      'exchangeRate',
    ],
    ['crm/contacts', { lastName: 'x', account: 'No such company' }, {}, 'account'],
    ['commerce/products', { productName: 'x', variants: null }, {}, 'variants'],
    [
      'accounting/bills',
      { ...bill, vendorId: 'ven_0001', lineItems: [line], billNumber: null },
      {},
      'billNumber',
    ],
    [
      'accounting/invoices',
      { ...invoice, lineItems: [line], invoiceNumber: null },
      {},
      'invoiceNumber',
    ],
    [
      'accounting/purchaseOrders',
      {
        vendorId: 'ven_0001',
        issueDate: '2026-01-01',
        lineItems: [line],
        purchaseOrderNumber: null,
      },
      {},
      'purchaseOrderNumber',
    ],
    ['commerce/orders', { lineItems: [orderLine], orderNumber: null }, {}, 'orderNumber'],
    ['commerce/orders', { lineItems: [orderLine], orderStatus: null }, {}, 'orderStatus'],
    ['commerce/orders', { lineItems: [orderLine], totalTax: '0.00001' }, {}, 'stated_tax'],
    ['commerce/fulfillments', { orderId: null, lineItems: [] }, {}, 'orderId'],
    [
      'accounting/invoices',
      { ...invoice, lineItems: [{ ...line, unitPrice: 0.1 + 0.2 }] },
      {},
      'lineItems.0.unitPrice',
    ],
    ['accounting/vendors', { vendorName: 'x' }, { colour: 'red' }, 'colour'],
    ['crm/notes', { noteContact: 'per_9999' }, {}, 'noteContact'],
    [
      'accounting/invoices',
      { ...invoice, lineItems: [{ ...line, quantity: -1 }] },
      {},
      'lineItems.0.quantity',
    ],
    ['accounting/payments', { transactionDate: '2026-01-01', totalAmount: '1' }, {}, 'customerId'],
    ['commerce/orders', { lineItems: [orderLine] }, { tax_percent: null }, 'tax_percent'],
    [
      'commerce/orders',
      { lineItems: [{ ...orderLine, productId: 'prd_0002' }] },
      {},
      'lineItems.0.variantId',
    ],
    ...[null, { totalCount: null }, {}].map(
      (inventory) =>
        [
          'commerce/products',
          { productName: 'x', variants: [{ title: 'x', price: '1', inventory }] },
          {},
          expect.stringMatching(/^variants\.0\.inventory/),
        ] as const,
    ),
    [
      'commerce/products',
      {
        productName: 'x',
        variants: [{ title: 'x', price: '1', weight: { value: 1, unit: 'lb' } }],
      },
      {},
      'variants.0.weight.unit',
    ],
    ['commerce/fulfillments', { lineItems: [] }, {}, 'orderId'],
    ['commerce/fulfillments', { orderId: 'ord_9999', lineItems: [] }, {}, 'orderId'],
    ...(
      [
        [{ quantity: 1 }, 'variantId'],
        [{ lineItemId: 'oit_9999', quantity: 1 }, 'lineItemId'],
        [{ variantId: 'var_9999', quantity: 1 }, 'variantId'],
      ] as const
    ).map(
      ([line, name]) =>
        [
          'commerce/fulfillments',
          { orderId: 'ord_0001', lineItems: [line] },
          {},
          `lineItems.0.${name}`,
        ] as const,
    ),
  ]
  for (const [topic, fields, remoteFields, field] of failures)
    await expect(writes.create(topic, fields, remoteFields)).rejects.toMatchObject({
      name: 'StepFailure',
      kind: 'refused',
      field,
    })
})

test('a line of an order keeps its variant’s product', async () => {
  const order = await writes.create('commerce/orders', { lineItems: [orderLine] })
  const lineItems = [{ ...orderLine, productId: 'prd_0002' }]
  await expect(writes.update('commerce/orders', order, { lineItems })).rejects.toMatchObject({
    kind: 'refused',
    field: 'lineItems.0.variantId',
  })
})

test('a write of a record that only the sandbox writes is rejected, and no conflict', async () => {
  const receivable = await writes.get('accounting/accounts', 'acc_0004')
  if (!receivable) throw new Error('There is no such account.')
  await expect(writes.remove('accounting/accounts', receivable)).rejects.toMatchObject({
    kind: 'refused',
    message: 'in_use',
  })
})

describe('fields by the sandbox’s own names', () => {
  test('are passed on', async () => {
    const { raw } = await writes.create('crm/contacts', { lastName: 'x' }, { job_title: 'Rigger' })
    expect(raw).toMatchObject({ lastName: 'x', job_title: 'Rigger' })
  })

  test('are rejected where a field of the common model sets the same value', async () => {
    const clashes: readonly (readonly [string, FieldValues, string, Json])[] = [
      ['accounting/vendors', { vendorName: 'x' }, 'vendorName', 'y'],
      ['commerce/orders', { customer: { email: 'a@b.example' } }, 'customer', null],
      ['accounting/invoices', { lineItems: [{ ...line, currency: 'EUR' }] }, 'currency', 'EUR'],
    ]
    for (const [topic, fields, name, value] of clashes)
      await expect(writes.create(topic, fields, { [name]: value })).rejects.toMatchObject({
        name: 'WriteRejection',
        field: `remoteFields.${name}`,
      })
  })

  test('cannot set a prototype', async () => {
    const remoteFields = JSON.parse('{"__proto__":{"vendorName":"x"}}')
    await expect(writes.create('accounting/vendors', {}, remoteFields)).rejects.toMatchObject({
      kind: 'refused',
    })
  })
})

test('a record that is stored without a version is not written', async () => {
  const { stored, ...rest } = await writes.create('crm/notes', { noteContent: 'x' })
  const unversioned = { ...rest, stored: { ...stored, record: { remoteFields: {} } } }
  await expect(writes.remove('crm/notes', unversioned)).rejects.toThrow('version')
})

test('a response without the record is an error', () => {
  const steps = writerOf('crm/notes').create?.steps({ fields: {}, remoteFields: {} }, ATTEMPT)
  steps?.next()
  expect(() => steps?.next({ status: 201, headers: {}, body: {} })).toThrow('without the record')
})
