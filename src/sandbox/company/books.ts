/** Events in the books: new parties and items, orders, bills, invoices and payments. */
import { amount, ofCents, shareOf, times, units } from '../amounts.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import {
  changeOf,
  creationOf,
  type Events,
  pickRecord,
  type SimulatedEvent,
  updateOf,
} from './event.ts'
import { dayOf, sampleOf } from './samples.ts'
import { euroRates, goods, remarks, services } from './words.ts'

/** Adds the next item of the catalogue. */
const addItem: SimulatedEvent = async (workspace, random) => {
  const index = (await workspace.where('catalog_items')).length
  const isService = index >= goods.length
  const name = [...goods, ...services][index]
  if (name === undefined) return false
  const isStocked = !isService && random.chance(70)
  const price = random.integer(12, 640) * 100 + random.pick([0, 0, 50, 90])
  return workspace.create('catalog_items', {
    itemName: name,
    itemStatus: random.chance(7) ? 'ARCHIVED' : 'ACTIVE',
    itemType: isService ? 'SERVICE' : isStocked ? 'INVENTORY' : 'NON_INVENTORY',
    unitPrice: ofCents(price),
    purchasePrice: isService ? null : ofCents((price * random.integer(40, 70)) / 100),
    qtyOnHand: isStocked ? random.integer(0, 240) : null,
    billAccountId: 'acc_0023',
    invoiceAccountId: isService ? 'acc_0022' : 'acc_0021',
    assetAccountId: isStocked ? 'acc_0007' : null,
  })
}

const rateOf = (currency: string): string => euroRates[currency] ?? '1'

/** The fields of a document with one to four lines. */
const documentFields = async (
  workspace: Workspace,
  random: Random,
  side: 'sale' | 'purchase',
  currency: string,
) => {
  const isSale = side === 'sale'
  const items = await workspace.where(
    'catalog_items',
    (item) => item.itemStatus === 'ACTIVE' && (isSale || item.purchasePrice !== null),
  )
  const centers = await workspace.where('cost_centers', { trackingCategoryStatus: 'active' })
  const centerOf = (percent: number) => (random.chance(percent) ? [random.pick(centers).id] : [])
  const lineItems = random.some(items, random.integer(1, 4)).map(({ id, fields }) => {
    const price = (isSale ? fields.unitPrice : fields.purchasePrice) ?? '80.00'
    return {
      description: fields.itemName,
      accountingItemId: id,
      accountId: (isSale ? fields.invoiceAccountId : fields.billAccountId) ?? 'acc_0021',
      trackingCategoryIds: centerOf(50),
      unitPrice: amount(times(units(price), 1 / Number(rateOf(currency)), currency)),
      quantity: random.pick([1, 1, 2, 2, 3, 4, 5, 8, 10, 12]),
    }
  })
  return {
    issueDate: dayOf(workspace),
    memo: random.chance(40) ? random.pick(remarks) : null,
    currency,
    exchangeRate: rateOf(currency),
    // Exports are zero-rated.
    tax_percent: currency === 'EUR' ? '23' : '0',
    trackingCategoryIds: centerOf(35),
    lineItems,
  }
}

/** Sends an old draft, or writes an invoice. */
const sendInvoice: SimulatedEvent = async (workspace, random) => {
  const [draft, ...drafts] = await workspace.where('invoices', { sent: false })
  if (draft && drafts.length > 2) return workspace.update(draft, { sent: true })
  const client = await pickRecord(workspace, random, 'clients', { customerStatus: 'ACTIVE' })
  if (!client) return false
  const order = await pickRecord(workspace, random, 'purchase_orders')
  return workspace.create('invoices', {
    ...(await documentFields(workspace, random, 'sale', client.fields.currency)),
    customerId: client.id,
    dueDate: dayOf(workspace, random.pick([14, 30, 30])),
    discount_percent: random.chance(18) ? random.pick(['2', '5', '7.5', '10']) : '0',
    sent: random.chance(93),
    // The order of the goods of this sale.
    purchaseOrderIds: order && random.chance(15) ? [order.id] : [],
    project_code: `P-${dayOf(workspace).slice(2, 7)}`,
    approved_on: dayOf(workspace),
  })
}

