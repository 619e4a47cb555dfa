/** Failures, rejected writes, the feed, webhooks and the company. */
import { connector } from '../../../src/connectors/quickbooks/manifest.ts'
import type { FeedPosition } from '../../../src/definition/feed.ts'
import type { Fields } from './harness.ts'
import { type QuickBooksCase, seed, times } from './records.ts'

const failures: readonly QuickBooksCase[] = [
  {
    name: 'the failures of the API and of the gateway before it',
    run: async (_, { received }) => {
      const read = (status: number, body: object) =>
        connector.readFailure(
          { status, headers: {}, body: received(body) },
          { method: 'POST', path: '/invoice?requestid=1' },
        )
      const message = 'message=AuthenticationFailed'
      const detail = 'Token expired'
      const wrong = { Message: 'Stale Object Error', Detail: 'Not saved', code: '5010' }
      const refused = { Message: 'Invalid Enumeration', code: '2170', element: 'GlobalTax' }
      return [
        read(401, { fault: { error: [{ message, detail, code: '120' }], type: 'AUTHENTICATION' } }),
        read(400, { Fault: { Error: [wrong], type: 'ValidationFault' } }),
        read(400, { Fault: { Error: [refused], type: 'ValidationFault' } }),
      ]
    },
    expected: [
      { kind: 'authentication', reason: 'message=AuthenticationFailed: Token expired' },
      { kind: 'conflict', reason: 'Stale Object Error: Not saved' },
      { kind: 'refused', reason: 'Invalid Enumeration', field: 'GlobalTax' },
    ],
  },
]

/** Writes that QuickBooks rejects, each with the app's name of the invalid field. */
const refusals: readonly QuickBooksCase[] = (
  [
    ['customers', { customerName: 'Amy' }, 'customerName'],
    ['items', { itemName: 'Hours', itemType: 'SERVICE', invoiceAccountId: '7' }, 'itemName'],
    ['items', { itemName: 'x', itemType: 'SERVICE', invoiceAccountId: '99' }, 'invoiceAccountId'],
    ['items', { itemName: 'x', itemType: 'SERVICE' }, 'invoiceAccountId'],
    [
      'accounts',
      { accountName: 'x', accountType: 'BANK', parentAccountId: '99' },
      'parentAccountId',
    ],
    [
      'invoices',
      { customerId: '99', lineItems: [{ accountingItemId: '1', totalAmount: 1 }] },
      'customerId',
    ],
    [
      'invoices',
      { customerId: '1', lineItems: [{ accountingItemId: '9', totalAmount: 1 }] },
      'lineItems',
    ],
    ['bills', { vendorId: '1', lineItems: [{ accountId: '99', totalAmount: 1 }] }, 'lineItems'],
    ['bills', { vendorId: '1', lineItems: [] }, 'lineItems'],
    ['payments', { customerId: '1', accountId: '99', totalAmount: '1' }, 'accountId'],
    ['payments', { vendorId: '1', accountId: '99', totalAmount: '1' }, 'accountId'],
    [
      'accounts',
      { accountName: 'x', accountType: 'BANK', parentAccountId: null },
      'parentAccountId',
    ],
  ] satisfies readonly (readonly [string, Fields, string])[]
).map(([plural, fields, field], index) => ({
  name: `a refused one of ${plural} at ${field} (${index})`,
  run: async (harness) => {
    seed(harness)
    // A payment to a vendor without lines would be rejected for the missing lines.
    return harness.refusedField(plural, fields, plural === 'payments' ? { Line: [] } : {})
  },
  expected: field,
}))

const FEED_TIME = '2026-11-23T16:00:00.000Z'

