/** Errors of a write that the app rejects name the field as the caller knows it. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectors } from '../../src/generated/registry.ts'
import { refusedField } from '../../src/write/refused-field.ts'
import { samples } from '../sandbox/write-samples.ts'
import { type ConnectedSandbox, connectSandbox } from '../support/connected-sandbox.ts'
import { transports } from '../support/operations.ts'
import type { RecordCalls } from '../support/record-calls.ts'
import { openWriteHarness } from './write-harness.ts'

let sandbox: ConnectedSandbox
beforeAll(async () => {
  sandbox = await connectSandbox()
})
afterAll(() => sandbox.stop())

/** More characters than the sandbox takes of one line. */
const LONG = 'x'.repeat(300)
const lineItems = [{ productId: 'prd_0001', variantId: 'var_0001', quantity: 1 }]

describe.each(transports)('over %s', (transport) => {
  let records: RecordCalls
  beforeAll(() => {
    records = sandbox.over(transport)
  })

  test.each([
    [
      'crm/contacts',
      {
        lastName: 'X',
        emailAddresses: [{ emailAddress: 'a@b.example' }, { emailAddress: 'bad' }],
      },
      'emailAddresses[1].emailAddress',
    ],
    ['commerce/orders', { currency: 'EUR' }, 'lineItems'],
    [
      'commerce/orders',
      { lineItems: [{ productId: 'prd_9999', variantId: 'var_0001', quantity: 1 }] },
      'lineItems',
    ],
    [
      'accounting/invoices',
      {
        customerId: 'cli_0001',
        issueDate: '2026-03-02',
        dueDate: '2026-04-01',
        lineItems: [{ description: 'X', unitPrice: 1, quantity: 1, accountId: 'acc_9999' }],
      },
      'lineItems',
    ],
    ['commerce/orders', { lineItems: [{ ...lineItems[0], title: LONG }] }, 'lineItems'],
    ['commerce/orders', { lineItems, customer: { email: 'bad' } }, 'customer.email'],
    ['accounting/vendors', { vendorName: '' }, 'vendorName'],
    [
      'accounting/invoices',
      {
        customerId: 'cli_0001',
        issueDate: '2026-03-02',
        dueDate: '2026-04-01',
        remoteFields: { lineItems: [{ description: 'X', unitPrice: '1.00', quantity: 1 }] },
      },
      'remoteFields.lineItems[0].accountId',
    ],
    [
      'accounting/vendors',
      { vendorName: 'X', remoteFields: { colour: 'red' } },
      'remoteFields.colour',
    ],
  ])('%s created from %j: %s', async (topic, input, field) => {
    const refused = await records.create(topic, input)
    expect(refused).toMatchObject({ status: 400, code: 'APP_REFUSED' })
    const [detail, ...others] = refused.details
    expect([detail?.field, others]).toEqual([field, []])
    expect(detail?.expected).toMatch(/^a value that Sandbox accepts: \w+/)
    // The sandbox names the field in its reason.
    expect(refused.message?.endsWith(` (${field})`), refused.message).toBe(true)
  })

  test.each([
    [{ customer: { email: 'bad' } }, 'customer.email'],
    [{ lineItems: [{ ...lineItems[0], title: LONG }] }, 'lineItems'],
    [{ remoteFields: { customer: { email: 'bad' } } }, 'remoteFields.customer.email'],
  ])('an order changed to %j: %s', async (input, field) => {
    const { record } = await records.create('commerce/orders', { lineItems })
    const refused = await records.update('commerce/orders', record.id, input)
    expect(refused).toMatchObject({ status: 400, code: 'APP_REFUSED', details: [{ field }] })
  })

  test('a change of a record already deleted here is rejected as deleted, each time', async () => {
    const topic = 'crm/contacts'
    const { record } = await records.create(topic, samples[topic]?.create ?? {})
    expect((await records.remove(topic, record.id)).status).toBe(200)
    for (const _again of [1, 2])
      expect(await records.update(topic, record.id, { lastName: 'Late' })).toMatchObject({
        status: 409,
        code: 'WRITE_CONFLICT',
        message: 'The contact is deleted in the app, and cannot be changed. Create a new one.',
        details: [{ field: 'remoteDeleted', stored: true, current: true }],
      })
  })
})

test.each([
  ['commerce/orders', 'updateShippingAddress.city', 'shippingAddress'],
  ['commerce/orders', 'adjustOrderLines.0.quantity', 'lineItems'],
  ['commerce/customers', 'emailAddress', 'email'],
  ['commerce/customers', 'shoeSize', undefined],
])('Vendure’s name in %s, %s, is %s', (topic, name, field) => {
  const resource = connectors.get('vendure')?.resources[topic]
  expect(resource && refusedField(resource, {}, name)).toBe(field)
})

test('an error has no name of the app’s for a field, neither in its details nor in its message', async () => {
  const harness = await openWriteHarness()
  try {
    for (const [field, reason, named, words] of [
      ['paper.weight', 'heavy (paper.weight)', undefined, 'heavy'],
      [
        'last',
        '"last" (last) is not everlasting',
        'lastName',
        '"lastName" (lastName) is not everlasting',
      ],
      ['last.0.first', 'short (last.0.first)', 'lastName', 'short (lastName)'],
      ['last[0]', 'short (last[0])', 'lastName', 'short (lastName)'],
      ['lastly', 'late', undefined, 'late'],
    ] as const) {
      harness.rolodex.faults.push({ status: 422, body: { reason, field } })
      const response = await harness.write('POST', '/contacts', { lastName: 'X' })
      const { code, message, details } = response.json().error
      expect([code, message], field).toEqual(['APP_REFUSED', `Rolodex refused: ${words}`])
      expect(details, field).toEqual(
        named === undefined
          ? undefined
          : [{ field: named, expected: `a value that Rolodex accepts: ${words}` }],
      )
    }
  } finally {
    await harness.stop()
  }
})
