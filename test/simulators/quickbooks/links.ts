/** Payments reduce the balances of what they pay, and both sides link to each other. */
import { sum } from '../engine/decimal.ts'
import { isJsonObject, type Json, type JsonObject } from '../engine/json.ts'
import { amountOf, type Company, referenceId } from './company.ts'
import { businessRule, invalidReference } from './faults.ts'
import { linesOf } from './lines.ts'

interface PaymentKind {
  readonly pays: string
  readonly party: string
}

const PAYMENTS: Readonly<Record<string, PaymentKind>> = {
  Payment: { pays: 'Invoice', party: 'CustomerRef' },
  BillPayment: { pays: 'Bill', party: 'VendorRef' },
}

/** The type of a document's link to a payment. */
const linkType = (entity: string, { PayType }: JsonObject): string =>
  entity === 'Payment' ? 'Payment' : `BillPayment${String(PayType)}`

const linksOf = (value: Json | undefined): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter((link) => isJsonObject(link)) : []

/** The amount that a payment applies to each document. @throws FaultException 6000 if a line links to something else */
const appliedBy = ({ pays }: PaymentKind, payment: JsonObject): ReadonlyMap<string, number> => {
  const applied = new Map<string, number>()
  for (const { Amount, LinkedTxn } of linesOf(payment))
    for (const { TxnId, TxnType } of linksOf(LinkedTxn)) {
      if (TxnType !== pays)
        throw businessRule(`A line of this payment links to ${String(TxnType)}.`, 'Line')
      applied.set(String(TxnId), sum([applied.get(String(TxnId)) ?? 0, amountOf(Amount)]))
    }
  return applied
}

/** The document as it is after a payment changed what it applies to it. */
const pay = (
  document: JsonObject,
  change: number,
  link: { readonly id: string; readonly type: string; readonly isApplied: boolean },
): JsonObject => {
  const Balance = sum([amountOf(document.Balance), -change])
  if (Balance < 0)
    throw businessRule('The amount applied is more than what remains to be paid.', 'Line')
  const others = linksOf(document.LinkedTxn).filter(({ TxnId }) => TxnId !== link.id)
  const own = link.isApplied ? [{ TxnId: link.id, TxnType: link.type }] : []
  return { ...document, Balance, LinkedTxn: [...others, ...own] }
}

/** Writes a record again with a new version. */
export type Rewrite = (entity: string, value: JsonObject) => void

/**
 * Applies the difference between two versions of a payment to the documents that they pay.
 * @throws FaultException 2500 or 6000
 */
export const applyPayment = (
  company: Company,
  entity: string,
  { before = {}, after = {} }: { readonly before?: JsonObject; readonly after?: JsonObject },
  rewrite: Rewrite,
): void => {
  const kind = PAYMENTS[entity]
  if (kind === undefined) return
  const [was, is] = [appliedBy(kind, before), appliedBy(kind, after)]
  const payment = { ...before, ...after }
  for (const documentId of new Set([...was.keys(), ...is.keys()])) {
    const document = company.stored(kind.pays, documentId)
    if (!document) throw invalidReference(kind.pays, documentId, 'Line')
    if (referenceId(document[kind.party]) !== referenceId(payment[kind.party]))
      throw businessRule('A line links to a transaction of somebody else.', 'Line')
    const change = sum([is.get(documentId) ?? 0, -(was.get(documentId) ?? 0)])
    if (change === 0 && is.has(documentId) === was.has(documentId)) continue
    const link = {
      id: String(payment.Id),
      type: linkType(entity, payment),
      isApplied: is.has(documentId),
    }
    rewrite(kind.pays, pay(document, change, link))
  }
}

/** Takes a document that is deleted or voided out of the payments that link to it. */
export const unlinkDocument = (
  company: Company,
  entity: string,
  document: JsonObject,
  rewrite: Rewrite,
): void => {
  const payment = Object.keys(PAYMENTS).find((name) => PAYMENTS[name]?.pays === entity)
  if (payment === undefined) return
  for (const { TxnId } of linksOf(document.LinkedTxn)) {
    const found = company.stored(payment, String(TxnId))
    if (!found) continue
    const Line = linesOf(found).filter(
      ({ LinkedTxn }) => !linksOf(LinkedTxn).some((link) => link.TxnId === document.Id),
    )
    const applied = Line.map(({ Amount }) => -amountOf(Amount))
    const isBillPayment = payment === 'BillPayment'
    const UnappliedAmt = sum([amountOf(found.TotalAmt), ...applied])
    rewrite(payment, {
      ...found,
      Line,
      ...(isBillPayment ? { TotalAmt: sum(applied.map((amount) => -amount)) } : { UnappliedAmt }),
    })
  }
}
