/**
 * The collections of the sandbox: their names, and the rules of the fields that they have in another form than
 * the resource. All other fields have the same name and form, and the sandbox itself validates what is written.
 */

import type { ResourceWriter } from '../../definition/connector.ts'
import { recordsAt } from '../../definition/mapping/body-writer.ts'
import {
  createOnly,
  listOf,
  ofRecord,
  readOnly,
  states,
  writtenTo,
} from '../../definition/mapping/converters.ts'
import type { Converter, NestedRules } from '../../definition/mapping/rule.ts'

/** A collection of the sandbox. */
export interface Collection {
  /** Its name in paths: `vendors` in `/v1/vendors`. */
  readonly name: string
  readonly rules?: NestedRules
  /** Other records that a write changes (NOTES "A write changes other records too"). */
  readonly sideEffects?: ResourceWriter['sideEffects']
}

/** The same rule for several fields. */
const each = (rule: (name: string) => Converter, ...names: readonly string[]): NestedRules =>
  Object.fromEntries(names.map((name) => [name, rule(name)]))

/** Values of a line that the sandbox stores once, on the document. */
const ofDocument = (...names: readonly string[]): NestedRules => each(ofRecord, ...names)
/** A rate on a line is a number, that of the document digits. */
const exchangeRate = ofRecord({ from: 'exchangeRate', write: String })

/** Lines keep what the caller omits if they match a stored line. */
const lineMatching = [
  ['description', 'accountingItemId', 'accountId'],
  ['description', 'accountId'],
  ['accountingItemId', 'accountId'],
]

const documentState = states('state', {
  draft: 'DRAFT',
  open: 'OPEN',
  part_paid: 'PARTIALLY_PAID',
  paid: 'PAID',
})

/** The rules that bills and invoices share. */
const billing: NestedRules = {
  ...each(readOnly, 'paidOnDate', 'subTotal', 'totalDiscount', 'totalTaxAmount'),
  ...each(readOnly, 'totalAmount', 'balance'),
  lineItems: listOf(
    'lineItems',
    {
      ...ofDocument('currency', 'companyId'),
      exchangeRate,
      totalAmount: readOnly('totalAmount'),
    },
    { matchBy: lineMatching },
  ),
}

/** The lines of a document change the balances of their accounts. */
const accountsOfLines = recordsAt({ 'accounting/accounts': 'lineItems.accountId' })

/** The collections by topic. One that is missing here is named after its table: `/v1/crm_campaigns`. */
export const collections: Readonly<Record<string, Collection>> = {
  'accounting/companyInfo': { name: 'companies' },
  'accounting/taxRates': { name: 'tax_codes' },
  'accounting/trackingCategories': { name: 'cost_centers' },
  'accounting/accounts': {
    name: 'ledger_accounts',
    rules: {
      accountType: createOnly('accountType'),
      ...each(readOnly, 'classification', 'currentBalance'),
    },
  },
  'accounting/vendors': { name: 'vendors' },
  'accounting/customers': { name: 'clients' },
  'accounting/items': { name: 'catalog_items' },
  'accounting/purchaseOrders': {
    name: 'purchase_orders',
    rules: {
      totalAmount: readOnly('totalAmount'),
      lineItems: listOf(
        'lineItems',
        // With tax: the order has no subtotal, so its lines add up to the total.
        { ...ofDocument('currency'), ...each(readOnly, 'taxAmount', 'totalLineAmount') },
        { matchBy: lineMatching },
      ),
    },
  },
  'accounting/bills': {
    name: 'bills',
    rules: { ...billing, billStatus: readOnly('state'), billState: documentState },
    sideEffects: accountsOfLines,
  },
  'accounting/invoices': {
    name: 'invoices',
    rules: { ...billing, invoiceStatus: readOnly('state'), invoiceState: documentState },
    sideEffects: accountsOfLines,
  },
  'accounting/payments': {
    name: 'payments',
    rules: { paymentState: () => 'COMPLETED' },
    sideEffects: recordsAt({
      'accounting/invoices': 'invoice',
      'accounting/bills': 'bill',
      'accounting/accounts': 'accountId',
    }),
  },
  'crm/users': { name: 'members' },
  'crm/accounts': { name: 'organizations' },
  'crm/contacts': { name: 'people' },
  'crm/leads': { name: 'leads' },
  'crm/stages': { name: 'deal_stages' },
  'crm/opportunities': {
    name: 'deals',
    rules: {
      opportunityStatus: readOnly('opportunityStatus'),
      opportunityState: states('opportunityStatus', { open: 'OPEN', won: 'WON', lost: 'LOST' }),
    },
  },
  'crm/notes': { name: 'notes' },
  'crm/tasks': { name: 'tasks', rules: { completedDate: readOnly('completedDate') } },
  'commerce/customers': { name: 'shoppers' },
  'commerce/products': {
    name: 'products',
    rules: {
      // A variant without an id matches by SKU, then by name.
      variants: listOf(
        'variants',
        { id: 'id', remoteId: 'id' },
        { matchBy: [['id'], ['sku'], ['title']] },
      ),
    },
  },
  'commerce/orders': {
    name: 'orders',
    rules: {
      orderState: states('orderStatus', {
        placed: 'OPEN',
        processing: 'OPEN',
        completed: 'COMPLETED',
        cancelled: 'CANCELLED',
      }),
      fulfillmentStatus: writtenTo('stated_status', 'fulfillmentStatus'),
      fulfillmentState: states('fulfillmentStatus', {
        none: 'UNFULFILLED',
        partial: 'PARTIALLY_FULFILLED',
        shipped: 'FULFILLED',
      }),
      paymentState: states('paymentStatus', {
        pending: 'UNPAID',
        paid: 'PAID',
        refunded: 'REFUNDED',
      }),
      // Null makes the sandbox compute the amount again.
      totalPrice: writtenTo('stated_total', 'totalPrice'),
      totalTax: writtenTo('stated_tax', 'totalTax'),
      // The common model has no line ids, so lines match by variant.
      lineItems: listOf('lineItems', ofDocument('currency'), { matchBy: [['variantId']] }),
    },
  },
  'commerce/fulfillments': {
    name: 'shipments',
    rules: {
      orderId: createOnly('orderId'),
      // The sandbox records a shipment when it leaves.
      shipmentState: () => 'SHIPPED',
    },
    sideEffects: recordsAt({ 'commerce/orders': 'orderId' }),
  },
}
