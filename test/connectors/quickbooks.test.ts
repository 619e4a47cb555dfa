/** The QuickBooks connector without QuickBooks: requests, mappings, failures and events. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/quickbooks/manifest.ts'
import type {
  AppRequest,
  AppResponse,
  Json,
  ResourceWriter,
  StoredRecord,
} from '../../src/definition/connector.ts'
import { unifiedField } from '../../src/definition/mapping/write.ts'
import { createMapper } from '../../src/definition/mapping.ts'
import { ATTEMPT, runSteps } from '../support/steps.ts'

const ok = (body: unknown): AppResponse => ({ status: 200, headers: {}, body })

const resource = (name: string) => {
  const found = connector.resources[`accounting/${name}`]
  if (!found) throw new Error(`no ${name}`)
  return found
}

const home = { companyId: '1', currency: 'USD', isMultiCurrency: false }
const multi = { ...home, isMultiCurrency: true }

/** The path and the parameters of a request. */
const lineOf = ({ method, path }: AppRequest): string => {
  const { pathname, searchParams } = new URL(path, 'http://quickbooks.example')
  const rest = [...searchParams].map(([name, value]) => `${name}=${value}`)
  return [`${method} ${pathname}`, ...rest].join(' ')
}

const pageOf = (name: string, entity: string, records: readonly object[], since?: string) => {
  const { listRequest, readList } = resource(name)
  const position = { since, cursor: undefined, context: home }
  const response = ok({ QueryResponse: { [entity]: records }, time: '2026-03-02T09:30:00-08:00' })
  return { line: lineOf(listRequest(position)), page: readList(response, position) }
}

const rowOf = (name: string, raw: object, context: object = home) => {
  const { row, problems } = createMapper(resource(name).mapping)(raw, 'c', { context })
  expect(problems).toEqual([])
  return row
}

test('the context is the home currency, and whether there are others', async () => {
  const bodies: Readonly<Record<string, object>> = {
    CompanyInfo: { Id: '1', CompanyName: 'Acme' },
    Preferences: {
      CurrencyPrefs: { MultiCurrencyEnabled: true, HomeCurrency: { value: 'CAD' } },
    },
  }
  const steps = connector.context?.read()
  if (!steps) throw new Error('no context')
  const context = await runSteps(connector, steps, async ({ path }) => {
    if (path === '/preferences') return ok({ Preferences: bodies.Preferences })
    return ok({ QueryResponse: { CompanyInfo: [bodies.CompanyInfo] } })
  })
  expect(context).toEqual({ companyId: '1', currency: 'CAD', isMultiCurrency: true })
})

describe('a listing', () => {
  test.each([
    ['customers', 'SELECT * FROM Customer WHERE Active IN (true, false)'],
    ['bills', 'SELECT * FROM Bill'],
    ['payments', 'SELECT * FROM Payment'],
    ['trackingCategories', 'SELECT * FROM Class WHERE Active IN (true, false)'],
  ])('of %s reads 1,000 records by id, and inactive ones', (name, statement) => {
    expect(pageOf(name, 'None', []).line).toBe(
      `GET /query query=${statement} ORDERBY Id STARTPOSITION 1 MAXRESULTS 1000`,
    )
  })

  test('of changes starts at a time', () => {
    expect(pageOf('vendors', 'Vendor', [], '2026-03-02T09:30:00.000Z').line).toBe(
      "GET /query query=SELECT * FROM Vendor WHERE MetaData.LastUpdatedTime >= '2026-03-02T09:30:00.000Z' AND Active IN (true, false) ORDERBY Id STARTPOSITION 1 MAXRESULTS 1000",
    )
  })

  test('continues after a full page, starting with its last record', () => {
    const records = Array.from({ length: 1000 }, (_, index) => ({ Id: String(index + 1) }))
    const { page } = pageOf('bills', 'Bill', records)
    const next = resource('bills').listRequest({ since: undefined, cursor: page.next })
    expect(lineOf(next)).toContain('STARTPOSITION 1000 MAXRESULTS 1000')
    expect(pageOf('bills', 'Bill', records.slice(1)).page.next).toBeUndefined()
  })

  test('of payments continues with those to vendors, and names the entity of each', () => {
    const { page } = pageOf('payments', 'Payment', [{ Id: '7' }])
    expect(page.records).toEqual([{ Id: '7', EntityType: 'Payment' }])
    const next = resource('payments').listRequest({ since: undefined, cursor: page.next })
    expect(lineOf(next)).toContain('SELECT * FROM BillPayment')
  })

  test('of items leaves out categories', () => {
    const records = [
      { Id: '1', Type: 'Category' },
      { Id: '2', Type: 'Service' },
    ]
    expect(pageOf('items', 'Item', records).page.records).toEqual([records[1]])
  })

  test('fails for a response without a result', () => {
    const { readList } = resource('bills')
    expect(() => readList(ok({}), { since: undefined, cursor: undefined })).toThrow('QueryResponse')
  })
})

