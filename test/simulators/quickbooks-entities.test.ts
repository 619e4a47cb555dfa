/** The QuickBooks simulator: every entity is created, read, found, changed and removed as the vendor allows. */
import { expect, test } from 'vitest'
import { createClient } from './client.ts'
import { entities } from './quickbooks/entities.ts'
import { createQuickBooks } from './quickbooks/start.ts'

const open = () => {
  const simulator = createQuickBooks({ limited: false })
  const company = simulator.addCompany('1', 'Acme')
  const client = createClient(simulator, simulator.oauth.issue('1').accessToken)
  const headers = { accept: 'application/json' }
  const send = (method: string, path: string, body?: object) =>
    client(method, `/v3/company/1/${path}`, { headers, ...(body && { body }) })
  const findAccountId = (type: string): string =>
    String(company.list('Account').find(({ AccountType }) => AccountType === type)?.Id)
  return { simulator, company, send, accountId: findAccountId }
}

const expense = { AccountRef: { value: '9' } }
const expenseLine = {
  Amount: 8,
  DetailType: 'AccountBasedExpenseLineDetail',
  AccountBasedExpenseLineDetail: expense,
}
const party = { value: '1' }

/** For each entity that can be written: a new record, a change, and what the vendor makes of the record. */
const cases: readonly [entity: string, value: object, change: object, expected: object][] = [
  [
    'Account',
    { Name: 'Travel', AccountType: 'Expense', ParentRef: { value: '9' } },
    { Description: 'x' },
    {
      Classification: 'Expense',
      FullyQualifiedName: 'Office Expenses:Travel',
      SubAccount: true,
      CurrentBalance: 0,
      CurrencyRef: { value: 'USD' },
    },
  ],
  [
    'Customer',
    { DisplayName: 'Kitchen', ParentRef: party, BillAddr: { City: 'Rome' } },
    { Notes: 'x' },
    { Job: true, FullyQualifiedName: 'Amy:Kitchen', BillAddr: { City: 'Rome' }, Balance: 0 },
  ],
  [
    'Vendor',
    { GivenName: 'Bo', FamilyName: 'Li' },
    { Notes: 'x' },
    { DisplayName: 'Bo Li', Active: true },
  ],
  [
    'Item',
    { Name: 'Hours', Type: 'Service', IncomeAccountRef: { value: '7' } },
    { UnitPrice: 1.5 },
    { UnitPrice: 0, IncomeAccountRef: { name: 'Services' }, TrackQtyOnHand: false },
  ],
  ['Class', { Name: 'North' }, { Name: 'South' }, { SubClass: false, FullyQualifiedName: 'North' }],
  ['Department', { Name: 'Shop' }, { Name: 'Store' }, { SubDepartment: false }],
  [
    'PurchaseOrder',
    { VendorRef: party, Line: [expenseLine] },
    { Memo: 'x' },
    { POStatus: 'Open', DocNumber: '1001', TotalAmt: 8, VendorRef: { name: 'Books' } },
  ],
  ['Bill', { VendorRef: party, Line: [expenseLine] }, { PrivateNote: 'x' }, { Balance: 8 }],
  ['Payment', { CustomerRef: party, TotalAmt: 3 }, { PrivateNote: 'x' }, { UnappliedAmt: 3 }],
]

test.each(cases)(
  '%s is created, read, found, changed and removed',
  async (entity, value, change, expected) => {
    const { simulator, company, send } = open()
    company.create('Customer', { DisplayName: 'Amy' })
    company.create('Vendor', { DisplayName: 'Books' })
    const segment = entity.toLowerCase()
    const created = (await send('POST', segment, value)).json[entity]
    expect(created).toMatchObject(expected)
    const { Id, SyncToken } = created
    expect((await send('GET', `${segment}/${Id}`)).json[entity]).toEqual(created)
    const sparse = { Id, SyncToken, sparse: true }
    const changed = (await send('POST', segment, { ...sparse, ...change })).json[entity]
    expect(changed).toMatchObject({ ...change, SyncToken: '1' })
    const query = new URLSearchParams({ query: `SELECT * FROM ${entity} WHERE Id = '${Id}'` })
    expect((await send('GET', `query?${query}`)).json.QueryResponse[entity]).toEqual([changed])
    const removal = await send('POST', `${segment}?operation=delete`, { Id, SyncToken: '1' })
    const isTransaction = entities.get(entity)?.kind === 'transaction'
    expect(removal.json[entity]?.status).toBe(isTransaction ? 'Deleted' : undefined)
    expect(removal.json.Fault?.Error[0].code).toBe(isTransaction ? undefined : '500')
    simulator.assertSound()
  },
)

