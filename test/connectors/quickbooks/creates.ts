/** Creates of records: the input of a caller, and the record that the API then shows. */

import { referenceTo } from './harness.ts'
import {
  common,
  EURO_RATE,
  itemLine,
  north,
  numbers,
  ofLine,
  type QuickBooksCase,
  seed,
  sent,
  shop,
  shownAccountLine,
  shownAddress,
  shownItemLine,
} from './records.ts'

/** The dates and the rate of an invoice or a bill in another currency, as a caller passes them. */
const billed = {
  currency: 'EUR',
  exchangeRate: 1.25,
  issueDate: '2026-03-01',
  dueDate: '2026-03-31',
}

/** These fields as the API shows them. */
const shownBilled = {
  ...EURO_RATE,
  issueDate: '2026-03-01T00:00:00.000Z',
  dueDate: '2026-03-31T00:00:00.000Z',
}

export const creates: readonly QuickBooksCase[] = [
  {
    name: 'a new account',
    run: (harness) =>
      harness.create('accounts', {
        accountName: 'Travel',
        accountDescription: 'Trips',
        accountType: 'EXPENSE',
        accountNumber: '601',
        parentAccountId: '9',
        currency: 'EUR',
      }),
    expected: {
      remoteId: '10',
      accountName: 'Travel',
      accountDescription: 'Trips',
      classification: 'EXPENSE',
      accountType: 'EXPENSE',
      accountStatus: 'ACTIVE',
      currentBalance: '0',
      currency: 'EUR',
      accountNumber: '601',
      parentAccountId: referenceTo('accounts', '9'),
      ...common,
    },
  },
  {
    name: 'a new customer',
    run: (harness) =>
      harness.create('customers', {
        customerName: 'Amy',
        email: 'amy@x.example',
        currency: 'EUR',
        phoneNumbers: numbers,
        addresses: [
          { addressType: 'BILLING', ...sent },
          { addressType: 'SHIPPING', ...sent, city: 'Pisa' },
        ],
      }),
    expected: {
      remoteId: '1',
      customerName: 'Amy',
      email: 'amy@x.example',
      customerStatus: 'ACTIVE',
      currency: 'EUR',
      phoneNumbers: numbers,
      addresses: [
        { addressType: 'Billing', ...shownAddress },
        { addressType: 'Shipping', ...shownAddress, city: 'Pisa' },
      ],
      ...common,
    },
  },
  {
    name: 'a new vendor',
    run: (harness) =>
      harness.create('vendors', {
        vendorName: 'Books',
        email: 'b@x.example',
        currency: 'EUR',
        phoneNumbers: numbers,
        addresses: [{ addressType: 'BILLING', ...sent }],
      }),
    expected: {
      remoteId: '1',
      vendorName: 'Books',
      email: 'b@x.example',
      vendorStatus: 'ACTIVE',
      currency: 'EUR',
      phoneNumbers: numbers,
      addresses: [{ addressType: 'Billing', ...shownAddress }],
      ...common,
    },
  },
  {
    name: 'a new item with stock',
    run: (harness) =>
      harness.create(
        'items',
        {
          itemName: 'Lamp',
          itemType: 'INVENTORY',
          unitPrice: 10.5,
          purchasePrice: 4.2,
          qtyOnHand: 7,
          billAccountId: '8',
          invoiceAccountId: '7',
          assetAccountId: '5',
        },
        { InvStartDate: '2026-01-01' },
      ),
    expected: {
      remoteId: '1',
      itemName: 'Lamp',
      itemStatus: 'ACTIVE',
      itemType: 'INVENTORY',
      unitPrice: '10.5',
      purchasePrice: '4.2',
      qtyOnHand: '7',
      billAccountId: referenceTo('accounts', '8'),
      invoiceAccountId: referenceTo('accounts', '7'),
      assetAccountId: referenceTo('accounts', '5'),
      ...common,
    },
  },
  {
    name: 'a new invoice in another currency',
    run: (harness) => {
      seed(harness)
      return harness.create('invoices', {
        customerId: '1',
        invoiceNumber: 'A-1',
        memo: 'thanks',
        ...billed,
        trackingCategoryIds: ['Class-1', 'Department-1'],
        lineItems: [itemLine],
      })
    },
    expected: {
      remoteId: '1',
      customerId: referenceTo('customers', '1'),
      invoiceNumber: 'A-1',
      invoiceStatus: 'Open',
      invoiceState: 'OPEN',
      memo: 'thanks',
      ...shownBilled,
      subTotal: '31.5',
      totalTaxAmount: '0',
      totalAmount: '31.5',
      balance: '31.5',
      trackingCategoryIds: [north, shop],
      lineItems: [{ ...shownItemLine, totalAmount: 31.5, ...ofLine }],
      ...common,
    },
  },
  {
    name: 'a new bill in another currency',
    run: (harness) => {
      seed(harness)
      return harness.create('bills', {
        vendorId: '1',
        billNumber: 'B-1',
        memo: 'ok',
        ...billed,
        trackingCategoryIds: ['Department-1'],
        lineItems: [itemLine, { description: 'Trip', totalAmount: 5.5, accountId: '9' }],
      })
    },
    expected: {
      remoteId: '1',
      vendorId: referenceTo('vendors', '1'),
      billNumber: 'B-1',
      billStatus: 'Open',
      billState: 'OPEN',
      memo: 'ok',
      ...shownBilled,
      subTotal: '37',
      totalAmount: '37',
      balance: '37',
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
    run: (harness) => {
      seed(harness)
      return harness.create('purchaseOrders', {
        vendorId: '1',
        purchaseOrderNumber: 'P-1',
        memo: 'ok',
        accountId: '3',
        issueDate: '2026-03-01',
        deliveryDate: '2026-03-31',
        deliveryAddress: sent,
        currency: 'EUR',
        exchangeRate: 1.25,
        trackingCategoryIds: ['Class-1', 'Department-1'],
        lineItems: [itemLine, { description: 'Trip', totalLineAmount: 5.5, accountId: '9' }],
      })
    },
    expected: {
      remoteId: '1',
      purchaseOrderStatus: 'Open',
      purchaseOrderNumber: 'P-1',
      memo: 'ok',
      issueDate: '2026-03-01T00:00:00.000Z',
      deliveryDate: '2026-03-31T00:00:00.000Z',
      deliveryAddress: { addressType: 'Shipping', ...shownAddress },
      vendorId: referenceTo('vendors', '1'),
      accountId: referenceTo('accounts', '3'),
      totalAmount: '37',
      ...EURO_RATE,
      trackingCategoryIds: [north, shop],
      lineItems: [
        { ...shownItemLine, taxAmount: null, totalLineAmount: 31.5 },
        { ...shownAccountLine, taxAmount: null, totalLineAmount: 5.5 },
      ],
      ...common,
    },
  },
  {
    name: 'a new payment of a customer',
    run: (harness) => {
      seed(harness)
      return harness.create('payments', {
        customerId: '1',
        accountId: '1',
        totalAmount: '10.50',
        currency: 'EUR',
        exchangeRate: 1.25,
        transactionDate: '2026-03-05',
      })
    },
    expected: {
      remoteId: 'Payment-1',
      transactionDate: '2026-03-05T00:00:00.000Z',
      ...EURO_RATE,
      customerId: referenceTo('customers', '1'),
      accountId: referenceTo('accounts', '1'),
      totalAmount: '10.5',
      paymentState: 'COMPLETED',
      ...common,
    },
  },
  {
    name: 'a new payment to a vendor, which pays a bill',
    run: async (harness) => {
      seed(harness)
      const lineItems = [{ totalAmount: 20.5, accountId: '9' }]
      await harness.create('bills', {
        vendorId: '1',
        currency: 'EUR',
        exchangeRate: 1.25,
        lineItems,
      })
      const paid = {
        vendorId: '1',
        accountId: '1',
        totalAmount: '10.50',
        currency: 'EUR',
        exchangeRate: 1.25,
        transactionDate: '2026-03-05',
        trackingCategoryIds: ['Department-1'],
      }
      const Line = [{ Amount: 10.5, LinkedTxn: [{ TxnId: '1', TxnType: 'Bill' }] }]
      const payment = await harness.create('payments', paid, { Line })
      const { billStatus, balance } = await harness.get('bills', '1')
      return { payment, billStatus, balance }
    },
    expected: {
      payment: {
        remoteId: 'BillPayment-2',
        transactionDate: '2026-03-05T00:00:00.000Z',
        vendorId: referenceTo('vendors', '1'),
        accountId: referenceTo('accounts', '1'),
        ...EURO_RATE,
        totalAmount: '10.5',
        paymentState: 'COMPLETED',
        trackingCategoryIds: [shop],
        ...common,
      },
      billStatus: 'Partially paid',
      balance: '10',
    },
  },
]
