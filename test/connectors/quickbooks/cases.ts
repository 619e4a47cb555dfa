/** What the connector makes of a company, field by field: each case is a literal input and a literal outcome. */
import { connector } from '../../../src/connectors/quickbooks/manifest.ts'
import type { FeedPosition } from '../../../src/definition/feed.ts'
import { valuesOf } from '../../../src/definition/raw-values.ts'
import type { Traffic } from '../field-mutations.ts'
import { type Fields, ref, type Scene } from './scene.ts'

export interface QuickBooksCase {
  readonly name: string
  run(scene: Scene, traffic: Traffic): Promise<unknown>
  readonly expected: unknown
}

const TIME = '2026-11-23T17:00:00.000Z'
const EUR = { CurrencyRef: { value: 'EUR' } }
const EURO_RATE = { currency: 'EUR', exchangeRate: '1.25' }

const companyId = ref('companyInfo', '1')
const times = { remoteCreatedAt: TIME, remoteUpdatedAt: TIME }
const common = { companyId, ...times }

const sent = {
  ...{ street1: 'Main 1', street2: 'Yard', city: 'Rome', state: 'RM', country: 'IT' },
  zipCode: '00100',
}
const shownAddress = { ...sent, countrySubdivision: 'RM' }
const numbers = [
  { phoneNumberType: 'Primary', phoneNumber: '1' },
  { phoneNumberType: 'Other', phoneNumber: '2' },
  { phoneNumberType: 'Mobile', phoneNumber: '3' },
  { phoneNumberType: 'Fax', phoneNumber: '4' },
]

/** What the cases refer to: a customer, a vendor, a service, two classes, a department, an account. */
const seed = ({ company }: Scene): void => {
  company.create('Customer', { DisplayName: 'Amy', ...EUR })
  company.create('Vendor', { DisplayName: 'Books', ...EUR })
  company.create('Item', { Name: 'Hours', Type: 'Service', IncomeAccountRef: { value: '7' } })
  company.create('Class', { Name: 'North' })
  company.create('Class', { Name: 'West', ParentRef: { value: '1' } })
  company.create('Department', { Name: 'Shop' })
}

const [north, west, shop] = [
  ref('trackingCategories', 'Class-1'),
  ref('trackingCategories', 'Class-2'),
  ref('trackingCategories', 'Department-1'),
]

/** A line with an item: as a caller passes it, and as it is shown. */
const itemLine = {
  ...{ description: 'Work', unitPrice: 10.5, quantity: 3, accountingItemId: '1' },
  trackingCategoryIds: ['Class-2'],
}
const shownItemLine = {
  ...{ description: 'Work', unitPrice: 10.5, quantity: 3, currency: 'EUR', accountId: null },
  accountingItemId: ref('items', '1'),
  trackingCategoryIds: [west],
}
const shownAccountLine = {
  ...{ description: 'Trip', unitPrice: null, quantity: null, currency: 'EUR' },
  accountingItemId: null,
  accountId: ref('accounts', '9'),
  trackingCategoryIds: [],
}
const ofLine = { exchangeRate: 1.25, companyId }

