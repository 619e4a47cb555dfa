/** The QuickBooks connector without QuickBooks: mappings. */
import { describe, expect, test } from 'vitest'
import { createMapper } from '../../src/definition/mapping.ts'
import { findResource, home, invoice, multi } from './quickbooks/fixtures.ts'

const rowOf = (name: string, raw: object, context: object = home) => {
  const { row, problems } = createMapper(findResource(name).mapping)(raw, 'c', { context })
  expect(problems).toEqual([])
  return row
}

describe('a record', () => {
  test('of invoices has exact amounts, days, references both ways and its lines', () => {
    expect(rowOf('invoices', invoice, multi)).toMatchObject({
      remoteId: '130',
      remoteUpdatedAt: '2026-03-02T09:30:00.000Z',
      invoiceNumber: '1037',
      invoiceStatus: 'Partially paid',
      issueDate: '2026-03-01T00:00:00.000Z',
      dueDate: '2026-03-31T00:00:00.000Z',
      currency: 'EUR',
      exchangeRate: '1.1234',
      subTotal: '275.5',
      totalDiscount: '10',
      totalTaxAmount: '21.24',
      totalAmount: '286.74',
      balance: '100',
      lineItems: [
        {
          description: 'Rocks',
          unitPrice: 137.75,
          quantity: 2,
          totalAmount: 275.5,
          currency: 'EUR',
          exchangeRate: 1.1234,
        },
      ],
    })
  })

  test('has the home currency if the company has no other', () => {
    expect(rowOf('vendors', { Id: '1', DisplayName: 'Bob', Active: true }).currency).toBe('USD')
  })

  test.each([
    [{ TotalAmt: 10, Balance: 10 }, 'Open', 'OPEN'],
    [{ TotalAmt: 10, Balance: 4 }, 'Partially paid', 'PARTIALLY_PAID'],
    [{ TotalAmt: 10, Balance: 0 }, 'Paid', 'PAID'],
    [{ TotalAmt: 0, Balance: 0, PrivateNote: 'Voided' }, 'Voided', 'VOID'],
    [{ TotalAmt: 10 }, null, null],
  ])('of bills with %o is %s', (amounts, billStatus, billState) => {
    expect(rowOf('bills', { Id: '1', ...amounts })).toMatchObject({ billStatus, billState })
  })

  test.each([
    [{ TotalAmt: 10 }, 'COMPLETED'],
    [{ TotalAmt: 0, PrivateNote: 'Voided by Ann' }, 'VOID'],
    [{ TotalAmt: 0 }, 'COMPLETED'],
  ])('of payments with %o is %s', (raw, paymentState) => {
    const payment = { Id: '1', entityType: 'Payment', ...raw }
    expect(rowOf('payments', payment).paymentState).toBe(paymentState)
  })

  test('of bills has the net amount, exactly, and its purchase orders', () => {
    const raw = {
      Id: '1',
      TotalAmt: 0.3,
      Balance: 0.3,
      TxnTaxDetail: { TotalTax: 0.1 },
      LinkedTxn: [
        { TxnId: '8', TxnType: 'PurchaseOrder' },
        { TxnId: '9', TxnType: 'BillPaymentCheck' },
      ],
    }
    const { subTotal, purchaseOrderIds } = rowOf('bills', raw)
    expect(subTotal).toBe('0.2')
    expect(purchaseOrderIds).toHaveLength(1)
  })

  test.each([
    ['US', 'US'],
    ['USA', 'US'],
    ['United Kingdom', 'GB'],
    ['the moon', null],
  ])('of customers in %s has the country %s', (Country, country) => {
    const raw = {
      Id: '1',
      DisplayName: 'Amy',
      Active: false,
      BillAddr: { Line1: 'Main 1', Country, CountrySubDivisionCode: 'CA' },
      PrimaryPhone: { FreeFormNumber: '555' },
    }
    expect(rowOf('customers', raw)).toMatchObject({
      customerStatus: 'ARCHIVED',
      addresses: [{ addressType: 'Billing', street1: 'Main 1', state: 'CA', country }],
      phoneNumbers: [{ phoneNumberType: 'Primary', phoneNumber: '555' }],
    })
  })

  test('of payments has the account of its kind', () => {
    const links = {
      Id: '5',
      EntityType: 'BillPayment',
      PayType: 'CreditCard',
      VendorRef: { value: '3' },
      CreditCardPayment: { CCAccountRef: { value: '41' } },
      TotalAmt: 12.5,
    }
    const row = rowOf('payments', links)
    expect(row).toMatchObject({ remoteId: 'BillPayment-5', totalAmount: '12.5', customerId: null })
    expect([row.vendorId, row.accountId]).not.toContain(null)
  })

  test('of tracking categories names its entity', () => {
    const raw = { Id: '2', Name: 'Shop', Active: false, EntityType: 'Department' }
    expect(rowOf('trackingCategories', raw)).toMatchObject({
      remoteId: 'Department-2',
      trackingCategoryStatus: 'Inactive',
      trackingCategoryType: 'Department',
    })
  })

  test('of tax rates has the rate without an end', () => {
    const EffectiveTaxRate = [
      { RateValue: 7, EndDate: '2025-12-31T00:00:00-08:00' },
      { RateValue: 8 },
    ]
    const raw = { Id: '1', Name: 'State', RateValue: 8, EffectiveTaxRate }
    expect(rowOf('taxRates', raw)).toMatchObject({ description: 'State', effectiveTaxRate: '8' })
  })

  test('of the company has the end of its fiscal year', () => {
    const raw = { Id: '1', CompanyName: 'Acme', FiscalYearStartMonth: 'March' }
    expect(rowOf('companyInfo', raw)).toMatchObject({ fiscalYearEndMonth: 2, fiscalYearEndDay: 28 })
  })
})
