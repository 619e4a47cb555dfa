/** Effects of a write on other records: ledger balances, paid documents and the fulfillment status of orders. */
import { amount, units } from './amounts.ts'
import type { FieldsOf, SandboxRecord } from './kinds/kinds.ts'
import { balanceSign, ledgerChange } from './ledger.ts'
import { checkShippedLines, fulfillmentStatusOf } from './shipping.ts'
import { paidOf, settlement } from './totals.ts'
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
  { invoice, bill, totalAmount, transactionDate }: FieldsOf<'payments'>,
  sign: 1 | -1,
): Promise<void> => {
  const document = invoice
    ? await workspace.find('invoices', invoice)
    : await workspace.find('bills', bill ?? '')
  if (!document) return
  const { fields } = document
  const paid = paidOf(fields) + sign * units(totalAmount)
  const isPosted = fields.state !== 'draft'
  const settled = settlement(fields.totalAmount, paid, isPosted, transactionDate)
  if (document.kind === 'invoices') await workspace.revise(document, settled)
  else await workspace.revise(document, settled)
}

/** Derives the fulfillment status from the shipments; this replaces a stated value. */
const showShipping = async (workspace: Workspace, orderId: string): Promise<void> => {
  const order = await workspace.find('orders', orderId)
  if (!order) return
  const { lineItems, stated_status, ...fields } = order.fields
  const shipments = await workspace.where('shipments', { orderId })
  const fulfillmentStatus = fulfillmentStatusOf(lineItems, shipments)
  if (stated_status !== null || fulfillmentStatus !== fields.fulfillmentStatus)
    await workspace.revise(order, { fulfillmentStatus, stated_status: null })
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
      record?.kind === 'shipments' ? [record.fields.orderId] : [],
    )
    for (const order of new Set(orders)) await showShipping(workspace, order)
  }
  if (after.kind === 'orders' && before?.kind === 'orders' && !after.deleted) {
    const { lineItems, stated_status } = after.fields
    const shipments = await workspace.where('shipments', { orderId: after.id })
    checkShippedLines(before.fields.lineItems, lineItems, shipments)
    if (stated_status === null) await showShipping(workspace, after.id)
  }
}