const creates: readonly QuickBooksCase[] = [
  {
    name: 'a new account',
    run: (scene) =>
      scene.create('accounts', {
        ...{ accountName: 'Travel', accountDescription: 'Trips', accountType: 'EXPENSE' },
        ...{ accountNumber: '601', parentAccountId: '9', currency: 'EUR' },
      }),
    expected: {
      ...{ remoteId: '10', accountName: 'Travel', accountDescription: 'Trips' },
      ...{ classification: 'EXPENSE', accountType: 'EXPENSE', accountStatus: 'ACTIVE' },
      ...{ currentBalance: '0', currency: 'EUR', accountNumber: '601' },
      parentAccountId: ref('accounts', '9'),
      ...common,
    },
  },
  {
    name: 'a new customer',
    run: (scene) =>
      scene.create('customers', {
        ...{ customerName: 'Amy', email: 'amy@x.example', currency: 'EUR', phoneNumbers: numbers },
        addresses: [
          { addressType: 'BILLING', ...sent },
          { addressType: 'SHIPPING', ...sent, city: 'Pisa' },
        ],
      }),
    expected: {
      ...{ remoteId: '1', customerName: 'Amy', email: 'amy@x.example', customerStatus: 'ACTIVE' },
      ...{ currency: 'EUR', phoneNumbers: numbers },
      addresses: [
        { addressType: 'Billing', ...shownAddress },
        { addressType: 'Shipping', ...shownAddress, city: 'Pisa' },
      ],
      ...common,
    },
  },
  {
    name: 'a new vendor',
    run: (scene) =>
      scene.create('vendors', {
        ...{ vendorName: 'Books', email: 'b@x.example', currency: 'EUR', phoneNumbers: numbers },
        addresses: [{ addressType: 'BILLING', ...sent }],
      }),
    expected: {
      ...{ remoteId: '1', vendorName: 'Books', email: 'b@x.example', vendorStatus: 'ACTIVE' },
      ...{ currency: 'EUR', phoneNumbers: numbers },
      addresses: [{ addressType: 'Billing', ...shownAddress }],
      ...common,
    },
  },
  {
    name: 'a new item with stock',
    run: (scene) =>
      scene.create(
        'items',
        {
          ...{ itemName: 'Lamp', itemType: 'INVENTORY', unitPrice: 10.5, purchasePrice: 4.2 },
          ...{ qtyOnHand: 7, billAccountId: '8', invoiceAccountId: '7', assetAccountId: '5' },
        },
        { InvStartDate: '2026-01-01' },
      ),
    expected: {
      ...{ remoteId: '1', itemName: 'Lamp', itemStatus: 'ACTIVE', itemType: 'INVENTORY' },
      ...{ unitPrice: '10.5', purchasePrice: '4.2', qtyOnHand: '7' },
      billAccountId: ref('accounts', '8'),
      invoiceAccountId: ref('accounts', '7'),
      assetAccountId: ref('accounts', '5'),
      ...common,
    },
  },
  {
    name: 'a new invoice in another currency',
    run: (scene) => {
      seed(scene)
      return scene.create('invoices', {
        ...{ customerId: '1', invoiceNumber: 'A-1', memo: 'thanks', currency: 'EUR' },
        ...{ issueDate: '2026-03-01', dueDate: '2026-03-31', exchangeRate: 1.25 },
        trackingCategoryIds: ['Class-1', 'Department-1'],
        lineItems: [itemLine],
      })
    },
    expected: {
      ...{ remoteId: '1', customerId: ref('customers', '1'), invoiceNumber: 'A-1' },
      ...{ invoiceStatus: 'Open', invoiceState: 'OPEN', memo: 'thanks', ...EURO_RATE },
      ...{ issueDate: '2026-03-01T00:00:00.000Z', dueDate: '2026-03-31T00:00:00.000Z' },
      ...{ subTotal: '31.5', totalTaxAmount: '0', totalAmount: '31.5', balance: '31.5' },
      trackingCategoryIds: [north, shop],
      lineItems: [{ ...shownItemLine, totalAmount: 31.5, ...ofLine }],
      ...common,
    },
  },
  {
    name: 'a new bill in another currency',
    run: (scene) => {
      seed(scene)
      return scene.create('bills', {
        ...{ vendorId: '1', billNumber: 'B-1', memo: 'ok', currency: 'EUR', exchangeRate: 1.25 },
        ...{ issueDate: '2026-03-01', dueDate: '2026-03-31' },
        trackingCategoryIds: ['Department-1'],
        lineItems: [itemLine, { description: 'Trip', totalAmount: 5.5, accountId: '9' }],
      })
    },
    expected: {
      ...{
        remoteId: '1',
        vendorId: ref('vendors', '1'),
        billNumber: 'B-1',
        billStatus: 'Open',
        billState: 'OPEN',
      },
      ...{ memo: 'ok', ...EURO_RATE, subTotal: '37', totalAmount: '37', balance: '37' },
      ...{ issueDate: '2026-03-01T00:00:00.000Z', dueDate: '2026-03-31T00:00:00.000Z' },
      trackingCategoryIds: [shop],
      lineItems: [
        { ...shownItemLine, totalAmount: 31.5, ...ofLine },
        { ...shownAccountLine, totalAmount: 5.5, ...ofLine },
      ],
      ...common,
    },
  },
  {
    name: 'a new purchase order in another currency',
    run: (scene) => {
      seed(scene)
      return scene.create('purchaseOrders', {
        ...{ vendorId: '1', purchaseOrderNumber: 'P-1', memo: 'ok', accountId: '3' },
        ...{ issueDate: '2026-03-01', deliveryDate: '2026-03-31', deliveryAddress: sent },
        ...{ currency: 'EUR', exchangeRate: 1.25 },
        trackingCategoryIds: ['Class-1', 'Department-1'],
        lineItems: [itemLine, { description: 'Trip', totalLineAmount: 5.5, accountId: '9' }],
      })
    },
    expected: {
      ...{ remoteId: '1', purchaseOrderStatus: 'Open', purchaseOrderNumber: 'P-1', memo: 'ok' },
      ...{ issueDate: '2026-03-01T00:00:00.000Z', deliveryDate: '2026-03-31T00:00:00.000Z' },
      deliveryAddress: { addressType: 'Shipping', ...shownAddress },
      vendorId: ref('vendors', '1'),
      accountId: ref('accounts', '3'),
      ...{ totalAmount: '37', ...EURO_RATE, trackingCategoryIds: [north, shop] },
      lineItems: [
        { ...shownItemLine, taxAmount: null, totalLineAmount: 31.5 },
        { ...shownAccountLine, taxAmount: null, totalLineAmount: 5.5 },
      ],
      ...common,
    },
  },
  {
    name: 'a new payment of a customer',
    run: (scene) => {
      seed(scene)
      return scene.create('payments', {
        ...{ customerId: '1', accountId: '1', totalAmount: '10.50', currency: 'EUR' },
        ...{ exchangeRate: 1.25, transactionDate: '2026-03-05' },
      })
    },
    expected: {
      ...{ remoteId: 'Payment-1', transactionDate: '2026-03-05T00:00:00.000Z', ...EURO_RATE },
      ...{ customerId: ref('customers', '1'), accountId: ref('accounts', '1') },
      ...{ totalAmount: '10.5', paymentState: 'COMPLETED' },
      ...common,
    },
  },
  {
    name: 'a new payment to a vendor, which pays a bill',
    run: async (scene) => {
      seed(scene)
      const lineItems = [{ totalAmount: 20.5, accountId: '9' }]
      await scene.create('bills', { vendorId: '1', currency: 'EUR', exchangeRate: 1.25, lineItems })
      const paid = {
        ...{ vendorId: '1', accountId: '1', totalAmount: '10.50', currency: 'EUR' },
        ...{ exchangeRate: 1.25, transactionDate: '2026-03-05' },
        trackingCategoryIds: ['Department-1'],
      }
      const Line = [{ Amount: 10.5, LinkedTxn: [{ TxnId: '1', TxnType: 'Bill' }] }]
      const payment = await scene.create('payments', paid, { Line })
      const { billStatus, balance } = await scene.get('bills', '1')
      return { payment, billStatus, balance }
    },
    expected: {
      payment: {
        ...{ remoteId: 'BillPayment-2', transactionDate: '2026-03-05T00:00:00.000Z' },
        ...{ vendorId: ref('vendors', '1'), accountId: ref('accounts', '1'), ...EURO_RATE },
        ...{
          totalAmount: '10.5',
          paymentState: 'COMPLETED',
          trackingCategoryIds: [shop],
          ...common,
        },
      },
      billStatus: 'Partially paid',
      balance: '10',
    },
  },
]
/** Updates one by one, with the outcome of each. */
const updates: readonly QuickBooksCase[] = [
  {
    name: 'changes of an account',
    run: async (scene) => {
      const changes = { accountName: 'Trips', accountDescription: null, accountNumber: '7' }
      await scene.create('accounts', { accountName: 'Travel', accountType: 'EXPENSE' })
      const changed = await scene.update('accounts', '10', { ...changes, parentAccountId: '9' })
      return [changed, await scene.update('accounts', '10', { accountStatus: 'INACTIVE' })]
    },
    expected: ['ACTIVE', 'INACTIVE'].map((accountStatus) => ({
      remoteId: '10',
      accountName: accountStatus === 'ACTIVE' ? 'Trips' : 'Trips (deleted)',
      ...{ classification: 'EXPENSE', accountType: 'EXPENSE', accountStatus },
      ...{ currentBalance: '0', currency: 'USD', accountNumber: '7' },
      parentAccountId: ref('accounts', '9'),
      ...common,
    })),
  },
  {
    name: 'changes of a customer, whose texts are emptied',
    run: async (scene) => {
      const addresses = [{ addressType: 'BILLING', ...sent }]
      const filled = { email: 'a@x.example', phoneNumbers: numbers, addresses }
      await scene.create('customers', { customerName: 'Amy', ...filled })
      const emptied = { customerName: 'Ann', email: null, phoneNumbers: [], addresses: [] }
      const changed = await scene.update('customers', '1', emptied)
      await scene.remove('customers', '1')
      return [changed, await scene.get('customers', '1')]
    },
    expected: ['ACTIVE', 'ARCHIVED'].map((customerStatus) => ({
      remoteId: '1',
      customerName: customerStatus === 'ACTIVE' ? 'Ann' : 'Ann (deleted)',
      ...{ customerStatus, currency: 'USD', ...common },
    })),
  },
  {
    name: 'changes of an item',
    run: async (scene) => {
      seed(scene)
      const changes = { unitPrice: 1.5, purchasePrice: 0.1, billAccountId: '9' }
      const changed = await scene.update('items', '1', { itemName: 'Days', ...changes })
      const archived = await scene.update('items', '1', { itemStatus: 'ARCHIVED' })
      const active = await scene.update('items', '1', { itemStatus: 'ACTIVE' })
      return [
        changed,
        ...[archived, active].map(({ itemName, itemStatus }) => [itemName, itemStatus]),
      ]
    },
    expected: [
      {
        ...{ remoteId: '1', itemName: 'Days', itemStatus: 'ACTIVE', itemType: 'SERVICE' },
        ...{ unitPrice: '1.5', purchasePrice: '0.1', billAccountId: ref('accounts', '9') },
        invoiceAccountId: ref('accounts', '7'),
        ...common,
      },
      ['Days (deleted)', 'ARCHIVED'],
      ['Days', 'ACTIVE'],
    ],
  },
  {
    name: 'changed lines of an invoice with a discount and a tax',
    run: async (scene) => {
      seed(scene)
      scene.company.create('Invoice', {
        ...{ CustomerRef: { value: '1' }, TxnDate: '2026-03-01' },
        TxnTaxDetail: { TxnTaxCodeRef: { value: '2' } },
        Line: [
          {
            ...{ Description: 'Work', Amount: 20, DetailType: 'SalesItemLineDetail' },
            SalesItemLineDetail: {
              ...{ ItemRef: { value: '1' }, Qty: 2, UnitPrice: 10 },
              TaxCodeRef: { value: 'TAX' },
            },
          },
          {
            ...{ Amount: 5, DetailType: 'DiscountLineDetail' },
            DiscountLineDetail: { PercentBased: false },
          },
        ],
      })
      const lineItems = [
        { description: 'Work', accountingItemId: '1', quantity: 3 },
        { description: 'More', accountingItemId: '1', totalAmount: 1 },
      ]
      const row = await scene.update('invoices', '1', { lineItems, dueDate: '2026-05-01' })
      const { lineItems: shown, ...amounts } = row
      return { amounts, lines: Object(shown).map(valuesOf) }
    },
    expected: {
      amounts: {
        ...{ remoteId: '1', customerId: ref('customers', '1'), invoiceNumber: '1001' },
        ...{ invoiceStatus: 'Open', invoiceState: 'OPEN', currency: 'EUR', exchangeRate: '1' },
        ...{ issueDate: '2026-03-01T00:00:00.000Z', dueDate: '2026-05-01T00:00:00.000Z' },
        ...{ subTotal: '26', totalDiscount: '5', totalTaxAmount: '2.4', totalAmount: '28.4' },
        ...{ balance: '28.4', ...common },
      },
      lines: [
        {
          ...{ ...shownItemLine, unitPrice: 10, quantity: 3, trackingCategoryIds: [] },
          ...{ totalAmount: 30, ...ofLine, exchangeRate: 1 },
        },
        {
          ...{ ...shownItemLine, description: 'More', unitPrice: null, quantity: null },
          ...{ trackingCategoryIds: [], totalAmount: 1, ...ofLine, exchangeRate: 1 },
        },
      ],
    },
  },
  {
    name: 'changes of a bill and of a purchase order without new lines',
    run: async (scene) => {
      seed(scene)
      const lineItems = [{ accountId: '9', totalAmount: 8 }]
      await scene.create('bills', { vendorId: '1', lineItems })
      const orderLines = [{ accountId: '9', totalLineAmount: 8 }]
      await scene.create('purchaseOrders', { vendorId: '1', lineItems: orderLines })
      const bill = await scene.update('bills', '1', { memo: 'late', billNumber: 'B-2' })
      const order = await scene.update('purchaseOrders', '2', {
        purchaseOrderNumber: 'P-2',
        deliveryDate: '2026-04-01',
      })
      const { memo, billNumber, totalAmount } = bill
      const { purchaseOrderNumber, deliveryDate } = order
      return { memo, billNumber, totalAmount, purchaseOrderNumber, deliveryDate }
    },
    expected: {
      ...{ memo: 'late', billNumber: 'B-2', totalAmount: '8' },
      ...{ purchaseOrderNumber: 'P-2', deliveryDate: '2026-04-01T00:00:00.000Z' },
    },
  },
  {
    name: 'changes of payments',
    run: async (scene) => {
      seed(scene)
      const { company, create, update } = scene
      await create('payments', { customerId: '1', totalAmount: '3' })
      company.create('Bill', {
        VendorRef: { value: '1' },
        Line: [
          {
            ...{ Amount: 8, DetailType: 'AccountBasedExpenseLineDetail' },
            AccountBasedExpenseLineDetail: { AccountRef: { value: '9' } },
          },
        ],
      })
      const Line = [{ Amount: 8, LinkedTxn: [{ TxnId: '2', TxnType: 'Bill' }] }]
      const byCard = {
        ...{ PayType: 'CreditCard', Line },
        CreditCardPayment: { CCAccountRef: { value: '6' } },
      }
      await create('payments', { vendorId: '1', totalAmount: '8' }, byCard)
      const received = await update('payments', 'Payment-1', { totalAmount: '4', accountId: '1' })
      const made = await update('payments', 'BillPayment-3', {
        transactionDate: '2026-03-07',
        accountId: '6',
      })
      return [received, made].map(({ totalAmount, accountId, transactionDate }) => [
        ...[totalAmount, accountId, transactionDate],
      ])
    },
    expected: [
      ['4', ref('accounts', '1'), '2026-11-23T00:00:00.000Z'],
      ['8', ref('accounts', '6'), '2026-03-07T00:00:00.000Z'],
    ],
  },
]

