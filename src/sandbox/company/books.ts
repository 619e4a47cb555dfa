/** Events in the books: new parties and items, orders, bills, invoices and payments. */
import { amount, ofCents, shareOf, times, units } from '../amounts.ts'
import type { FieldsOf, SandboxRecord } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import type { Workspace } from '../workspace.ts'
import { changeOf, creationOf, type SimulatedEvent, withOne } from './event.ts'
import { dayOf } from './samples.ts'
import { euroRates, goods, remarks, services } from './words.ts'

type Currency = FieldsOf<'invoices'>['currency']

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
    tax_code: isService && random.chance(30) ? 'tax_0002' : 'tax_0001',
  })
}

const rateOf = (currency: Currency): string => euroRates[currency] ?? '1'

/** The fields of a document with one to four lines. */
const documentFields = async (
  workspace: Workspace,
  random: Random,
  side: 'sale' | 'purchase',
  currency: Currency,
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
      // Exports are zero-rated.
      tax_code: currency === 'EUR' ? fields.tax_code : 'tax_0004',
    }
  })
  return {
    memo: random.chance(40) ? random.pick(remarks) : null,
    currency,
    exchangeRate: rateOf(currency),
    trackingCategoryIds: centerOf(35),
    lineItems,
  }
}

/** Sends an old draft, or writes an invoice. */
const sendInvoice: SimulatedEvent = async (workspace, random) => {
  const [draft, ...drafts] = await workspace.where('invoices', { sent: false })
  if (draft && drafts.length > 2) return workspace.update(draft, { sent: true })
  const orders = await workspace.where('purchase_orders')
  return withOne(
    random,
    await workspace.where('clients', { customerStatus: 'ACTIVE' }),
    async (client) =>
      workspace.create('invoices', {
        ...(await documentFields(workspace, random, 'sale', client.fields.currency)),
        customerId: client.id,
        issueDate: dayOf(workspace),
        dueDate: dayOf(workspace, random.pick([14, 30, 30])),
        discount_percent: random.chance(18) ? random.pick(['2', '5', '7.5', '10']) : '0',
        sent: random.chance(93),
        // The order of the goods of this sale.
        purchaseOrderIds: orders.length > 0 && random.chance(15) ? [random.pick(orders).id] : [],
      }),
  )
}

/** The oldest purchase order that was received and not billed. */
const findUnbilled = async (workspace: Workspace) => {
  const bills = await workspace.where('bills')
  const billed = new Set(bills.flatMap(({ fields }) => fields.purchaseOrderIds))
  const received = await workspace.where('purchase_orders', { purchaseOrderStatus: 'received' })
  return received.find(({ id }) => !billed.has(id))
}

/** Receives a bill, sometimes for a purchase order, whose lines it repeats. */
const receiveBill: SimulatedEvent = async (workspace, random) => {
  const [pending, ...others] = await workspace.where('bills', { approved: false })
  if (pending && others.length > 1) return workspace.update(pending, { approved: true })
  const order = random.chance(60) ? await findUnbilled(workspace) : undefined
  return withOne(
    random,
    await workspace.where('vendors', { vendorStatus: 'ACTIVE' }),
    async (vendor) => {
      const ordered = order && {
        vendorId: order.fields.vendorId,
        currency: order.fields.currency,
        exchangeRate: order.fields.exchangeRate,
        lineItems: order.fields.lineItems,
        purchaseOrderIds: [order.id],
      }
      await workspace.create('bills', {
        ...(await documentFields(workspace, random, 'purchase', vendor.fields.currency)),
        billNumber: random.digits('R-######'),
        vendorId: vendor.id,
        issueDate: dayOf(workspace),
        dueDate: dayOf(workspace, vendor.fields.payment_terms_days),
        discount_percent: random.chance(12) ? '3' : '0',
        approved: random.chance(93),
        ...ordered,
      })
    },
  )
}

const isOpen = ({ state, balance }: { state: string; balance: string }): boolean =>
  (state === 'open' || state === 'part_paid') && units(balance) > 0

/** Pays the open amount of one of the oldest documents, or half of it if nothing has been paid yet. */
const pay =
  (kind: 'invoices' | 'bills'): SimulatedEvent =>
  async (workspace, random) => {
    const documents: readonly (SandboxRecord<'invoices'> | SandboxRecord<'bills'>)[] =
      kind === 'invoices'
        ? await workspace.where('invoices', isOpen)
        : await workspace.where('bills', isOpen)
    return withOne(random, documents.slice(0, 8), ({ id, fields }) => {
      const { currency, exchangeRate, trackingCategoryIds, balance, state } = fields
      const open = units(balance)
      const isHalf = state === 'open' && random.chance(25)
      return workspace.create('payments', {
        invoice: kind === 'invoices' ? id : null,
        bill: kind === 'bills' ? id : null,
        transactionDate: dayOf(workspace),
        totalAmount: amount(isHalf ? shareOf(open, '50', currency) : open),
        currency,
        exchangeRate,
        accountId: random.chance(85) ? 'acc_0001' : 'acc_0002',
        method: random.pick(['transfer', 'transfer', 'transfer', 'card', 'direct_debit']),
        trackingCategoryIds,
      })
    })
  }

const orderFromVendor: SimulatedEvent = async (workspace, random) =>
  withOne(random, await workspace.where('vendors', { vendorStatus: 'ACTIVE' }), async (vendor) => {
    const [company] = await workspace.where('companies')
    const [address] = company?.fields.companyAddresses ?? []
    await workspace.create('purchase_orders', {
      ...(await documentFields(workspace, random, 'purchase', vendor.fields.currency)),
      vendorId: vendor.id,
      accountId: 'acc_0023',
      issueDate: dayOf(workspace),
      deliveryDate: random.chance(85) ? dayOf(workspace, random.integer(5, 40)) : null,
      deliveryAddress:
        address && random.chance(80) ? { ...address, addressType: 'SHIPPING' } : null,
    })
  })

const advanceOrder: SimulatedEvent = async (workspace, random) => {
  const orders = await workspace.where(
    'purchase_orders',
    ({ purchaseOrderStatus: status }) => status === 'draft' || status === 'sent',
  )
  return withOne(random, orders.slice(0, 5), (order) => {
    const next = order.fields.purchaseOrderStatus === 'draft' ? 'sent' : 'received'
    const purchaseOrderStatus = random.chance(6) ? 'cancelled' : next
    return workspace.update(order, { purchaseOrderStatus })
  })
}

/** Events that only the history has. */
export const bookGrowth = {
  findVendor: creationOf('vendors', (_, random) => ({
    payment_terms_days: random.pick([14, 30, 30, 45, 60]),
  })),
  winClient: creationOf('clients'),
  addItem,
}

/** Events of the books, by name. */
export const bookEvents = {
  sendInvoice,
  receiveBill,
  payInvoice: pay('invoices'),
  payBill: pay('bills'),
  orderFromVendor,
  advanceOrder,
  changeVendorMail: changeOf('vendors', 'email'),
  moveClient: changeOf('clients', 'addresses'),
}
