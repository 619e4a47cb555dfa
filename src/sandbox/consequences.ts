/** What a write brings about elsewhere: the ledger is posted to, a paid demand is settled, an order is shipped. */
import { amount, cents } from './amounts.ts'
import type { FieldsOf, Stored } from './kinds/kinds.ts'
import { balanceSign, ledgerChange } from './ledger.ts'
import { shippingStateOf } from './shipping.ts'
import { settle } from './totals.ts'
import type { Workspace } from './workspace.ts'

const postToLedger = async (
  workspace: Workspace,
  before: Stored | undefined,
  after: Stored,
): Promise<void> => {
  for (const [id, value] of ledgerChange(before, after)) {
    const account = await workspace.find('ledger_accounts', id)
    // A line may still name an account that was deleted since.
    if (!account) continue
    const balance = cents(account.fields.balance) + balanceSign(account.fields.section) * value
    await workspace.revise(account, { balance: amount(balance) })
  }
}

/** A payment is made or deleted, never rewritten: its kind sees to that. */
const settleDocument = async (
  workspace: Workspace,
  { invoice, bill, amount: paid, paid_on }: FieldsOf<'payments'>,
  sign: 1 | -1,
): Promise<void> => {
  const document = invoice
    ? await workspace.find('invoices', invoice)
    : await workspace.find('bills', bill ?? '')
  if (!document) return
  const settlement = settle(document.fields, sign * cents(paid), paid_on)
  if (document.kind === 'invoices') await workspace.revise(document, settlement)
  else await workspace.revise(document, settlement)
}

/** What is sent off from here counts for more than what a writer has said of the order. */
const showShipping = async (workspace: Workspace, orderId: string): Promise<void> => {
  const order = await workspace.find('orders', orderId)
  if (!order) return
  const shipments = await workspace.live('shipments')
  const shipping_state = shippingStateOf(
    order.fields.items,
    shipments.filter(({ fields }) => fields.order === orderId),
  )
  const isStated = Boolean(order.fields.stated_shipping_state)
  if (isStated || shipping_state !== order.fields.shipping_state)
    await workspace.revise(order, { shipping_state, stated_shipping_state: null })
}

/** Carries a write on to the records that depend on it. */
export const carryOn = async (
  workspace: Workspace,
  before: Stored | undefined,
  after: Stored,
): Promise<void> => {
  await postToLedger(workspace, before, after)
  if (after.kind === 'payments' && (before === undefined || after.deleted))
    // Its fields are those of its kind.
    await settleDocument(workspace, after.fields as FieldsOf<'payments'>, after.deleted ? -1 : 1)
  if (after.kind === 'shipments') {
    const orders = [before, after].flatMap((record) =>
      record ? [(record.fields as FieldsOf<'shipments'>).order] : [],
    )
    for (const order of new Set(orders)) await showShipping(workspace, order)
  }
  if (after.kind === 'orders' && before && !after.deleted) {
    // Its fields are those of its kind.
    const { stated_shipping_state } = after.fields as FieldsOf<'orders'>
    if (!stated_shipping_state) await showShipping(workspace, after.id)
  }
}