const EFFECTIVE = [{ RateValue: 7, EndDate: '2025-12-31T00:00:00-08:00' }, { RateValue: 8 }]

/** Records that the simulator does not make, as the vendor documents them. */
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
      ...{ trackingCategoryName: 'Shop', trackingCategoryStatus: 'Inactive' },
      trackingCategoryType: 'Department',
      parentCategoryId: ref('trackingCategories', 'Department-2'),
    },
  ],
  [
    'invoices',
    {
      ...{ Id: '1', TotalAmt: 0, Balance: 0, PrivateNote: 'Voided' },
      Line: [
        {
          DetailType: 'SalesItemLineDetail',
          SalesItemLineDetail: { ItemAccountRef: { value: '7' } },
        },
      ],
    },
    {
      ...{ invoiceStatus: 'Voided', invoiceState: 'VOID', memo: 'Voided' },
      ...{ totalAmount: '0', balance: '0' },
      lineItems: [
        {
          ...{ ...shownAccountLine, description: null, accountId: ref('accounts', '7') },
          ...{ totalAmount: null, exchangeRate: null, companyId, currency: 'USD' },
        },
      ],
    },
  ],
  [
    'invoices',
    { Id: '1', TotalAmt: 5, Balance: 2, invoiceStatus: 'PAYMENT_FAILED' },
    {
      ...{ invoiceStatus: 'PAYMENT_FAILED', invoiceState: 'PARTIALLY_PAID' },
      ...{ totalAmount: '5', balance: '2' },
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
      ...{ Id: '1', TotalAmt: 0.3, Balance: 0, TxnTaxDetail: { TotalTax: 0.1 } },
      LinkedTxn: [
        { TxnId: '8', TxnType: 'PurchaseOrder' },
        { TxnId: '9', TxnType: 'BillPaymentCheck' },
      ],
      Line: [{ LinkedTxn: [{ TxnId: '7', TxnType: 'PurchaseOrder' }] }],
    },
    {
      ...{ billStatus: 'Paid', billState: 'PAID', subTotal: '0.2', totalTaxAmount: '0.1' },
      ...{ totalAmount: '0.3', balance: '0' },
      purchaseOrderIds: [ref('purchaseOrders', '8'), ref('purchaseOrders', '7')],
    },
  ],
]

