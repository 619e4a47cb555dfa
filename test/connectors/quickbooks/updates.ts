/** Updates one by one, with the outcome of each. */
import { valuesOf } from '../../../src/definition/raw-values.ts'
import { referenceTo } from './harness.ts'
import {
  common,
  numbers,
  ofLine,
  type QuickBooksCase,
  seed,
  sent,
  shownItemLine,
} from './records.ts'

export const updates: readonly QuickBooksCase[] = [
  {
    name: 'changes of an account',
    run: async (harness) => {
      const changes = { accountName: 'Trips', accountDescription: null, accountNumber: '7' }
      await harness.create('accounts', { accountName: 'Travel', accountType: 'EXPENSE' })
      const changed = await harness.update('accounts', '10', { ...changes, parentAccountId: '9' })
      return [changed, await harness.update('accounts', '10', { accountStatus: 'INACTIVE' })]
    },
    expected: ['ACTIVE', 'INACTIVE'].map((accountStatus) => ({
      remoteId: '10',
      accountName: accountStatus === 'ACTIVE' ? 'Trips' : 'Trips (deleted)',
      classification: 'EXPENSE',
      accountType: 'EXPENSE',
      accountStatus,
      currentBalance: '0',
      currency: 'USD',
      accountNumber: '7',
      parentAccountId: referenceTo('accounts', '9'),
      ...common,
    })),
  },
  {
    name: 'changes of a customer, whose texts are emptied',
    run: async (harness) => {
      const addresses = [{ addressType: 'BILLING', ...sent }]
      const filled = { email: 'a@x.example', phoneNumbers: numbers, addresses }
      await harness.create('customers', { customerName: 'Amy', ...filled })
      const emptied = { customerName: 'Ann', email: null, phoneNumbers: [], addresses: [] }
      const changed = await harness.update('customers', '1', emptied)
      await harness.remove('customers', '1')
      return [changed, await harness.get('customers', '1')]
    },
    expected: ['ACTIVE', 'ARCHIVED'].map((customerStatus) => ({
      remoteId: '1',
      customerName: customerStatus === 'ACTIVE' ? 'Ann' : 'Ann (deleted)',
      customerStatus,
      currency: 'USD',
      ...common,
    })),
  },
  {
    name: 'changes of an item',
    run: async (harness) => {
      seed(harness)
      const changes = { unitPrice: 1.5, purchasePrice: 0.1, billAccountId: '9' }
      const changed = await harness.update('items', '1', { itemName: 'Days', ...changes })
      const archived = await harness.update('items', '1', { itemStatus: 'ARCHIVED' })
      const active = await harness.update('items', '1', { itemStatus: 'ACTIVE' })
      return [
        changed,
        ...[archived, active].map(({ itemName, itemStatus }) => [itemName, itemStatus]),
      ]
    },
    expected: [
      {
        remoteId: '1',
        itemName: 'Days',
        itemStatus: 'ACTIVE',
        itemType: 'SERVICE',
        unitPrice: '1.5',
        purchasePrice: '0.1',
        billAccountId: referenceTo('accounts', '9'),
        invoiceAccountId: referenceTo('accounts', '7'),
        ...common,
      },
      ['Days (deleted)', 'ARCHIVED'],
      ['Days', 'ACTIVE'],
    ],
  },
  {
    name: 'changed lines of an invoice with a discount and a tax',
    run: async (harness) => {
      seed(harness)
      harness.company.create('Invoice', {
        CustomerRef: { value: '1' },
        TxnDate: '2026-03-01',
        TxnTaxDetail: { TxnTaxCodeRef: { value: '2' } },
        Line: [
          {
            Description: 'Work',
            Amount: 20,
            DetailType: 'SalesItemLineDetail',
            SalesItemLineDetail: {
              ItemRef: { value: '1' },
              Qty: 2,
              UnitPrice: 10,
              TaxCodeRef: { value: 'TAX' },
            },
          },
          {
            Amount: 5,
            DetailType: 'DiscountLineDetail',
            DiscountLineDetail: { PercentBased: false },
          },
        ],
      })
      const lineItems = [
        { description: 'Work', accountingItemId: '1', quantity: 3 },
        { description: 'More', accountingItemId: '1', totalAmount: 1 },
      ]
      const row = await harness.update('invoices', '1', { lineItems, dueDate: '2026-05-01' })
      const { lineItems: shown, ...amounts } = row
      return { amounts, lines: Object(shown).map(valuesOf) }
    },
    expected: {
      amounts: {
        remoteId: '1',
        customerId: referenceTo('customers', '1'),
        invoiceNumber: '1001',
        invoiceStatus: 'Open',
        invoiceState: 'OPEN',
        currency: 'EUR',
        exchangeRate: '1',
        issueDate: '2026-03-01T00:00:00.000Z',
        dueDate: '2026-05-01T00:00:00.000Z',
        subTotal: '26',
        totalDiscount: '5',
        totalTaxAmount: '2.4',
        totalAmount: '28.4',
        balance: '28.4',
        ...common,
      },
      lines: [
        {
          ...shownItemLine,
          unitPrice: 10,
          quantity: 3,
          trackingCategoryIds: [],
          totalAmount: 30,
          ...ofLine,
          exchangeRate: 1,
        },
        {
          ...shownItemLine,
          description: 'More',
          unitPrice: null,
          quantity: null,
          trackingCategoryIds: [],
          totalAmount: 1,
          ...ofLine,
          exchangeRate: 1,
        },
      ],
    },
  },
  {
    name: 'changes of a bill and of a purchase order without new lines',
    run: async (harness) => {
      seed(harness)
      const lineItems = [{ accountId: '9', totalAmount: 8 }]
      await harness.create('bills', { vendorId: '1', lineItems })
      const orderLines = [{ accountId: '9', totalLineAmount: 8 }]
      await harness.create('purchaseOrders', { vendorId: '1', lineItems: orderLines })
      const bill = await harness.update('bills', '1', { memo: 'late', billNumber: 'B-2' })
      const order = await harness.update('purchaseOrders', '2', {
        purchaseOrderNumber: 'P-2',
        deliveryDate: '2026-04-01',
      })
      const { memo, billNumber, totalAmount } = bill
      const { purchaseOrderNumber, deliveryDate } = order
      return { memo, billNumber, totalAmount, purchaseOrderNumber, deliveryDate }
    },
    expected: {
      memo: 'late',
      billNumber: 'B-2',
      totalAmount: '8',
      purchaseOrderNumber: 'P-2',
      deliveryDate: '2026-04-01T00:00:00.000Z',
    },
  },
  {
    name: 'changes of payments',
    run: async (harness) => {
      seed(harness)
      const { company, create, update } = harness
      await create('payments', { customerId: '1', totalAmount: '3' })
      company.create('Bill', {
        VendorRef: { value: '1' },
        Line: [
          {
            Amount: 8,
            DetailType: 'AccountBasedExpenseLineDetail',
            AccountBasedExpenseLineDetail: { AccountRef: { value: '9' } },
          },
        ],
      })
      const Line = [{ Amount: 8, LinkedTxn: [{ TxnId: '2', TxnType: 'Bill' }] }]
      const byCard = {
        PayType: 'CreditCard',
        Line,
        CreditCardPayment: { CCAccountRef: { value: '6' } },
      }
      await create('payments', { vendorId: '1', totalAmount: '8' }, byCard)
      const received = await update('payments', 'Payment-1', { totalAmount: '4', accountId: '1' })
      const payment = await update('payments', 'BillPayment-3', {
        transactionDate: '2026-03-07',
        accountId: '6',
      })
      return [received, payment].map(({ totalAmount, accountId, transactionDate }) => [
        totalAmount,
        accountId,
        transactionDate,
      ])
    },
    expected: [
      ['4', referenceTo('accounts', '1'), '2026-11-23T00:00:00.000Z'],
      ['8', referenceTo('accounts', '6'), '2026-03-07T00:00:00.000Z'],
    ],
  },
]
