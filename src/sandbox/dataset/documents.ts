/** Initial documents: half a year of purchase orders, bills, invoices and payments. */
import { shareOf, units } from '../amounts.ts'
import {
  generateBill,
  generateInvoice,
  generatePayment,
  generatePurchaseOrder,
  type Stock,
} from '../generators/documents.ts'
import type { KindInput, Stored } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import { settle } from '../totals.ts'
import { post } from './books.ts'
import { type DatasetDraft, spread } from './draft.ts'

const active = <T extends { readonly fields: { readonly state: string } }>(
  records: readonly T[],
): T[] => records.filter(({ fields }) => fields.state === 'active')

/** Pays `value` ten-thousandths of a document and posts the payment. */
const pay = (
  draft: DatasetDraft,
  random: Random,
  document: Stored<'invoices'> | Stored<'bills'>,
  value: number,
  paidAt: string,
): void => {
  const day = paidAt.slice(0, 10)
  const payment = draft.put('payments', generatePayment(random, document, value, day), paidAt)
  post(draft, undefined, payment)
  const settlement = settle(document.fields, value, day)
  if (document.kind === 'invoices') draft.revise(document, settlement, paidAt)
  else draft.revise(document, settlement, paidAt)
}

/** Pays a document with a probability that grows with its age, sometimes partially. */
const settleByAge = (
  draft: DatasetDraft,
  random: Random,
  document: Stored<'invoices'> | Stored<'bills'>,
  age: number,
): void => {
  const paidPercent = age > 60 ? 85 : age > 30 ? 55 : 15
  const paidAt = draft.instant(age - random.integer(3, 45))
  const { currency_code, total: text } = document.fields
  const total = units(text)
  if (random.chance(paidPercent)) pay(draft, random, document, total, paidAt)
  else if (random.chance(45))
    pay(draft, random, document, shareOf(total, '50', currency_code), paidAt)
}

const draftPurchaseOrders = (draft: DatasetDraft, stock: Stock): void => {
  const vendors = active(draft.all('vendors'))
  const delivery = draft.all('companies')[0]?.fields.addresses[0]
  for (const [index, age] of spread(22, 170, 4).entries()) {
    const random = draft.random('purchase_orders', index)
    const orderedAt = draft.instant(age)
    const deliverTo =
      delivery && random.chance(80) ? { ...delivery, kind: 'delivery' as const } : null
    const input = generatePurchaseOrder(
      random,
      stock,
      random.pick(vendors),
      deliverTo,
      orderedAt.slice(0, 10),
    )
    const state = age > 40 ? 'received' : random.pick(['draft', 'sent', 'sent'] as const)
    draft.put(
      'purchase_orders',
      { ...input, state: random.chance(6) ? 'cancelled' : state },
      orderedAt,
    )
  }
}

const draftBills = (draft: DatasetDraft, stock: Stock): void => {
  const vendors = active(draft.all('vendors'))
  const received = draft.all('purchase_orders').filter(({ fields }) => fields.state === 'received')
  for (const [index, age] of spread(40, 168, 2).entries()) {
    const random = draft.random('bills', index)
    const issuedAt = draft.instant(age)
    const issuedOn = issuedAt.slice(0, 10)
    const vendor = random.pick(vendors)
    const order = received.find(({ created }) => created < issuedAt)
    const isBilled = order !== undefined && random.chance(60)
    if (isBilled) received.splice(received.indexOf(order), 1)
    const invented = generateBill(random, stock, vendor, issuedOn)
    // Bills of an order repeat its lines.
    const input: KindInput<'bills'> = isBilled
      ? {
          ...invented,
          vendor: order.fields.vendor,
          currency_code: order.fields.currency_code,
          fx_rate: order.fields.fx_rate,
          lines: order.fields.lines,
          purchase_orders: [order.id],
        }
      : invented
    const bill = draft.put('bills', { ...input, approved: index < 38 }, issuedAt)
    post(draft, undefined, bill)
    if (bill.fields.approved && age > 4) settleByAge(draft, random, bill, age)
  }
}

const draftInvoices = (draft: DatasetDraft, stock: Stock): void => {
  const clients = active(draft.all('clients'))
  const orders = draft.all('purchase_orders')
  for (const [index, age] of spread(60, 175, 2).entries()) {
    const random = draft.random('invoices', index)
    const issuedAt = draft.instant(age)
    const input = generateInvoice(random, stock, random.pick(clients), issuedAt.slice(0, 10))
    // Links purchase orders for the goods of this sale.
    const source = orders.filter(({ created }) => created < issuedAt).at(-1)
    const invoice = draft.put(
      'invoices',
      {
        ...input,
        sent: index < 57,
        purchase_orders: source && random.chance(15) ? [source.id] : [],
      },
      issuedAt,
    )
    post(draft, undefined, invoice)
    if (invoice.fields.sent && age > 4) settleByAge(draft, random, invoice, age)
  }
}

/** Adds the documents. It requires the accounting records. */
export const draftDocuments = (draft: DatasetDraft): void => {
  const stock = {
    items: active(draft.all('catalog_items')),
    costCenters: draft.all('cost_centers'),
  }
  draftPurchaseOrders(draft, stock)
  draftBills(draft, stock)
  draftInvoices(draft, stock)
}
