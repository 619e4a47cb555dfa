/** Half a year of papers: orders to vendors, bills, invoices and what was paid of them. */
import { cents } from '../amounts.ts'
import type { Dice } from '../dice.ts'
import {
  inventBill,
  inventInvoice,
  inventPayment,
  inventPurchaseOrder,
  type Stock,
} from '../invent/documents.ts'
import type { Given, Stored } from '../kinds/kinds.ts'
import { settle } from '../totals.ts'
import { post } from './books.ts'
import { type Draft, spread } from './draft.ts'

const active = <T extends { readonly fields: { readonly state: string } }>(
  records: readonly T[],
): T[] => records.filter(({ fields }) => fields.state === 'active')

/** Pays `value` cents of a document, and carries that through the books. */
const pay = (
  draft: Draft,
  dice: Dice,
  document: Stored<'invoices'> | Stored<'bills'>,
  value: number,
  paidAt: string,
): void => {
  const day = paidAt.slice(0, 10)
  const payment = draft.put('payments', inventPayment(dice, document, value, day), paidAt)
  post(draft, undefined, payment)
  const settlement = settle(document.fields, value, day)
  if (document.kind === 'invoices') draft.revise(document, settlement, paidAt)
  else draft.revise(document, settlement, paidAt)
}

/** The older a demand, the likelier it is paid; some are paid in part. */
const settleByAge = (
  draft: Draft,
  dice: Dice,
  document: Stored<'invoices'> | Stored<'bills'>,
  age: number,
): void => {
  const paidPercent = age > 60 ? 85 : age > 30 ? 55 : 15
  const paidAt = draft.instant(age - dice.integer(3, 45))
  const total = cents(document.fields.total)
  if (dice.chance(paidPercent)) pay(draft, dice, document, total, paidAt)
  else if (dice.chance(45)) pay(draft, dice, document, Math.round(total / 2), paidAt)
}

const draftPurchaseOrders = (draft: Draft, stock: Stock): void => {
  const vendors = active(draft.all('vendors'))
  const delivery = draft.all('companies')[0]?.fields.addresses[0]
  for (const [index, age] of spread(22, 170, 4).entries()) {
    const dice = draft.dice('purchase_orders', index)
    const orderedAt = draft.instant(age)
    const deliverTo =
      delivery && dice.chance(80) ? { ...delivery, kind: 'delivery' as const } : null
    const given = inventPurchaseOrder(
      dice,
      stock,
      dice.pick(vendors),
      deliverTo,
      orderedAt.slice(0, 10),
    )
    const state = age > 40 ? 'received' : dice.pick(['draft', 'sent', 'sent'] as const)
    draft.put(
      'purchase_orders',
      { ...given, state: dice.chance(6) ? 'cancelled' : state },
      orderedAt,
    )
  }
}

const draftBills = (draft: Draft, stock: Stock): void => {
  const vendors = active(draft.all('vendors'))
  const received = draft.all('purchase_orders').filter(({ fields }) => fields.state === 'received')
  for (const [index, age] of spread(40, 168, 2).entries()) {
    const dice = draft.dice('bills', index)
    const issuedAt = draft.instant(age)
    const issuedOn = issuedAt.slice(0, 10)
    const vendor = dice.pick(vendors)
    const order = received.find(({ created }) => created < issuedAt)
    const isBilled = order !== undefined && dice.chance(60)
    if (isBilled) received.splice(received.indexOf(order), 1)
    const invented = inventBill(dice, stock, vendor, issuedOn)
    // What was ordered is billed as it was ordered.
    const given: Given<'bills'> = isBilled
      ? {
          ...invented,
          vendor: order.fields.vendor,
          currency_code: order.fields.currency_code,
          fx_rate: order.fields.fx_rate,
          lines: order.fields.lines,
          purchase_orders: [order.id],
        }
      : invented
    const bill = draft.put('bills', { ...given, approved: index < 38 }, issuedAt)
    post(draft, undefined, bill)
    if (bill.fields.approved && age > 4) settleByAge(draft, dice, bill, age)
  }
}

const draftInvoices = (draft: Draft, stock: Stock): void => {
  const clients = active(draft.all('clients'))
  const orders = draft.all('purchase_orders')
  for (const [index, age] of spread(60, 175, 2).entries()) {
    const dice = draft.dice('invoices', index)
    const issuedAt = draft.instant(age)
    const given = inventInvoice(dice, stock, dice.pick(clients), issuedAt.slice(0, 10))
    // Goods that were bought for this very sale.
    const source = orders.filter(({ created }) => created < issuedAt).at(-1)
    const invoice = draft.put(
      'invoices',
      {
        ...given,
        sent: index < 57,
        purchase_orders: source && dice.chance(15) ? [source.id] : [],
      },
      issuedAt,
    )
    post(draft, undefined, invoice)
    if (invoice.fields.sent && age > 4) settleByAge(draft, dice, invoice, age)
  }
}

/** Needs the books. */
export const draftDocuments = (draft: Draft): void => {
  const stock = {
    items: active(draft.all('catalog_items')),
    costCenters: draft.all('cost_centers'),
  }
  draftPurchaseOrders(draft, stock)
  draftBills(draft, stock)
  draftInvoices(draft, stock)
}
