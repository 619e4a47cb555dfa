/** Events in the books: new parties, orders, bills, invoices and payments. */
import { amount, shareOf, units } from '../amounts.ts'
import {
  changeOf,
  creationOf,
  type EventContext,
  type Events,
  type SimulatedEvent,
  updateOf,
} from './event.ts'
import { dayOf } from './samples.ts'
import { euroRates, remarks } from './words.ts'

/** The fields that sales and purchases have in common, with one to four lines. */
const documentFields = async (
  { workspace, random }: EventContext,
  side: 'sale' | 'purchase',
  currency: string,
) => {
  const [price, account] =
    side === 'sale'
      ? (['unitPrice', 'invoiceAccountId'] as const)
      : (['purchasePrice', 'billAccountId'] as const)
  const items = await workspace.where('catalog_items', { itemStatus: 'ACTIVE' })
  const priced = items.filter(({ fields }) => fields[price] !== null)
  const centers = await workspace.where('cost_centers', { trackingCategoryStatus: 'active' })
  const centerOf = (percent: number) => (random.chance(percent) ? [random.pick(centers).id] : [])
  return {
    issueDate: dayOf(workspace),
    memo: random.chance(40) ? random.pick(remarks) : null,
    currency,
    exchangeRate: euroRates[currency] ?? '1',
    // Exports are zero-rated.
    tax_percent: currency === 'EUR' ? '23' : '0',
    trackingCategoryIds: centerOf(35),
    lineItems: random.some(priced, random.integer(1, 4)).map(({ id, fields }) => ({
      description: fields.itemName,
      accountingItemId: id,
      accountId: fields[account] ?? 'acc_0021',
      trackingCategoryIds: centerOf(50),
      unitPrice: fields[price] ?? '0.00',
      quantity: random.pick([1, 1, 2, 2, 3, 4, 5, 8, 10, 12]),
    })),
  }
}

const writeInvoice: SimulatedEvent = async (context) => {
  const { workspace, random, pick } = context
  const client = await pick('clients', { customerStatus: 'ACTIVE' })
  if (!client) return false
  // The order of the goods of this sale.
  const order = random.chance(15) ? await pick('purchase_orders') : undefined
  return workspace.create('invoices', {
    ...(await documentFields(context, 'sale', client.fields.currency)),
    customerId: client.id,
    dueDate: dayOf(workspace, random.pick([14, 30, 30])),
    discount_percent: random.chance(18) ? random.pick(['2', '5', '7.5', '10']) : '0',
    sent: random.chance(85),
    purchaseOrderIds: order ? [order.id] : [],
    project_code: `P-${dayOf(workspace).slice(2, 7)}`,
    approved_on: dayOf(workspace),
  })
}

/** Receives a bill for the oldest purchase order whose goods have arrived, or for other purchases. */
const receiveBill: SimulatedEvent = async (context) => {
  const { workspace, random, pick } = context
  const order = await pick('purchase_orders', { purchaseOrderStatus: 'received' }, 1)
  const vendor =
    (order && (await workspace.find('vendors', order.fields.vendorId))) ??
    (await pick('vendors', { vendorStatus: 'ACTIVE' }))
  if (!vendor) return false
  if (order) await workspace.update(order, { purchaseOrderStatus: 'billed' })
  return workspace.create('bills', {
    ...(await documentFields(context, 'purchase', vendor.fields.currency)),
    ...(order && { lineItems: order.fields.lineItems, purchaseOrderIds: [order.id] }),
    billNumber: random.digits('R-######'),
    vendorId: vendor.id,
    dueDate: dayOf(workspace, vendor.fields.payment_terms_days),
    discount_percent: random.chance(12) ? '3' : '0',
    approved: random.chance(85),
  })
}

/** Pays the open amount of one of the oldest documents, or half of it if nothing has been paid yet. */
const payOne =
  (kind: 'invoices' | 'bills', reference: 'invoice' | 'bill'): SimulatedEvent =>
  async ({ workspace, random, pick }) => {
    const isDue = ({ state, balance }: { readonly state: string; readonly balance: string }) =>
      state !== 'draft' && units(balance) > 0
    const document = await pick(kind, isDue, 8)
    if (!document) return false
    const { currency, exchangeRate, trackingCategoryIds, balance, state } = document.fields
    const isHalf = state === 'open' && random.chance(25)
    return workspace.create('payments', {
      [reference]: document.id,
      transactionDate: dayOf(workspace),
      totalAmount: isHalf ? amount(shareOf(units(balance), '50', currency)) : balance,
      currency,
      exchangeRate,
      accountId: random.chance(85) ? 'acc_0001' : 'acc_0002',
      trackingCategoryIds,
    })
  }

const orderFromVendor = creationOf('purchase_orders', async (context) => {
  const vendor = await context.pick('vendors', { vendorStatus: 'ACTIVE' })
  if (!vendor) return undefined
  return {
    ...(await documentFields(context, 'purchase', vendor.fields.currency)),
    vendorId: vendor.id,
    accountId: 'acc_0023',
    purchaseOrderStatus: 'draft',
    deliveryDate: dayOf(context.workspace, context.random.integer(5, 40)),
  }
})

/** Sends a purchase order, or receives its goods. */
const advanceOrder = updateOf(
  'purchase_orders',
  {
    condition: ({ purchaseOrderStatus }) => /^(?:draft|sent)$/.test(purchaseOrderStatus),
    oldest: 5,
  },
  ({ purchaseOrderStatus }, { random }) => {
    const next = purchaseOrderStatus === 'draft' ? 'sent' : 'received'
    return { purchaseOrderStatus: random.chance(6) ? 'cancelled' : next }
  },
)

/** Events of the books. Some drafts remain, because the newest two wait. */
export const bookEvents: Events = {
  findVendor: [1, creationOf('vendors')],
  winClient: [1, creationOf('clients')],
  writeInvoice: [2, writeInvoice],
  sendInvoice: [
    1,
    updateOf('invoices', { condition: { sent: false }, oldest: -2 }, () => ({ sent: true })),
  ],
  receiveBill: [2, receiveBill],
  approveBill: [
    1,
    updateOf('bills', { condition: { approved: false }, oldest: -2 }, () => ({ approved: true })),
  ],
  payInvoice: [2, payOne('invoices', 'invoice')],
  payBill: [2, payOne('bills', 'bill')],
  orderFromVendor: [2, orderFromVendor],
  advanceOrder: [3, advanceOrder],
  changeVendorMail: [1, changeOf('vendors', 'email')],
  moveClient: [1, changeOf('clients', 'addresses')],
}
