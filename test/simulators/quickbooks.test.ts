/** The QuickBooks simulator: its records behave as the vendor documents. */
import { describe, expect, test } from 'vitest'
import { type Client, createClient, type ParsedReply } from './client.ts'
import { createQuickBooks, type QuickBooksStartOptions } from './quickbooks/start.ts'

const REALM = '4620816365'
const NOON = Date.parse('2026-11-23T20:00:00.500Z')

const open = (options: QuickBooksStartOptions = {}) => {
  const clock = { startMs: NOON, frozen: true }
  const simulator = createQuickBooks({ limited: false, clock, ...options })
  const company = simulator.addCompany(REALM, 'Acme')
  const { accessToken } = simulator.oauth.issue(REALM)
  const client = createClient(simulator, accessToken)
  const send: Client = (method, path, request = {}) =>
    client(method, `/v3/company/${REALM}${path}`, {
      ...request,
      headers: { accept: 'application/json', ...request.headers },
    })
  const post = (entity: string, body: object, query = '') =>
    send('POST', `/${entity.toLowerCase()}?minorversion=75${query}`, { body })
  const query = async (text: string) => {
    const reply = await send('GET', `/query?${new URLSearchParams({ query: text })}`)
    return reply.json.QueryResponse ?? reply.json.Fault.Error[0]
  }
  return { simulator, company, accessToken, send, post, query }
}

const errorOf = ({ status, json }: ParsedReply) => [status, json.Fault?.Error[0].code]

/** A company with a customer, a vendor and an item. */
const openWithNames = (options?: QuickBooksStartOptions) => {
  const opened = open(options)
  const { company } = opened
  const accountReference = (type: string) => ({
    value: String(company.list('Account').find(({ AccountType }) => AccountType === type)?.Id),
  })
  const customer = company.create('Customer', { DisplayName: 'Amy' })
  const vendor = company.create('Vendor', { DisplayName: 'Books by Bessie' })
  const item = company.create('Item', {
    Name: 'Hours',
    Type: 'Service',
    IncomeAccountRef: accountReference('Income'),
  })
  const CustomerRef = { value: String(customer.Id) }
  const VendorRef = { value: String(vendor.Id) }
  const salesLine = (Qty: number, UnitPrice: number, Amount: number, TaxCode = 'NON') => ({
    Amount,
    DetailType: 'SalesItemLineDetail',
    SalesItemLineDetail: {
      ItemRef: { value: String(item.Id) },
      Qty,
      UnitPrice,
      TaxCodeRef: { value: TaxCode },
    },
  })
  const expenseLine = (Amount: number) => ({
    Amount,
    DetailType: 'AccountBasedExpenseLineDetail',
    AccountBasedExpenseLineDetail: { AccountRef: accountReference('Expense') },
  })
  return { ...opened, account: accountReference, CustomerRef, VendorRef, salesLine, expenseLine }
}

describe('invoices', () => {
  test('receive totals, tax, numbers, dates and a subtotal line', async () => {
    const { post, CustomerRef, salesLine, simulator } = openWithNames()
    const { json } = await post('Invoice', {
      CustomerRef,
      Line: [salesLine(3, 0.1, 0.3, 'TAX'), salesLine(1, 100, 100, 'TAX'), salesLine(2, 5, 10)],
      TxnTaxDetail: { TxnTaxCodeRef: { value: '2' } },
    })
    expect(json.Invoice).toMatchObject({
      Id: '1',
      SyncToken: '0',
      DocNumber: '1001',
      TxnDate: '2026-11-23',
      DueDate: '2026-12-23',
      CustomerRef: { value: '1', name: 'Amy' },
      CurrencyRef: { value: 'USD' },
      TxnTaxDetail: { TotalTax: 8.02 },
      TotalAmt: 118.32,
      Balance: 118.32,
      MetaData: {
        CreateTime: '2026-11-23T12:00:00-08:00',
        LastUpdatedTime: '2026-11-23T12:00:00-08:00',
      },
    })
    expect(json.Invoice.Line).toHaveLength(4)
    expect(json.Invoice.Line[3]).toEqual({
      Amount: 110.3,
      DetailType: 'SubTotalLineDetail',
      SubTotalLineDetail: {},
    })
    expect(json.time).toBe('2026-11-23T12:00:00.500-08:00')
    simulator.assertSound()
  })

  test('are paid by payments, and what is paid follows each change of the payment', async () => {
    const { post, send, company, CustomerRef, salesLine } = openWithNames()
    const invoice = (await post('Invoice', { CustomerRef, Line: [salesLine(1, 100, 100)] })).json
      .Invoice
    const line = (Amount: number) => ({
      Amount,
      LinkedTxn: [{ TxnId: invoice.Id, TxnType: 'Invoice' }],
    })
    const { Payment } = (await post('Payment', { CustomerRef, TotalAmt: 80, Line: [line(60)] }))
      .json
    expect(Payment.UnappliedAmt).toBe(20)
    expect(company.find('Invoice', invoice.Id)).toMatchObject({
      Balance: 40,
      SyncToken: '1',
      LinkedTxn: [{ TxnId: Payment.Id, TxnType: 'Payment' }],
    })
    expect(company.find('Customer', '1')).toMatchObject({ Balance: 20, SyncToken: '0' })
    const tooMuch = await post('Payment', { ...Payment, TotalAmt: 200, Line: [line(101)] })
    expect(errorOf(tooMuch)).toEqual([400, '6000'])
    expect(company.find('Invoice', invoice.Id)?.Balance).toBe(40)
    await post('Payment', { Id: Payment.Id, SyncToken: '0', sparse: true, Line: [line(80)] })
    expect(company.find('Invoice', invoice.Id)?.Balance).toBe(20)
    const deleted = await post('Payment', { Id: Payment.Id, SyncToken: '1' }, '&operation=delete')
    expect(deleted.json.Payment).toEqual({ domain: 'QBO', status: 'Deleted', Id: Payment.Id })
    expect(company.find('Invoice', invoice.Id)).toMatchObject({ Balance: 100, LinkedTxn: [] })
    expect(errorOf(await send('GET', `/payment/${Payment.Id}`))).toEqual([400, '610'])
  })

  test('that are voided stay with amounts of zero, and their payments are unapplied', async () => {
    const { post, company, CustomerRef, salesLine } = openWithNames()
    const { Id } = (await post('Invoice', { CustomerRef, Line: [salesLine(1, 100, 100)] })).json
      .Invoice
    const Line = [{ Amount: 100, LinkedTxn: [{ TxnId: Id, TxnType: 'Invoice' }] }]
    const { Payment } = (await post('Payment', { CustomerRef, TotalAmt: 100, Line })).json
    const { Invoice } = (await post('Invoice', { Id, SyncToken: '1' }, '&operation=void')).json
    expect(Invoice).toMatchObject({ TotalAmt: 0, Balance: 0, PrivateNote: 'Voided', LinkedTxn: [] })
    expect(company.find('Payment', Payment.Id)).toMatchObject({ UnappliedAmt: 100, Line: [] })
    expect(company.find('Customer', '1')?.Balance).toBe(-100)
  })
})

