/** Records as listings show them: recorded ones, voided and merged ones, and the ids of each list. */

import { referenceTo } from './harness.ts'
import { companyId, EUR, type QuickBooksCase, seed, shownAccountLine } from './records.ts'

const EFFECTIVE = [{ RateValue: 7, EndDate: '2025-12-31T00:00:00-08:00' }, { RateValue: 8 }]

/** Records that the simulator cannot create, in the form that the vendor documents. */
const recorded: readonly (readonly [plural: string, raw: object, expected: object])[] = [
  [
    'taxRates',
    {
      Id: '1',
      Name: 'State',
      Description: 'of the state',
      RateValue: 9,
      EffectiveTaxRate: EFFECTIVE,
    },
    { description: 'State', totalTaxRate: '9', effectiveTaxRate: '8' },
  ],
  [
    'taxRates',
    { Id: '1', Description: 'of the state', RateValue: 9 },
    { description: 'of the state', totalTaxRate: '9', effectiveTaxRate: '9' },
  ],
  [
    'trackingCategories',
    { Id: '1', EntityType: 'Department', Name: 'Shop', Active: false, ParentRef: { value: '2' } },
    {
      trackingCategoryName: 'Shop',
      trackingCategoryStatus: 'Inactive',
      trackingCategoryType: 'Department',
      parentCategoryId: referenceTo('trackingCategories', 'Department-2'),
    },
  ],
  [
    'invoices',
    {
      Id: '1',
      TotalAmt: 0,
      Balance: 0,
      PrivateNote: 'Voided',
      Line: [
        {
          DetailType: 'SalesItemLineDetail',
          SalesItemLineDetail: { ItemAccountRef: { value: '7' } },
        },
      ],
    },
    {
      invoiceStatus: 'Voided',
      invoiceState: 'VOID',
      memo: 'Voided',
      totalAmount: '0',
      balance: '0',
      lineItems: [
        {
          ...shownAccountLine,
          description: null,
          accountId: referenceTo('accounts', '7'),
          totalAmount: null,
          exchangeRate: null,
          companyId,
          currency: 'USD',
        },
      ],
    },
  ],
  [
    'invoices',
    { Id: '1', TotalAmt: 5, Balance: 2, invoiceStatus: 'PAYMENT_FAILED' },
    {
      invoiceStatus: 'PAYMENT_FAILED',
      invoiceState: 'PARTIALLY_PAID',
      totalAmount: '5',
      balance: '2',
    },
  ],
  [
    'companyInfo',
    { Id: '1', CompanyURL: { URI: 'https://acme.example' } },
    { companyUrls: ['https://acme.example'], currency: 'USD' },
  ],
  [
    'bills',
    {
      Id: '1',
      TotalAmt: 0.3,
      Balance: 0,
      TxnTaxDetail: { TotalTax: 0.1 },
      LinkedTxn: [
        { TxnId: '8', TxnType: 'PurchaseOrder' },
        { TxnId: '9', TxnType: 'BillPaymentCheck' },
      ],
      Line: [{ LinkedTxn: [{ TxnId: '7', TxnType: 'PurchaseOrder' }] }],
    },
    {
      billStatus: 'Paid',
      billState: 'PAID',
      subTotal: '0.2',
      totalTaxAmount: '0.1',
      totalAmount: '0.3',
      balance: '0',
      purchaseOrderIds: [referenceTo('purchaseOrders', '8'), referenceTo('purchaseOrders', '7')],
    },
  ],
]

const mapped = recorded.map(
  ([plural, raw, expected], index): QuickBooksCase => ({
    name: `a recorded one of ${plural} (${index})`,
    run: async (harness, { received }) => {
      const { remoteId: _, companyId: __, ...rest } = await harness.map(plural, received(raw))
      return rest
    },
    expected: {
      ...(plural === 'invoices' || plural === 'bills' ? { currency: 'USD' } : {}),
      ...expected,
    },
  }),
)

const ended: readonly QuickBooksCase[] = [
  {
    name: 'a voided invoice and a merged customer',
    run: async (harness) => {
      seed(harness)
      const { company, create, list } = harness
      company.create('Customer', { DisplayName: 'Amy again', ...EUR })
      const lineItems = [{ accountingItemId: '1', unitPrice: 0.1, quantity: 3 }]
      for (const customerId of ['1', '2']) await create('invoices', { customerId, lineItems })
      company.void('Invoice', '1')
      company.merge('Customer', '2', '1')
      const invoices = await list('invoices')
      return {
        invoices: invoices.map(({ invoiceStatus, totalAmount, customerId }) => [
          invoiceStatus,
          totalAmount,
          customerId,
        ]),
        customers: (await list('customers')).map(({ remoteId }) => remoteId),
      }
    },
    expected: {
      invoices: [
        ['Voided', '0', referenceTo('customers', '1')],
        ['Open', '0.3', referenceTo('customers', '1')],
      ],
      customers: ['1'],
    },
  },
]

/** The ids that each resource lists: in a full listing, and in a listing of the changes since a time. */
const lists: readonly QuickBooksCase[] = (
  [
    ['accounts', ['1', '2', '3', '4', '5', '6', '7', '8', '9']],
    ['bills', []],
    ['customers', ['1']],
    ['invoices', []],
    ['items', ['1']],
    ['payments', ['Payment-1']],
    ['purchaseOrders', []],
    ['taxRates', ['1']],
    ['trackingCategories', ['Class-1', 'Class-2', 'Department-1']],
    ['vendors', ['1']],
  ] as const
).map(([plural, ids]) => ({
  name: `the lists of ${plural}`,
  run: async (harness) => {
    seed(harness)
    const IncomeAccountRef = { value: '7' }
    harness.company.create('Item', { Name: 'Group', Type: 'Category', IncomeAccountRef })
    harness.company.create('Payment', { CustomerRef: { value: '1' }, TotalAmt: 3 })
    const all = await harness.list(plural)
    const changed = await harness.list(plural, '2026-11-23T18:00:00.000Z')
    return [all, changed].map((rows) => rows.map(({ remoteId }) => remoteId))
  },
  expected: [ids, []],
}))

export const reads: readonly QuickBooksCase[] = [...mapped, ...ended, ...lists]
