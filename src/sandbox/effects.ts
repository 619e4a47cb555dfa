/** Effects of a write on other records: ledger balances, paid documents and the shipping state of orders. */
import { amount, units } from './amounts.ts'
import type { FieldsOf, SandboxRecord } from './kinds/kinds.ts'
import { balanceSign, ledgerChange } from './ledger.ts'
import { checkShippedItems, shippingStateOf } from './shipping.ts'
import { settle } from './totals.ts'
import type { Workspace } from './workspace.ts'

const postToLedger = async (
  workspace: Workspace,
  before: SandboxRecord | undefined,
  after: SandboxRecord,
): Promise<void> => {
  for (const [id, value] of ledgerChange(before, after)) {
    const account = await workspace.find('ledger_accounts', id)
    // A line may still reference a deleted account.
    if (!account) continue
    const { currentBalance, classification } = account.fields
    const balance = units(currentBalance) + balanceSign(classification) * value
    await workspace.revise(account, { currentBalance: amount(balance) })
  }
}

/** Adds a created payment to its document or removes a deleted one. The kind rejects other changes. */
const settleDocument = async (
  workspace: Workspace,
  { invoice, bill, amount: paid, paid_on }: FieldsOf<'payments'>,
  sign: 1 | -1,
): Promise<void> => {
  const document = invoice
    ? await workspace.find('invoices', invoice)
    : await workspace.find('bills', bill ?? '')
  if (!document) return
  const settlement = settle(document.fields, sign * units(paid), paid_on)
  if (document.kind === 'invoices') await workspace.revise(document, settlement)
  else await workspace.revise(document, settlement)
}

const shipmentsOf = async (
  workspace: Workspace,
  orderId: string,
): Promise<readonly SandboxRecord<'shipments'>[]> =>
  (await workspace.live('shipments')).filter(({ fields }) => fields.order === orderId)

/** Derives the shipping state from the shipments; this replaces a stated value. */
const showShipping = async (workspace: Workspace, orderId: string): Promise<void> => {
  const order = await workspace.find('orders', orderId)
  if (!order) return
  const shipments = await shipmentsOf(workspace, orderId)
  const shipping_state = shippingStateOf(order.fields.items, shipments)
  const isStated = Boolean(order.fields.stated_shipping_state)
  if (isStated || shipping_state !== order.fields.shipping_state)
    await workspace.revise(order, { shipping_state, stated_shipping_state: null })
}

/** Applies the effects of a write to dependent records. @throws FieldError if a dependent record forbids the write */
export const applyEffects = async (
  workspace: Workspace,
  before: SandboxRecord | undefined,
  after: SandboxRecord,
): Promise<void> => {
  await postToLedger(workspace, before, after)
  if (after.kind === 'payments' && (before === undefined || after.deleted))
    await settleDocument(workspace, after.fields, after.deleted ? -1 : 1)
  if (after.kind === 'shipments') {
    const orders = [before, after].flatMap((record) =>
      record?.kind === 'shipments' ? [record.fields.order] : [],
    )
    for (const order of new Set(orders)) await showShipping(workspace, order)
  }
  if (after.kind === 'orders' && before?.kind === 'orders' && !after.deleted) {
    const { items, stated_shipping_state } = after.fields
    checkShippedItems(before.fields.items, items, await shipmentsOf(workspace, after.id))
    if (!stated_shipping_state) await showShipping(workspace, after.id)
  }
}
