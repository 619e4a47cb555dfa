/** Manifest of the sandbox, an app with records of every kind for trials and tests. */
import {
  type AppFailure,
  type AppResponse,
  defineConnector,
  type ResourceConnector,
} from '../../definition/connector.ts'
import { catalogue } from '../../generated/catalogue.ts'
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
import { derivedCollection } from './derived.ts'

/** The resources whose records the sandbox has in a form of its own, by topic. */
const written: ReadonlyMap<string, ResourceConnector> = new Map(
  [
    ledgerAccount,
    bill,
    companyInfo,
    client,
    invoice,
    item,
    payment,
    purchaseOrder,
    taxRate,
    trackingCategory,
    vendor,
    organization,
    contact,
    lead,
    note,
    opportunity,
    stage,
    task,
    user,
    shopper,
    fulfillment,
    order,
    product,
  ].map((resource) => [resource.mapping.resource.topic, resource]),
)

const kindOf = (status: number, reason: unknown): AppFailure['kind'] => {
  if (status === 401) return 'authentication'
  if (status >= 500) return 'unavailable'
  if (status === 409 && reason === 'stale_version') return 'conflict'
  // A 422 with this reason is about a record that a field references.
  if (status === 404 && reason === 'no_such_record') return 'absent'
  return 'refused'
}

const readFailure = ({ status, body }: AppResponse): AppFailure | undefined => {
  if (status < 400) return
  const hasError = typeof body === 'object' && body !== null && 'error' in body
  const { reason, field, message } = hasError ? Object(body.error) : { reason: 'no reason given' }
  const kind = kindOf(status, reason)
  if (typeof message === 'string') return { kind, reason: message, field }
  // `no_such_record (lines.0.item)`
  return typeof field === 'string'
    ? { kind, reason: `${reason} (${field})`, field }
    : { kind, reason: String(reason) }
}

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value : undefined

/** The connector of the sandbox. */
export const connector = defineConnector({
  app: 'sandbox',
  name: 'Sandbox',
  doc: 'A fictional company with books, a CRM and a web shop, for trying out the API. Its data changes over time.',
  credential: {
    tenant: {
      doc: 'Name of the sandbox company: lowercase letters, digits and hyphens. A new name creates a new company.',
      secret: false,
      example: 'harbour-light',
    },
    token: {
      doc: 'Token of the company. For a new company, choose any token.',
      secret: true,
      example: 'open-sesame',
    },
  },
  // Handled in this process: the host does not exist.
  baseUrl: () => 'http://sandbox.trunkline.internal',
  authorize: ({ tenant = '', token = '' }) => ({
    authorization: `Bearer ${token}`,
    'sandbox-tenant': tenant,
  }),
  readFailure,
  // Creates the company if the name is new; NOTES "`PUT /v1/tenant` accepts the tenant's token".
  check: { method: 'PUT', path: '/v1/tenant' },
  readAccountName: ({ body }) => textOf(Object(body).name),
  resources: Object.fromEntries(
    catalogue.resources.map((resource) => [
      resource.topic,
      written.get(resource.topic) ?? derivedCollection(resource),
    ]),
  ),
})