test('bills are paid by checks and cards', async () => {
  const { post, company, account, VendorRef, expenseLine } = openWithNames()
  const { Bill } = (await post('Bill', { VendorRef, Line: [expenseLine(30), expenseLine(12.5)] }))
    .json
  expect(Bill).toMatchObject({
    TotalAmt: 42.5,
    Balance: 42.5,
    APAccountRef: { name: 'Accounts Payable (A/P)' },
  })
  expect(company.find('Vendor', '1')?.Balance).toBe(42.5)
  const payment = {
    VendorRef,
    TotalAmt: 42.5,
    PayType: 'Check',
    Line: [{ Amount: 42.5, LinkedTxn: [{ TxnId: Bill.Id, TxnType: 'Bill' }] }],
  }
  expect(errorOf(await post('BillPayment', payment))).toEqual([400, '2020'])
  const CheckPayment = { BankAccountRef: account('Bank') }
  const { BillPayment } = (await post('BillPayment', { ...payment, CheckPayment })).json
  expect(company.find('Bill', Bill.Id)).toMatchObject({
    Balance: 0,
    LinkedTxn: [{ TxnId: BillPayment.Id, TxnType: 'BillPaymentCheck' }],
  })
})

describe('updates', () => {
  test('are sparse or full, and need the current SyncToken', async () => {
    const { post } = open()
    const contact = {
      GivenName: 'Amy',
      FamilyName: 'Lee',
      Notes: 'VIP',
      PrimaryPhone: { FreeFormNumber: '1' },
    }
    const { Customer } = (await post('Customer', contact)).json
    expect(Customer.DisplayName).toBe('Amy Lee')
    const sparse = await post('Customer', { Id: '1', SyncToken: '0', sparse: true, Notes: '' })
    expect(sparse.json.Customer).toMatchObject({ SyncToken: '1', GivenName: 'Amy', sparse: false })
    expect(sparse.json.Customer).not.toHaveProperty('Notes')
    const stale = await post('Customer', { Id: '1', SyncToken: '0', sparse: true, Notes: 'x' })
    expect([...errorOf(stale), stale.json.Fault.type]).toEqual([400, '5010', 'ValidationFault'])
    const full = await post('Customer', { Id: '1', SyncToken: '1', DisplayName: 'Amy' })
    expect(full.json.Customer).not.toHaveProperty('GivenName')
    expect(full.json.Customer).toMatchObject({ DisplayName: 'Amy', FullyQualifiedName: 'Amy' })
  })

  test('ignore fields that the vendor computes', async () => {
    const { post } = open()
    const { Customer } = (await post('Customer', { DisplayName: 'Amy', Balance: 7 })).json
    expect(Customer.Balance).toBe(0)
    const { json } = await post('Customer', { ...Customer, Balance: 9, Notes: 'x' })
    expect(json.Customer).toMatchObject({ Balance: 0, Notes: 'x', SyncToken: '1' })
  })
})