const feeds: readonly QuickBooksCase[] = [
  {
    name: 'the feed of changes and deletions',
    run: async (harness) => {
      const { company, sendRequest } = harness
      seed(harness)
      const { Id = '' } = company.create('Payment', { CustomerRef: { value: '1' }, TotalAmt: 3 })
      company.create('PurchaseOrder', {
        VendorRef: { value: '1' },
        Line: [
          {
            Amount: 8,
            DetailType: 'AccountBasedExpenseLineDetail',
            AccountBasedExpenseLineDetail: { AccountRef: { value: '9' } },
          },
        ],
      })
      company.delete('Payment', String(Id))
      company.update('CompanyInfo', '1', { CompanyName: 'Acme Lamps' })
      const feed = connector.feeds?.changes
      if (!feed) throw new Error('The connector has no feed.')
      const positions: readonly FeedPosition[] = [undefined, FEED_TIME].map((token) => ({
        token,
        cursor: undefined,
      }))
      const pages: unknown[] = []
      for (const position of positions) {
        const page = feed.read(await sendRequest(feed.request(position)), position)
        const { changes } = page
        const listed = changes.map(({ topic, remoteId, kind }) => `${kind} ${topic} ${remoteId}`)
        pages.push({ token: page.token, changes: listed })
      }
      return pages
    },
    expected: [
      { token: '2026-11-23T16:59:00.000Z', changes: [] },
      {
        token: '2026-11-23T16:59:00.000Z',
        changes: [
          ...Array.from({ length: 9 }, (_, index) => `changed accounting/accounts ${index + 1}`),
          'changed accounting/companyInfo 1',
          'changed accounting/customers 1',
          'changed accounting/items 1',
          'deleted accounting/payments Payment-1',
          'changed accounting/purchaseOrders 2',
          'changed accounting/trackingCategories Class-1',
          'changed accounting/trackingCategories Class-2',
          'changed accounting/trackingCategories Department-1',
          'changed accounting/vendors 1',
        ],
      },
    ],
  },
  {
    name: 'the webhooks in both forms',
    run: async (_, { received }) => {
      const readEvents = (body: unknown) =>
        (connector.webhooks?.events({ headers: {}, body: received(body) }) ?? []).map(
          ({ topic, remoteId, kind, company, id }) =>
            `${id}: ${kind} ${topic} ${remoteId} of ${company}`,
        )
      const event = { intuitentityid: '123', intuitaccountid: '310687' }
      const entities = [
        {
          name: 'Vendor',
          id: '5',
          operation: 'Merge',
          deletedId: '4',
          lastUpdated: '2026-03-02T09:30:00Z',
        },
        { name: 'BillPayment', id: '6', operation: 'Delete' },
      ]
      return [
        ...readEvents([
          { id: 'a', type: 'qbo.customer.merged.v1', ...event, data: { deletedid: '27' } },
          { id: 'b', type: 'qbo.bill.deleted.v1', ...event },
        ]),
        ...readEvents({
          eventNotifications: [{ realmId: '310687', dataChangeEvent: { entities } }],
        }),
      ]
    },
    expected: [
      'a changed: changed accounting/customers 123 of 310687',
      'a deleted: deleted accounting/customers 27 of 310687',
      'b deleted: deleted accounting/bills 123 of 310687',
      '310687 Vendor 5 Merge 2026-03-02T09:30:00Z changed: changed accounting/vendors 5 of 310687',
      '310687 Vendor 5 Merge 2026-03-02T09:30:00Z deleted: deleted accounting/vendors 4 of 310687',
      '310687 BillPayment 6 Delete  deleted: deleted accounting/payments BillPayment-6 of 310687',
    ],
  },
  {
    name: 'the company, its context and its name',
    run: async (harness) => {
      const { company, sendRequest, readContext, list } = harness
      company.update('CompanyInfo', '1', {
        LegalName: 'Acme Ltd',
        EmployerId: '91-123',
        FiscalYearStartMonth: 'March',
        WebAddr: { URI: 'https://acme.example' },
        PrimaryPhone: { FreeFormNumber: '555' },
      })
      return {
        account: connector.readAccountName?.(await sendRequest(connector.check)),
        context: await readContext(),
        listed: await list('companyInfo'),
      }
    },
    expected: {
      account: 'Acme',
      context: { companyId: '1', currency: 'USD', isMultiCurrency: true },
      listed: [
        {
          remoteId: '1',
          companyName: 'Acme',
          companyLegalName: 'Acme Ltd',
          taxNumber: '91-123',
          fiscalYearEndMonth: 2,
          fiscalYearEndDay: 28,
          currency: 'USD',
          companyUrls: ['https://acme.example'],
          companyAddresses: [
            {
              addressType: 'Billing',
              street1: '123 Sierra Way',
              street2: null,
              city: 'San Pablo',
              state: 'CA',
              countrySubdivision: 'CA',
              country: 'US',
              zipCode: '87999',
            },
          ],
          companyPhoneNumbers: [{ phoneNumberType: 'Primary', phoneNumber: '555' }],
          ...times,
        },
      ],
    },
  },
]

export const responses: readonly QuickBooksCase[] = [...failures, ...refusals, ...feeds]