/** Receives a bill for the oldest purchase order that is received and not billed, or for other purchases. */
const receiveBill: SimulatedEvent = async (workspace, random) => {
  const bills = await workspace.where('bills')
  const [pending, ...others] = bills.filter(({ fields }) => !fields.approved)
  if (pending && others.length > 1) return workspace.update(pending, { approved: true })
  const billed = new Set(bills.flatMap(({ fields }) => fields.purchaseOrderIds))
  const received = await workspace.where('purchase_orders', { purchaseOrderStatus: 'received' })
  const order = received.find(({ id }) => !billed.has(id))
  const vendor =
    (order && (await workspace.find('vendors', order.fields.vendorId))) ??
    (await pickRecord(workspace, random, 'vendors', { vendorStatus: 'ACTIVE' }))
  if (!vendor) return false
  return workspace.create('bills', {
    ...(await documentFields(workspace, random, 'purchase', vendor.fields.currency)),
    ...(order && { lineItems: order.fields.lineItems, purchaseOrderIds: [order.id] }),
    billNumber: random.digits('R-######'),
    vendorId: vendor.id,
    dueDate: dayOf(workspace, vendor.fields.payment_terms_days),
    discount_percent: random.chance(12) ? '3' : '0',
    approved: random.chance(93),
  })
}

/** Whether an amount of a bill or an invoice is due. */
const isOpen = ({ state, balance }: { readonly state: string; readonly balance: string }) =>
  (state === 'open' || state === 'part_paid') && units(balance) > 0

/** Pays the open amount of one of the oldest documents, or half of it if nothing has been paid yet. */
const pay =
  (kind: 'invoices' | 'bills'): SimulatedEvent =>
  async (workspace, random) => {
    const document = await pickRecord(workspace, random, kind, isOpen, 8)
    if (!document) return false
    const { currency, exchangeRate, trackingCategoryIds, balance, state } = document.fields
    const isHalf = state === 'open' && random.chance(25)
    return workspace.create('payments', {
      [kind === 'invoices' ? 'invoice' : 'bill']: document.id,
      transactionDate: dayOf(workspace),
      totalAmount: isHalf ? amount(shareOf(units(balance), '50', currency)) : balance,
      currency,
      exchangeRate,
      accountId: random.chance(85) ? 'acc_0001' : 'acc_0002',
      trackingCategoryIds,
    })
  }

const orderFromVendor: SimulatedEvent = async (workspace, random) => {
  const vendor = await pickRecord(workspace, random, 'vendors', { vendorStatus: 'ACTIVE' })
  if (!vendor) return false
  const { deliveryAddress = null } = await sampleOf('purchase_orders', workspace, random)
  return workspace.create('purchase_orders', {
    ...(await documentFields(workspace, random, 'purchase', vendor.fields.currency)),
    vendorId: vendor.id,
    accountId: 'acc_0023',
    deliveryAddress,
    deliveryDate: dayOf(workspace, random.integer(5, 40)),
  })
}

/** Sends a purchase order, or receives its goods. */
const advanceOrder = updateOf(
  'purchase_orders',
  {
    condition: ({ purchaseOrderStatus: status }) => status === 'draft' || status === 'sent',
    oldest: 5,
  },
  ({ purchaseOrderStatus }, random) => {
    const next = purchaseOrderStatus === 'draft' ? 'sent' : 'received'
    return { purchaseOrderStatus: random.chance(6) ? 'cancelled' : next }
  },
)

/** Events of the books. */
export const bookEvents: Events = {
  findVendor: [1, creationOf('vendors')],
  winClient: [1, creationOf('clients')],
  addItem: [1, addItem],
  sendInvoice: [2, sendInvoice],
  receiveBill: [2, receiveBill],
  payInvoice: [2, pay('invoices')],
  payBill: [2, pay('bills')],
  orderFromVendor: [2, orderFromVendor],
  advanceOrder: [3, advanceOrder],
  changeVendorMail: [1, changeOf('vendors', 'email')],
  moveClient: [1, changeOf('clients', 'addresses')],
}