test('a write that is repeated under its requestid has one effect', async () => {
  const { post, company } = open()
  const first = await post('Vendor', { DisplayName: 'A' }, '&requestid=r1')
  const again = await post('Vendor', { DisplayName: 'A' }, '&requestid=r1')
  expect(again.json).toEqual(first.json)
  expect(company.list('Vendor')).toHaveLength(1)
  expect(errorOf(await post('Vendor', { DisplayName: 'B' }, '&requestid=r1'))).toEqual([
    400,
    '6000',
  ])
  expect(errorOf(await post('Vendor', { DisplayName: 'A' }, '&requestid=r2'))).toEqual([
    400,
    '6240',
  ])
})

test('names that are made inactive are hidden, renamed and rejected as references', async () => {
  const { post, query, CustomerRef, salesLine } = openWithNames()
  await post('Customer', { Id: '1', SyncToken: '0', sparse: true, Active: false })
  expect(await query('SELECT * FROM Customer')).toEqual({})
  const { Customer } = await query('SELECT * FROM Customer WHERE Active IN (true, false)')
  expect(Customer[0]).toMatchObject({ Active: false, DisplayName: 'Amy (deleted)' })
  const refused = await post('Invoice', { CustomerRef, Line: [salesLine(1, 1, 1)] })
  expect(errorOf(refused)).toEqual([400, '610'])
  expect((await post('Customer', { DisplayName: 'Amy' })).status).toBe(200)
})

describe('writes that the vendor rejects', () => {
  test.each<[string, string, object, string]>([
    ['no line', 'Invoice', { CustomerRef: { value: '1' } }, '2020'],
    ['an unknown customer', 'Invoice', { CustomerRef: { value: '99' }, Line: [] }, '2500'],
    ['a wrong product', 'Invoice', { Line: 'wrong' }, '6070'],
    ['a kind of line of another entity', 'Invoice', { Line: 'expense' }, '6000'],
    ['another currency', 'Invoice', { CurrencyRef: { value: 'EUR' }, Line: 'right' }, '6000'],
    ['no name', 'Customer', { Notes: 'x' }, '2020'],
    ['an unknown account type', 'Account', { Name: 'X', AccountType: 'Nothing' }, '2170'],
    ['an account without a type', 'Account', { Name: 'X' }, '2020'],
    [
      'inventory without a quantity',
      'Item',
      { Name: 'X', Type: 'Inventory', IncomeAccountRef: { value: '7' } },
      '2020',
    ],
    ['an entity that can only be read', 'TaxCode', { Name: 'X' }, '500'],
    ['an unknown operation', 'Customer?operation=merge', { DisplayName: 'X' }, '500'],
    ['a record that does not exist', 'Customer', { Id: '77', SyncToken: '0' }, '610'],
    ['an update without SyncToken', 'Customer', { Id: '1', DisplayName: 'X' }, '2020'],
  ])('%s', async (_what, entity, body, code) => {
    const { send, CustomerRef, salesLine, expenseLine, simulator } = openWithNames()
    const lines = {
      wrong: [salesLine(2, 3, 7)],
      expense: [expenseLine(1)],
      right: [salesLine(1, 1, 1)],
    }
    const { Line } = { Line: undefined, ...body }
    const sent = {
      ...(entity === 'Invoice' && { CustomerRef }),
      ...body,
      ...(typeof Line === 'string' && { Line: new Map(Object.entries(lines)).get(Line) }),
    }
    const reply = await send('POST', `/${entity.toLowerCase()}`, { body: sent })
    expect(reply.json.Fault?.Error[0].code).toBe(code)
    simulator.assertSound()
  })
})

test('a company with several currencies has exchange rates and amounts in its own', () => {
  const simulator = createQuickBooks({ limited: false })
  const company = simulator.addCompany('1', 'Euro', { multiCurrency: true })
  const names = { CurrencyRef: { value: 'EUR' } }
  const vendor = company.create('Vendor', { DisplayName: 'Paul', ...names })
  expect(vendor.CurrencyRef).toEqual({ value: 'EUR', name: 'Euro' })
  const account = { AccountRef: { value: '9' } }
  const type = 'AccountBasedExpenseLineDetail'
  const Line = [{ Amount: 10.01, DetailType: type, [type]: account }]
  const VendorRef = { value: String(vendor.Id) }
  const bill = company.create('Bill', { VendorRef, Line, ExchangeRate: 1.5 })
  expect(bill).toMatchObject({ ...names, ExchangeRate: 1.5, TotalAmt: 10.01, HomeBalance: 15.02 })
  const home = { value: String(company.create('Vendor', { DisplayName: 'Home' }).Id) }
  expect(company.create('Bill', { VendorRef: home, Line })).toMatchObject({ ExchangeRate: 1 })
  expect(() => company.create('Bill', { VendorRef: home, Line, ...names })).toThrow('currency')
})

test('company information and preferences are read', async () => {
  const { send } = open()
  expect((await send('GET', `/companyinfo/${REALM}`)).json.CompanyInfo).toMatchObject({
    CompanyName: 'Acme',
    Country: 'USA',
  })
  expect((await send('GET', '/preferences')).json.Preferences.CurrencyPrefs).toEqual({
    MultiCurrencyEnabled: false,
    HomeCurrency: { value: 'USD' },
  })
})
