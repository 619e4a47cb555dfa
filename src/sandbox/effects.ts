/** Effects of a write on other records: ledger balances, paid documents and the fulfillment status of orders. */
import { amount, sum, units } from './amounts.ts'
import type { SandboxRecord } from './kinds/kinds.ts'
import { balanceSign, ledgerChange } from './ledger.ts'
import { checkShippedLines, fulfillmentStatusOf } from './shipping.ts'
import { settlement } from './totals.ts'
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

/** Derives the payment state of a bill or an invoice from its payments. */
const settleDocument = async (
  workspace: Workspace,
  kind: 'invoices' | 'bills',
  id: string,
): Promise<void> => {
  const document = await workspace.find(kind, id)
  if (!document) return
  const payments = await workspace.where(
    'payments',
    ({ invoice, bill }) => (kind === 'invoices' ? invoice : bill) === id,
  )
  const { totalAmount, state } = document.fields
  const paid = sum(payments.map(({ fields }) => units(fields.totalAmount)))
  const days = payments.map(({ fields }) => fields.transactionDate)
  const lastDay = days.sort().at(-1) ?? ''
  await workspace.revise(document, settlement(totalAmount, paid, state !== 'draft', lastDay))
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
  const written = before ? [before, after] : [after]
  const referenced = (name: string): readonly string[] => [
    ...new Set(written.flatMap(({ fields }) => Object(fields)[name] ?? [])),
  ]
  if (after.kind === 'payments') {
    for (const id of referenced('invoice')) await settleDocument(workspace, 'invoices', id)
    for (const id of referenced('bill')) await settleDocument(workspace, 'bills', id)
  }
  if (after.kind === 'shipments')
    for (const id of referenced('orderId')) await showShipping(workspace, id)
  if (after.kind === 'orders' && before?.kind === 'orders' && !after.deleted) {
    const { lineItems, stated_status } = after.fields
    const shipments = await workspace.where('shipments', { orderId: after.id })
    checkShippedLines(before.fields.lineItems, lineItems, shipments)
    if (stated_status === null) await showShipping(workspace, after.id)
  }
}
