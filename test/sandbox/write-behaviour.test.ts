/** Writes to accounting and CRM records through the common model, and the precision of numbers. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { money, rate } from '../../src/sandbox/kinds/blocks.ts'
import { openSandboxHarness, type SandboxHarness } from './sandbox-harness.ts'
import { type TenantWrites, tenantWrites } from './writing.ts'

let harness: SandboxHarness
let writes: TenantWrites
beforeAll(async () => {
  harness = await openSandboxHarness()
  writes = tenantWrites(harness)
})
afterAll(() => harness.stop())

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
  [rate, '0.9150', '0.9150'],
  [rate, '1e-6', '0.000001'],
  [rate, 1e-6, '0.000001'],
  [rate, '2', '2'],
])('numbers keep their digits: %#', (schema, input, expected) => {
  expect(schema().parse(input)).toBe(expected)
})

test('a line that matches a stored one keeps the values that are omitted', async () => {
  const line = { description: 'Desk', accountId: 'acc_0021', unitPrice: '100.00', quantity: 1 }
  const invoice = await writes.create('accounting/invoices', {
    customerId: 'cli_0001',
    issueDate: '2026-01-01',
    dueDate: '2026-01-31',
    lineItems: [line, { ...line, description: 'Visit' }],
  })
  const { raw } = await writes.update('accounting/invoices', invoice, {
    lineItems: [
      { description: 'Visit', accountId: 'acc_0021', accountingItemId: null, quantity: 4 },
      { description: 'Tall desk', accountId: 'acc_0021', unitPrice: 120, quantity: 1 },
    ],
  })
  expect(raw.lineItems).toMatchObject([
    { description: 'Visit', unitPrice: '100.00', quantity: 4 },
    { description: 'Tall desk', unitPrice: '120.00', quantity: 1 },
  ])
})

describe('a payment', () => {
  const payment = { transactionDate: '2026-02-01', totalAmount: '10', currency: 'EUR' }
  const balanceOf = async (id: string) =>
    Number((await harness.request('GET', `/v1/ledger_accounts/${id}`)).body.currentBalance)

  test('on account belongs to a customer or a vendor, and moves the ledger', async () => {
    const before = await balanceOf('acc_0004')
    const storedPayment = await writes.create('accounting/payments', {
      ...payment,
      customerId: 'cli_0001',
    })
    expect(storedPayment.raw).toMatchObject({ customerId: 'cli_0001', vendorId: null })
    expect(await balanceOf('acc_0004')).toBeCloseTo(before - 10, 6)
    const changed = await writes.update('accounting/payments', storedPayment, { totalAmount: '30' })
    expect(await balanceOf('acc_0004')).toBeCloseTo(before - 30, 6)
    await writes.remove('accounting/payments', changed)
    expect(await balanceOf('acc_0004')).toBeCloseTo(before, 6)
    const out = await writes.create('accounting/payments', { ...payment, vendorId: 'ven_0001' })
    expect(out.raw).toMatchObject({ customerId: null, vendorId: 'ven_0001' })
    await expect(
      writes.create('accounting/payments', {
        ...payment,
        vendorId: 'ven_0001',
        customerId: 'cli_0001',
      }),
    ).rejects.toMatchObject({ field: 'customerId' })
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
    const storedPayment = await writes.create('accounting/payments', payment, settles)
    expect(storedPayment.raw.customerId).toBe('cli_0001')
    const now = await writes.get('accounting/invoices', invoice.raw.id)
    expect(now?.row).toMatchObject({
      invoiceStatus: 'part_paid',
      invoiceState: 'PARTIALLY_PAID',
      balance: '113.00',
    })
    expect(storedPayment.row.paymentState).toBe('COMPLETED')
  })
})