test('payments of customers and vendors are voided with include=void', async () => {
  const { company, send, accountId } = open()
  company.create('Customer', { DisplayName: 'Amy' })
  company.create('Vendor', { DisplayName: 'Books' })
  const payment = company.create('Payment', { CustomerRef: party, TotalAmt: 3 })
  const voided = await send('POST', 'payment?operation=update&include=void', {
    Id: payment.Id,
    SyncToken: '0',
    sparse: true,
  })
  expect(voided.json.Payment).toMatchObject({ TotalAmt: 0, UnappliedAmt: 0, PrivateNote: 'Voided' })
  const bill = company.create('Bill', { VendorRef: party, Line: [expenseLine] })
  const paid = company.create('BillPayment', {
    VendorRef: party,
    TotalAmt: 8,
    PayType: 'CreditCard',
    CreditCardPayment: { CCAccountRef: { value: accountId('Credit Card') } },
    Line: [{ Amount: 8, LinkedTxn: [{ TxnId: String(bill.Id), TxnType: 'Bill' }] }],
  })
  expect(company.find('Bill', String(bill.Id))).toMatchObject({
    Balance: 0,
    LinkedTxn: [{ TxnType: 'BillPaymentCreditCard' }],
  })
  await send('POST', 'billpayment?include=void', { Id: paid.Id, SyncToken: '0' })
  expect(company.find('Bill', String(bill.Id))).toMatchObject({ Balance: 8, LinkedTxn: [] })
  const refused = await send('POST', 'bill?operation=void', { Id: bill.Id, SyncToken: '2' })
  expect(refused.json.Fault.Error[0].code).toBe('500')
})

test('a deleted bill disappears from its payments', () => {
  const { company, accountId } = open()
  company.create('Vendor', { DisplayName: 'Books' })
  const bill = company.create('Bill', { VendorRef: party, Line: [expenseLine] })
  const paid = company.create('BillPayment', {
    VendorRef: party,
    TotalAmt: 8,
    PayType: 'Check',
    CheckPayment: { BankAccountRef: { value: accountId('Bank') } },
    Line: [{ Amount: 8, LinkedTxn: [{ TxnId: String(bill.Id), TxnType: 'Bill' }] }],
  })
  company.delete('Bill', String(bill.Id))
  expect(company.find('BillPayment', String(paid.Id))).toMatchObject({ TotalAmt: 0, Line: [] })
})

test('tax rates, tax codes and the company are read', async () => {
  const { send } = open()
  expect((await send('GET', 'taxrate/1')).json.TaxRate).toMatchObject({
    RateValue: 8,
    Name: 'California',
  })
  expect((await send('GET', 'taxcode/2')).json.TaxCode.SalesTaxRateList.TaxRateDetail).toHaveLength(
    1,
  )
  expect((await send('GET', 'companyinfo/2')).json.Fault.Error[0].code).toBe('610')
  const { CompanyInfo } = (await send('GET', 'companyinfo/1')).json
  const renamed = { Id: '1', SyncToken: CompanyInfo.SyncToken, sparse: true, LegalName: 'Acme Inc' }
  expect((await send('POST', 'companyinfo', renamed)).json.CompanyInfo).toMatchObject({
    CompanyName: 'Acme',
    LegalName: 'Acme Inc',
    SyncToken: '1',
  })
})