test('records are read by their ids, whose quotes are escaped', () => {
  const { readMany } = resource('vendors')
  expect(readMany && lineOf(readMany.request(['1', "2'"]))).toBe(
    "GET /query query=SELECT * FROM Vendor WHERE Id IN ('1', '2\\'') AND Active IN (true, false) MAXRESULTS 100",
  )
})

const times = {
  MetaData: {
    CreateTime: '2026-03-01T01:00:00-08:00',
    LastUpdatedTime: '2026-03-02T01:30:00-08:00',
  },
}

const invoice = {
  ...times,
  Id: '130',
  SyncToken: '2',
  DocNumber: '1037',
  TxnDate: '2026-03-01',
  DueDate: '2026-03-31',
  CustomerRef: { value: '24', name: 'Amy' },
  CurrencyRef: { value: 'EUR' },
  ExchangeRate: 1.1234,
  ClassRef: { value: '5' },
  Line: [
    {
      Id: '1',
      LineNum: 1,
      Description: 'Rocks',
      Amount: 275.5,
      DetailType: 'SalesItemLineDetail',
      SalesItemLineDetail: {
        ItemRef: { value: '5' },
        ItemAccountRef: { value: '79' },
        UnitPrice: 137.75,
        Qty: 2,
        TaxCodeRef: { value: 'TAX' },
        ClassRef: { value: '9' },
      },
    },
    { Amount: 275.5, DetailType: 'SubTotalLineDetail', SubTotalLineDetail: {} },
    {
      Amount: 10,
      DetailType: 'DiscountLineDetail',
      DiscountLineDetail: { PercentBased: false },
    },
  ],
  TxnTaxDetail: { TotalTax: 21.24 },
  TotalAmt: 286.74,
  Balance: 100,
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
    const made = {
      Id: '5',
      EntityType: 'BillPayment',
      PayType: 'CreditCard',
      VendorRef: { value: '3' },
      CreditCardPayment: { CCAccountRef: { value: '41' } },
      TotalAmt: 12.5,
    }
    const row = rowOf('payments', made)
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

type Fields = Readonly<Record<string, Json>>

const writerOf = (name: string): ResourceWriter => {
  const { write } = resource(name)
  if (!write) throw new Error(`${name} cannot be written`)
  return write
}

/** The requests of steps whose responses are these records. */
const sent = async (steps: Generator<AppRequest, unknown, AppResponse>, entity: string) => {
  const requests: AppRequest[] = []
  await runSteps(connector, steps, async (request) => {
    requests.push(request)
    return ok({ [entity]: { Id: '130', SyncToken: '3' } })
  })
  return requests.map((request) => [lineOf(request), request.body])
}

const create = (name: string, entity: string, fields: Fields, context: object = home) => {
  const { create: write } = writerOf(name)
  if (!write) throw new Error(`no create of ${name}`)
  return sent(write.steps({ fields, remoteFields: {} }, { ...ATTEMPT, context }), entity)
}

const stored = (remoteId: string, remoteFields: object): StoredRecord => ({
  remoteId,
  record: { remoteFields },
})

const update = (name: string, entity: string, record: StoredRecord, fields: Fields) => {
  const { update: write } = writerOf(name)
  if (!write) throw new Error(`no update of ${name}`)
  const attempt = { ...ATTEMPT, context: home }
  return sent(write.steps({ fields, remoteFields: {} }, record, attempt), entity)
}

const requestid = `requestid=${ATTEMPT.key}`

describe('a write', () => {
  test('creates a vendor once, by its request id of at most 50 characters', async () => {
    expect(ATTEMPT.key.length).toBeLessThanOrEqual(50)
    expect(await create('vendors', 'Vendor', { vendorName: 'Bob', email: 'b@x.example' })).toEqual([
      [
        `POST /vendor ${requestid}`,
        { DisplayName: 'Bob', PrimaryEmailAddr: { Address: 'b@x.example' } },
      ],
    ])
  })

  test('updates only what it names, of the version that is stored', async () => {
    const record = stored('24', { SyncToken: '4' })
    expect(await update('customers', 'Customer', record, { email: null })).toEqual([
      [
        `POST /customer ${requestid}`,
        { Id: '24', SyncToken: '4', sparse: true, PrimaryEmailAddr: { Address: '' } },
      ],
    ])
    expect(writerOf('customers').update?.guard).toBe('version')
  })

  test('repeats what QuickBooks requires of each update', async () => {
    const bill = stored('130', { SyncToken: '1', VendorRef: { value: '3', name: 'Bob' } })
    const [[, body] = []] = await update('bills', 'Bill', bill, { memo: 'late' })
    expect(body).toEqual({
      ...{ Id: '130', SyncToken: '1', sparse: true },
      ...{ VendorRef: { value: '3', name: 'Bob' }, PrivateNote: 'late' },
    })
    const account = {
      remoteId: '7',
      record: { accountName: 'Cash', remoteFields: { SyncToken: '2' } },
    }
    const [[, named] = []] = await update('accounts', 'Account', account, { accountNumber: '9' })
    expect(named).toMatchObject({ Name: 'Cash', AcctNum: '9' })
  })

  test.each([
    ['invoices', 'operation=delete ', {}],
    ['customers', '', { sparse: true, Active: false }],
  ])('deletes %s', async (name, operation, body) => {
    const remove = writerOf(name).delete
    const steps = remove?.steps(stored('130', { SyncToken: '2' }), ATTEMPT)
    expect(await sent(steps as Generator<AppRequest, unknown, AppResponse>, 'None')).toEqual([
      [
        `POST /${name.slice(0, -1)} ${operation}${requestid}`,
        { Id: '130', SyncToken: '2', ...body },
      ],
    ])
  })

  test('of a line computes its amount exactly', async () => {
    const lineItems = [{ accountingItemId: '5', unitPrice: 0.1, quantity: 3, description: 'Nails' }]
    const [[, body] = []] = await create('invoices', 'Invoice', { customerId: '24', lineItems })
    expect(body).toEqual({
      CustomerRef: { value: '24' },
      Line: [
        {
          Description: 'Nails',
          DetailType: 'SalesItemLineDetail',
          Amount: 0.3,
          SalesItemLineDetail: { ItemRef: { value: '5' }, UnitPrice: 0.1, Qty: 3 },
        },
      ],
    })
  })

  test('of lines keeps what the caller omits, and lines that are not shown but the subtotal', async () => {
    const lineItems = [{ accountingItemId: '5', description: 'Rocks', quantity: 3 }]
    const [[, body] = []] = await update('invoices', 'Invoice', stored('130', invoice), {
      lineItems,
    })
    expect(body).toMatchObject({
      Line: [
        {
          Id: '1',
          Amount: 413.25,
          SalesItemLineDetail: { Qty: 3, UnitPrice: 137.75, TaxCodeRef: { value: 'TAX' } },
        },
        { DetailType: 'DiscountLineDetail' },
      ],
    })
  })

  test('of an account line of a bill has no item', async () => {
    const lineItems = [{ accountId: '7', totalAmount: 12.5, trackingCategoryIds: ['Class-9'] }]
    const [[, body] = []] = await create('bills', 'Bill', { vendorId: '3', lineItems })
    expect(body).toMatchObject({
      Line: [
        {
          DetailType: 'AccountBasedExpenseLineDetail',
          Amount: 12.5,
          AccountBasedExpenseLineDetail: {
            AccountRef: { value: '7' },
            ClassRef: { value: '9' },
          },
        },
      ],
    })
  })

  test.each<[string, string, Fields, string]>([
    ['bills', 'lineItems[0]', { vendorId: '3', lineItems: [{ totalAmount: 1 }] }, 'either an item'],
    [
      'invoices',
      'lineItems[0]',
      { customerId: '1', lineItems: [{ accountingItemId: '5', unitPrice: 0.333, quantity: 1 }] },
      'decimals',
    ],
    ['payments', 'customerId', { totalAmount: '1' }, 'either a customer or a vendor'],
    ['vendors', 'currency', { vendorName: 'Bob', currency: 'EUR' }, 'only one currency'],
    [
      'bills',
      'trackingCategoryIds',
      { vendorId: '3', lineItems: [], trackingCategoryIds: ['Class-1'] },
      'one department',
    ],
  ])('of %s refuses a wrong %s', async (name, field, fields, reason) => {
    await expect(create(name, 'None', fields)).rejects.toMatchObject({
      field,
      reason: expect.stringContaining(reason),
    })
  })

  test('of a payment to a vendor is made from a bank account', async () => {
    const fields = { vendorId: '3', accountId: '35', totalAmount: '12.50' }
    expect(await create('payments', 'BillPayment', fields)).toEqual([
      [
        `POST /billpayment ${requestid}`,
        {
          VendorRef: { value: '3' },
          PayType: 'Check',
          CheckPayment: { BankAccountRef: { value: '35' } },
          TotalAmt: 12.5,
        },
      ],
    ])
  })

  test('of a payment changes what it pays', () => {
    const LinkedTxn = [
      { TxnId: '8', TxnType: 'Bill' },
      { TxnId: '9', TxnType: 'JournalEntry' },
    ]
    expect(writerOf('payments').sideEffects?.({ Line: [{ Amount: 1, LinkedTxn }] })).toEqual([
      { topic: 'accounting/bills', remoteId: '8' },
    ])
  })

  test('in another currency needs a company with several', async () => {
    const fields = { customerName: 'Amy', currency: 'EUR' }
    const [[, body] = []] = await create('customers', 'Customer', fields, multi)
    expect(body).toEqual({ DisplayName: 'Amy', CurrencyRef: { value: 'EUR' } })
  })
})

describe('the feed', () => {
  const feed = connector.feeds?.changes
  const position = { token: '2026-03-02T09:00:00.000Z', cursor: undefined }
  const read = (results: readonly object[]) =>
    feed?.read(
      ok({
        CDCResponse: [{ QueryResponse: results }],
        time: '2026-03-02T01:30:00.500-08:00',
      }),
      position,
    )

  test('starts at the time of the app', () => {
    const start = { token: undefined, cursor: undefined }
    expect(feed && lineOf(feed.request(start))).toContain('SELECT * FROM CompanyInfo')
    const page = feed?.read(ok({ QueryResponse: {}, time: '2026-03-02T01:30:00-08:00' }), start)
    expect(page).toEqual({ changes: [], next: undefined, token: '2026-03-02T09:29:00.000Z' })
  })

  test('requests the changes of all entities but tax rates at once', () => {
    expect(feed && lineOf(feed.request(position))).toBe(
      'GET /cdc entities=Account,Bill,CompanyInfo,Customer,Invoice,Item,Payment,BillPayment,PurchaseOrder,Class,Department,Vendor changedSince=2026-03-02T09:00:00.000Z',
    )
  })

  test('reads changed and deleted records', () => {
    const page = read([
      {
        Invoice: [
          { Id: '1', SyncToken: '0' },
          { Id: '2', status: 'Deleted' },
        ],
      },
      {},
      { BillPayment: [{ Id: '3' }] },
    ])
    expect(page).toMatchObject({ token: '2026-03-02T09:29:00.500Z', incomplete: [] })
    expect(page?.changes).toEqual([
      {
        topic: 'accounting/invoices',
        remoteId: '1',
        kind: 'changed',
        record: { Id: '1', SyncToken: '0' },
      },
      { topic: 'accounting/invoices', remoteId: '2', kind: 'deleted' },
      {
        topic: 'accounting/payments',
        remoteId: 'BillPayment-3',
        kind: 'changed',
        record: { Id: '3', EntityType: 'BillPayment' },
      },
    ])
  })

  test('fails if it leaves out an entity', () => {
    expect(() => read([{ Fault: { Error: [] } }])).toThrow('leaves out')
  })

  test('with 1,000 objects shows only a part of the changes of every resource', () => {
    const Bill = Array.from({ length: 1000 }, (_, index) => ({ Id: String(index) }))
    expect(read([{ Bill }])?.incomplete).toEqual(feed?.topics)
  })
})

describe('a failure', () => {
  const failure = (status: number, error: object, path = '/invoice?requestid=1', headers = {}) =>
    connector.readFailure(
      { status, headers, body: { Fault: { Error: [error], type: 'ValidationFault' } } },
      { method: 'POST', path },
    )

  test.each([
    [400, '5010', 'Stale Object Error', 'conflict'],
    [400, '610', 'Object Not Found', 'absent'],
    [400, '610', "Something you're trying to use has been made inactive", 'refused'],
    [401, '3200', 'message=AuthenticationFailed', 'authentication'],
    [403, '3100', 'ApplicationAuthorizationFailed', 'authentication'],
    [403, '5020', 'You do not have permission to access this feature', 'refused'],
    [400, '6000', 'A business validation error has occurred', 'refused'],
  ])('%i with the code %s (%s) is %s', (status, code, Message, kind) => {
    expect(failure(status, { code, Message })).toMatchObject({ kind })
  })

  test('of a limit lasts a minute unless the response says how long', () => {
    const error = { code: '003001', Message: 'ThrottleExceeded' }
    expect(failure(429, error)).toMatchObject({ kind: 'rate-limited', retryAfterMs: 60_000 })
    expect(failure(429, error, '/bill', { 'retry-after': '5' })).not.toHaveProperty('retryAfterMs')
  })

  test('of a token that is too old lists everything again', () => {
    const Detail =
      'Operation cdc with changedSince date which is older than fixed days is not supported.'
    expect(failure(400, { code: '500', Detail }, '/cdc?entities=Bill')).toMatchObject({
      kind: 'expired',
    })
  })

  test.each([
    ['invoices', '/invoice', { code: '2500', element: 'CustomerRef' }, 'customerId'],
    [
      'invoices',
      '/invoice',
      { code: '2020', Detail: 'Required parameter Line is missing in the request' },
      'lineItems',
    ],
    ['customers', '/customer', { code: '6240', element: '' }, 'customerName'],
    ['items', '/item', { code: '6240' }, 'itemName'],
    ['vendors', '/vendor', { code: '2050', element: 'PrimaryEmailAddr.Address' }, 'email'],
  ])('of %s at %s with %o is at %s', (name, path, error, field) => {
    const found = failure(400, error, path)
    expect(unifiedField(resource(name).mapping, found?.field ?? '')).toBe(field)
  })

  test('of the server has its usual meaning', () => {
    expect(failure(500, { code: '10000', Message: 'An application error' })).toBeUndefined()
  })
})

describe('a webhook', () => {
  const events = (body: unknown) => connector.webhooks?.events({ headers: {}, body })
  const cloudEvent = (type: string, id: string, others = {}) => ({
    ...{ specversion: '1.0', id: `${type}-${id}`, source: 'intuit.x', type },
    ...{ time: '2026-03-02T09:30:00Z', intuitentityid: id, intuitaccountid: '310687', ...others },
  })

  test('names the records of several companies', () => {
    const body = [
      cloudEvent('qbo.invoice.created.v1', '95'),
      cloudEvent('qbo.billpayment.deleted.v1', '7', { intuitaccountid: '999' }),
      cloudEvent('qbo.employee.created.v1', '1'),
    ]
    expect(events(body)).toMatchObject([
      { topic: 'accounting/invoices', remoteId: '95', kind: 'changed', company: '310687' },
      { topic: 'accounting/payments', remoteId: 'BillPayment-7', kind: 'deleted', company: '999' },
    ])
  })

  test.each([
    ['CloudEvents', [cloudEvent('qbo.customer.merged.v1', '123', { data: { deletedid: '27' } })]],
    [
      'notifications',
      {
        eventNotifications: [
          {
            realmId: '310687',
            dataChangeEvent: {
              entities: [{ name: 'Customer', id: '123', operation: 'Merge', deletedId: '27' }],
            },
          },
        ],
      },
    ],
  ])('of a merge deletes the record that the other contains (%s)', (_, body) => {
    const found = events(body)
    expect(found).toMatchObject([
      { remoteId: '123', kind: 'changed', company: '310687' },
      { remoteId: '27', kind: 'deleted', company: '310687' },
    ])
    expect(new Set(found?.map(({ id }) => id)).size).toBe(2)
  })

  test('of another form is rejected', () => {
    expect(() => events({ hello: 1 })).toThrow('no events')
  })
})
