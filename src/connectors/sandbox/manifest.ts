/** The sandbox: an app with records of every kind, for trying out and for tests. */
import { type AppFailure, type AppResponse, defineConnector } from '../../definition/connector.ts'
import ledgerAccount from './accounting/account.ts'
import bill from './accounting/bill.ts'
import companyInfo from './accounting/company-info.ts'
import client from './accounting/customer.ts'
import invoice from './accounting/invoice.ts'
import item from './accounting/item.ts'
import payment from './accounting/payment.ts'
import purchaseOrder from './accounting/purchase-order.ts'
import taxRate from './accounting/tax-rate.ts'
import trackingCategory from './accounting/tracking-category.ts'
import vendor from './accounting/vendor.ts'
import shopper from './commerce/customer.ts'
import fulfillment from './commerce/fulfillment.ts'
import order from './commerce/order.ts'
import product from './commerce/product.ts'
import organization from './crm/account.ts'
import contact from './crm/contact.ts'
import lead from './crm/lead.ts'
import note from './crm/note.ts'
import opportunity from './crm/opportunity.ts'
import stage from './crm/stage.ts'
import task from './crm/task.ts'
import user from './crm/user.ts'
import { collection } from './listing.ts'

/** What a refusal says: `no_such_record (lines.0.item)`. */
const reasonOf = (body: unknown): string => {
  if (typeof body !== 'object' || body === null || !('error' in body)) return 'no reason given'
  const { reason, field } = Object(body.error)
  return typeof field === 'string' ? `${reason} (${field})` : String(reason)
}

const readFailure = ({ status, body }: AppResponse): AppFailure | undefined => {
  if (status < 400) return
  const reason = reasonOf(body)
  if (status === 401) return { kind: 'authentication', reason }
  return { kind: status >= 500 ? 'unavailable' : 'refused', reason }
}

/** The connector of the sandbox. */
export const connector = defineConnector({
  app: 'sandbox',
  name: 'Sandbox',
  doc: 'A company with its books, CRM and web shop, made up for trying things out. It changes by itself.',
  credential: {
    tenant: {
      doc: 'Name of the sandbox company.',
      secret: false,
      example: 'acme',
    },
    token: { doc: 'What the company was given when it was made.', secret: true },
  },
  // Answered inside the process: no such host exists.
  baseUrl: () => 'http://sandbox.trunkline.internal',
  authorize: ({ tenant = '', token = '' }) => ({
    authorization: `Bearer ${token}`,
    'sandbox-tenant': tenant,
  }),
  readFailure,
  resources: {
    'accounting/accounts': collection('ledger_accounts', ledgerAccount),
    'accounting/bills': collection('bills', bill),
    'accounting/companyInfo': collection('companies', companyInfo),
    'accounting/customers': collection('clients', client),
    'accounting/invoices': collection('invoices', invoice),
    'accounting/items': collection('catalog_items', item),
    'accounting/payments': collection('payments', payment),
    'accounting/purchaseOrders': collection('purchase_orders', purchaseOrder),
    'accounting/taxRates': collection('tax_codes', taxRate),
    'accounting/trackingCategories': collection('cost_centers', trackingCategory),
    'accounting/vendors': collection('vendors', vendor),
    'crm/accounts': collection('organizations', organization),
    'crm/contacts': collection('people', contact),
    'crm/leads': collection('leads', lead),
    'crm/notes': collection('notes', note),
    'crm/opportunities': collection('deals', opportunity),
    'crm/stages': collection('deal_stages', stage),
    'crm/tasks': collection('tasks', task),
    'crm/users': collection('members', user),
    'commerce/customers': collection('shoppers', shopper),
    'commerce/fulfillments': collection('shipments', fulfillment),
    'commerce/orders': collection('orders', order),
    'commerce/products': collection('products', product),
  },
})
