/** Writes to accounting and CRM records through the common model, and the precision of numbers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { money, quantity, rate } from '../../src/connectors/sandbox/formats.ts'
import { writeValue } from '../../src/definition/mapping/write.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'
import { type TenantWrites, tenantWrites } from './writing.ts'

let harness: SandboxHarness
let writes: TenantWrites
beforeAll(async () => {
  harness = await openSandboxHarness()
  writes = tenantWrites(harness)
})
afterAll(() => harness.stop())

const context = { app: 'The sandbox', path: 'x', input: {}, stored: undefined, put: () => {} }

test.each([
  [money, '12.5', '12.50'],
  [money, '1e2', '100.00'],
  [money, '1.25E1', '12.50'],
  [money, '1250e-2', '12.50'],
  [money, '-.5', '-0.50'],
  [money, '5.', '5.00'],
  [money, '-0', '0.00'],
  [money, '-0.00', '0.00'],
  [money, '007', '7.00'],
  [money, '1.1000', '1.10'],
  [money, 0.1, '0.10'],
  [money, 1234567890.12, '1234567890.12'],
  [rate, '0.9150', '0.915'],
  [rate, '1e-6', '0.000001'],
  [rate, 1e-6, '0.000001'],
  [rate, '2', '2'],
  [quantity, '12.50', 12.5],
  [quantity, '-3', -3],
])('numbers keep their digits: %#', (format, input, expected) => {
  expect(writeValue(format('x'), undefined, input, context)).toBe(expected)
})

test('a rewritten line keeps its tax code', async () => {
  const line = { description: 'Desk', accountId: 'acc_0021', unitPrice: '100.00', quantity: 1 }
  const { body: made } = await harness.request('POST', '/v1/invoices', {
    body: {
      customerId: 'cli_0001',
      issueDate: '2026-01-01',
      dueDate: '2026-01-31',
      lineItems: [line, { ...line, description: 'Visit', tax_code: 'tax_0003' }],
    },
  })
  const invoice = await writes.get('accounting/invoices', made.id)
  if (!invoice) throw new Error('The created record is missing.')
  const { raw } = await writes.update('accounting/invoices', invoice, {
    lineItems: [
      { description: 'Visit', accountId: 'acc_0021', accountingItemId: null, quantity: 4 },
      { description: 'Tall desk', accountId: 'acc_0021', unitPrice: 120 },
    ],
  })
  expect(raw.lineItems).toMatchObject([
    { description: 'Visit', tax_code: 'tax_0003', unitPrice: '100.00', quantity: 4 },
    { description: 'Tall desk', tax_code: 'tax_0001', unitPrice: '120.00', quantity: 1 },
  ])
})

test('an address of a lead keeps the postal code, which a lead has no field for', async () => {
  const home = { addressType: 'Home', street1: '1 Quay', city: 'Cork' }
  const { body } = await harness.request('POST', '/v1/leads', {
    body: { addresses: [{ addressType: 'Home', street1: '1 Quay', postalCode: 'T12' }] },
  })
  const lead = await writes.get('crm/leads', body.id)
  if (!lead) throw new Error('The created record is missing.')
  const { raw } = await writes.update('crm/leads', lead, {
    addresses: [{ ...home, street1: '2 Quay' }, home],
  })
  expect(raw.addresses).toMatchObject([
    { street1: '2 Quay', postalCode: null },
    { street1: '1 Quay', city: 'Cork', postalCode: 'T12' },
  ])
})

describe('a payment', () => {
  const payment = { transactionDate: '2026-02-01', totalAmount: '10', currency: 'EUR' }
  const balanceOf = async (id: string) =>
    Number((await harness.request('GET', `/v1/ledger_accounts/${id}`)).body.currentBalance)

  test('on account belongs to a customer or a vendor, moves the ledger, and cannot be changed', async () => {
    const before = await balanceOf('acc_0004')
    const made = await writes.create('accounting/payments', { ...payment, customerId: 'cli_0001' })
    expect(made.raw).toMatchObject({ customerId: 'cli_0001', vendorId: null })
    expect(await balanceOf('acc_0004')).toBeCloseTo(before - 10, 6)
    await expect(
      writes.update('accounting/payments', made, { vendorId: 'ven_0001', customerId: null }),
    ).rejects.toMatchObject({ kind: 'refused' })
    await expect(
      writes.update('accounting/payments', made, { customerId: 'cli_0002' }),
    ).rejects.toMatchObject({ kind: 'refused', field: 'customerId' })
    await writes.remove('accounting/payments', made)
    expect(await balanceOf('acc_0004')).toBeCloseTo(before, 6)
    const out = await writes.create('accounting/payments', { ...payment, vendorId: 'ven_0001' })
    expect(out.raw).toMatchObject({ customerId: null, vendorId: 'ven_0001' })
    await expect(
      writes.create('accounting/payments', {
        ...payment,
        vendorId: 'ven_0001',
        customerId: 'cli_0001',
      }),
    ).rejects.toMatchObject({ field: 'invoice' })
  })

  test('for an invoice belongs to its customer only', async () => {
    const invoice = await writes.create('accounting/invoices', {
      customerId: 'cli_0001',
      issueDate: '2026-01-01',
      dueDate: '2026-01-31',
      lineItems: [{ description: 'Desk', accountId: 'acc_0021', unitPrice: 100, quantity: 1 }],
    })
    const settles = { invoice: invoice.raw.id }
    await expect(
      writes.create('accounting/payments', { ...payment, customerId: 'cli_0002' }, settles),
    ).rejects.toMatchObject({ kind: 'refused', field: 'customerId' })
    const made = await writes.create('accounting/payments', payment, settles)
    expect(made.raw.customerId).toBe('cli_0001')
    const now = await writes.get('accounting/invoices', invoice.raw.id)
    expect(now?.row).toMatchObject({
      invoiceStatus: 'part_paid',
      invoiceState: 'PARTIALLY_PAID',
      balance: '113.00',
    })
    expect(made.row.paymentState).toBe('COMPLETED')
  })
})

describe('a name in place of an id', () => {
  test('resolves to the account of a contact, and an id is not looked up', async () => {
    const made = await writes.create('crm/accounts', { accountName: 'Quay & Sons' })
    const before = writes.requests.length
    const byName = await writes.create('crm/contacts', { lastName: 'x', account: 'Quay & Sons' })
    expect(byName.raw.account).toBe(made.raw.id)
    expect(writes.requests.length - before).toBeGreaterThan(1)
    const again = writes.requests.length
    await writes.create('crm/contacts', { lastName: 'x', account: made.raw.id })
    expect(writes.requests.slice(again)).toEqual(['POST /v1/people'])
  })

  test('must match exactly one existing record', async () => {
    const first = await writes.create('crm/accounts', { accountName: 'Twins' })
    await writes.create('crm/accounts', { accountName: 'Twins' })
    const contact = { lastName: 'x', account: 'Twins' }
    await expect(writes.create('crm/contacts', contact)).rejects.toMatchObject({ field: 'account' })
    await writes.remove('crm/accounts', first)
    expect((await writes.create('crm/contacts', contact)).raw.account).not.toBe(first.raw.id)
  })

  test('is searched on every page', async () => {
    for (let n = 0; n < 251; n++)
      await harness.request('POST', '/v1/organizations', { body: { name: `Filler ${n}` } })
    const last = await writes.create('crm/accounts', { accountName: 'The last' })
    const { raw } = await writes.create('crm/contacts', { lastName: 'x', account: 'The last' })
    expect(raw.account).toBe(last.raw.id)
  })
})
