/** The QuickBooks connector without QuickBooks: the requests of writes. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/quickbooks/manifest.ts'
import type {
  AppRequest,
  AppResponse,
  Json,
  ResourceWriter,
  StoredRecord,
} from '../../src/definition/connector.ts'
import { ATTEMPT, runSteps } from '../support/steps.ts'
import { findResource, home, invoice, lineOf, multi, okResponse } from './quickbooks/fixtures.ts'

type Fields = Readonly<Record<string, Json>>

const writerOf = (name: string): ResourceWriter => {
  const { write } = findResource(name)
  if (!write) throw new Error(`${name} cannot be written`)
  return write
}

/** The requests of steps whose responses are these records. */
const listWriteRequests = async (
  steps: Generator<AppRequest, unknown, AppResponse>,
  entity: string,
) => {
  const requests: AppRequest[] = []
  await runSteps(connector, steps, async (request) => {
    requests.push(request)
    return okResponse({ [entity]: { Id: '130', SyncToken: '3' } })
  })
  return requests.map((request) => [lineOf(request), request.body])
}

const create = (name: string, entity: string, fields: Fields, context: object = home) => {
  const { create: write } = writerOf(name)
  if (!write) throw new Error(`no create of ${name}`)
  return listWriteRequests(
    write.steps({ fields, remoteFields: {} }, { ...ATTEMPT, context }),
    entity,
  )
}

const storedRecord = (remoteId: string, remoteFields: object): StoredRecord => ({
  remoteId,
  record: { remoteFields },
})

const update = (name: string, entity: string, record: StoredRecord, fields: Fields) => {
  const { update: write } = writerOf(name)
  if (!write) throw new Error(`no update of ${name}`)
  const attempt = { ...ATTEMPT, context: home }
  return listWriteRequests(write.steps({ fields, remoteFields: {} }, record, attempt), entity)
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
    const record = storedRecord('24', { SyncToken: '4' })
    expect(await update('customers', 'Customer', record, { email: null })).toEqual([
      [
        `POST /customer ${requestid}`,
        { Id: '24', SyncToken: '4', sparse: true, PrimaryEmailAddr: { Address: '' } },
      ],
    ])
    expect(writerOf('customers').update?.guard).toBe('version')
  })

  test('repeats what QuickBooks requires of each update', async () => {
    const bill = storedRecord('130', { SyncToken: '1', VendorRef: { value: '3', name: 'Bob' } })
    const [[, body] = []] = await update('bills', 'Bill', bill, { memo: 'late' })
    expect(body).toEqual({
      Id: '130',
      SyncToken: '1',
      sparse: true,
      VendorRef: { value: '3', name: 'Bob' },
      PrivateNote: 'late',
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
    const steps = remove?.steps(storedRecord('130', { SyncToken: '2' }), ATTEMPT)
    expect(
      await listWriteRequests(steps as Generator<AppRequest, unknown, AppResponse>, 'None'),
    ).toEqual([
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
    const [[, body] = []] = await update('invoices', 'Invoice', storedRecord('130', invoice), {
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
  ])('of %s rejects a wrong %s', async (name, field, fields, reason) => {
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