const readings: readonly QuickBooksCase[] = [
  ...recorded.map(
    ([plural, raw, expected], at): QuickBooksCase => ({
      name: `a recorded one of ${plural} (${at})`,
      run: async (scene, { received }) => {
        const {
          remoteId: _,
          companyId: __,
          currency,
          ...rest
        } = await scene.map(plural, received(raw))
        return { ...rest, currency }
      },
      expected: {
        ...(plural === 'invoices' || plural === 'bills' ? { currency: 'USD' } : {}),
        ...expected,
      },
    }),
  ),
]

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

const ended: readonly QuickBooksCase[] = [
  {
    name: 'a voided invoice and a merged customer',
    run: async (scene) => {
      seed(scene)
      const { company, create, list } = scene
      company.create('Customer', { DisplayName: 'Amy again', ...EUR })
      const lineItems = [{ accountingItemId: '1', unitPrice: 0.1, quantity: 3 }]
      for (const customerId of ['1', '2']) await create('invoices', { customerId, lineItems })
      company.void('Invoice', '1')
      company.merge('Customer', '2', '1')
      const invoices = await list('invoices')
      return {
        invoices: invoices.map(({ invoiceStatus, totalAmount, customerId }) => [
          ...[invoiceStatus, totalAmount, customerId],
        ]),
        customers: (await list('customers')).map(({ remoteId }) => remoteId),
      }
    },
    expected: {
      invoices: [
        ['Voided', '0', ref('customers', '1')],
        ['Open', '0.3', ref('customers', '1')],
      ],
      customers: ['1'],
    },
  },
]

const FEED_TIME = '2026-11-23T16:00:00.000Z'

const feeds: readonly QuickBooksCase[] = [
  {
    name: 'the feed of changes and deletions',
    run: async (scene) => {
      const { company, exchange } = scene
      seed(scene)
      const { Id = '' } = company.create('Payment', { CustomerRef: { value: '1' }, TotalAmt: 3 })
      company.create('PurchaseOrder', {
        VendorRef: { value: '1' },
        Line: [
          {
            ...{ Amount: 8, DetailType: 'AccountBasedExpenseLineDetail' },
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
        const page = feed.read(await exchange(feed.request(position)), position)
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
          ...Array.from({ length: 9 }, (_, at) => `changed accounting/accounts ${at + 1}`),
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
      const events = (body: unknown) =>
        (connector.webhooks?.events({ headers: {}, body: received(body) }) ?? []).map(
          ({ topic, remoteId, kind, company, id }) =>
            `${id}: ${kind} ${topic} ${remoteId} of ${company}`,
        )
      const event = { intuitentityid: '123', intuitaccountid: '310687' }
      const entities = [
        {
          ...{ name: 'Vendor', id: '5', operation: 'Merge', deletedId: '4' },
          lastUpdated: '2026-03-02T09:30:00Z',
        },
        { name: 'BillPayment', id: '6', operation: 'Delete' },
      ]
      return [
        ...events([
          { id: 'a', type: 'qbo.customer.merged.v1', ...event, data: { deletedid: '27' } },
          { id: 'b', type: 'qbo.bill.deleted.v1', ...event },
        ]),
        ...events({ eventNotifications: [{ realmId: '310687', dataChangeEvent: { entities } }] }),
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
    run: async (scene) => {
      const { company, exchange, readContext, list } = scene
      company.update('CompanyInfo', '1', {
        ...{ LegalName: 'Acme Ltd', EmployerId: '91-123', FiscalYearStartMonth: 'March' },
        WebAddr: { URI: 'https://acme.example' },
        PrimaryPhone: { FreeFormNumber: '555' },
      })
      return {
        account: connector.readAccountName?.(await exchange(connector.check)),
        context: await readContext(),
        listed: await list('companyInfo'),
      }
    },
    expected: {
      account: 'Acme',
      context: { companyId: '1', currency: 'USD', isMultiCurrency: true },
      listed: [
        {
          ...{ remoteId: '1', companyName: 'Acme', companyLegalName: 'Acme Ltd' },
          ...{ taxNumber: '91-123', fiscalYearEndMonth: 2, fiscalYearEndDay: 28 },
          ...{ currency: 'USD', companyUrls: ['https://acme.example'] },
          companyAddresses: [
            {
              ...{ addressType: 'Billing', street1: '123 Sierra Way', street2: null },
              ...{ city: 'San Pablo', state: 'CA', countrySubdivision: 'CA', country: 'US' },
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

/** The ids of what each resource lists; the second list has only what has changed since a time. */
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
  run: async (scene) => {
    seed(scene)
    const IncomeAccountRef = { value: '7' }
    scene.company.create('Item', { Name: 'Group', Type: 'Category', IncomeAccountRef })
    scene.company.create('Payment', { CustomerRef: { value: '1' }, TotalAmt: 3 })
    const all = await scene.list(plural)
    const changed = await scene.list(plural, '2026-11-23T18:00:00.000Z')
    return [all, changed].map((rows) => rows.map(({ remoteId }) => remoteId))
  },
  expected: [ids, []],
}))

/** Writes that QuickBooks refuses, and the field that is at fault, by its name in the app. */
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
).map(([plural, fields, field], at) => ({
  name: `a refused one of ${plural} at ${field} (${at})`,
  run: async (scene) => {
    seed(scene)
    // Without lines, a payment to a vendor would be refused for that.
    return scene.refusedField(plural, fields, plural === 'payments' ? { Line: [] } : {})
  },
  expected: field,
}))

export const quickBooksCases: readonly QuickBooksCase[] = [
  ...creates,
  ...updates,
  ...readings,
  ...failures,
  ...ended,
  ...feeds,
  ...lists,
  ...refusals,
]
