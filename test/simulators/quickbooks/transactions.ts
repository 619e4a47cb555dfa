/** The fields that the vendor computes for transactions: lines, tax, totals, balances, numbers and dates. */
import { sum } from '../engine/decimal.ts'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import { amountOf, type Company, referenceId } from './company.ts'
import { businessRule, missingParameter } from './faults.ts'
import { computeLines, linesOf, subtotalLine, subtotalOf } from './lines.ts'
import { currencyOf } from './references.ts'
import { computeTax } from './taxes.ts'
import { addDays, formatDay } from './times.ts'

/** Days until an invoice is due if no terms are sent. */
const DUE_DAYS = 30

/** The counterparty of a transaction, whose currency it has. */
const PARTIES: Readonly<Record<string, readonly [field: string, entity: string]>> = {
  Invoice: ['CustomerRef', 'Customer'],
  Payment: ['CustomerRef', 'Customer'],
  Bill: ['VendorRef', 'Vendor'],
  BillPayment: ['VendorRef', 'Vendor'],
  PurchaseOrder: ['VendorRef', 'Vendor'],
}

const partyOf = (company: Company, entity: string, value: JsonObject): JsonObject => {
  const [field, type] = PARTIES[entity] ?? ['', '']
  return company.stored(type, referenceId(value[field])) ?? {}
}

/** Currency and exchange rate, which a company with one currency does not have. */
const computeCurrency = (company: Company, entity: string, value: JsonObject): JsonObject => {
  const party = partyOf(company, entity, value)
  const CurrencyRef = currencyOf(company, isJsonObject(value.CurrencyRef) ? value : party)
  if (referenceId(CurrencyRef) !== referenceId(party.CurrencyRef))
    throw businessRule('The currency differs from that of the customer or vendor.', 'CurrencyRef')
  if (!company.settings.multiCurrency) return { CurrencyRef }
  const isHome = referenceId(CurrencyRef) === company.settings.homeCurrency
  return { CurrencyRef, ExchangeRate: isHome ? 1 : amountOf(value.ExchangeRate ?? 1) }
}

/** The unpaid amount. It changes by the same amount as the total. */
const balanceAfter = (total: number, before: JsonObject | undefined): number =>
  before === undefined ? total : sum([total, amountOf(before.Balance), -amountOf(before.TotalAmt)])

const nextNumber = ({ store }: Company, entity: string): string =>
  String(1000 + Number(store.nextId(`number of ${entity}`)))

const computeInvoice = (company: Company, value: JsonObject, before?: JsonObject): JsonObject => {
  const lines = computeLines('Invoice', value)
  const subtotal = subtotalOf(lines)
  const TxnTaxDetail = computeTax(company, value, lines)
  const TotalAmt = sum([subtotal, amountOf(TxnTaxDetail.TotalTax)])
  const Balance = balanceAfter(TotalAmt, before)
  if (Balance < 0) throw businessRule('The total is less than what is paid already.', 'Line')
  return {
    DocNumber: nextNumberIfNew(company, 'Invoice', before),
    EmailStatus: 'NotSet',
    PrintStatus: 'NotSet',
    ApplyTaxAfterDiscount: false,
    Deposit: 0,
    DueDate: addDays(String(value.TxnDate), DUE_DAYS),
    ...value,
    Line: [...lines, subtotalLine(subtotal)],
    LinkedTxn: before?.LinkedTxn ?? [],
    TxnTaxDetail,
    TotalAmt,
    Balance,
  }
}

const nextNumberIfNew = (
  company: Company,
  entity: string,
  before: JsonObject | undefined,
): JsonObject['x'] => (before === undefined ? nextNumber(company, entity) : before.DocNumber)

/** The first account of a type, which the vendor takes when none is sent. */
const defaultAccount = (company: Company, type: string): JsonObject | undefined => {
  const found = company.view('Account', `first ${type}`, (accounts) =>
    accounts.find(({ AccountType, Active }) => AccountType === type && Active !== false),
  )
  return found && { value: String(found.Id), name: String(found.Name) }
}

const computePurchase = (
  company: Company,
  entity: 'Bill' | 'PurchaseOrder',
  value: JsonObject,
  before?: JsonObject,
): JsonObject => {
  const lines = computeLines(entity, value)
  const sentTax = isJsonObject(value.TxnTaxDetail) ? amountOf(value.TxnTaxDetail.TotalTax) : 0
  const TotalAmt = sum([subtotalOf(lines), sentTax])
  const APAccountRef = value.APAccountRef ?? defaultAccount(company, 'Accounts Payable')
  const common = { ...value, APAccountRef, Line: lines, TotalAmt }
  if (entity === 'PurchaseOrder')
    return {
      DocNumber: nextNumberIfNew(company, entity, before),
      POStatus: 'Open',
      EmailStatus: 'NotSet',
      ...common,
    }
  const Balance = balanceAfter(TotalAmt, before)
  if (Balance < 0) throw businessRule('The total is less than what is paid already.', 'Line')
  return { DueDate: value.TxnDate, ...common, Balance, LinkedTxn: before?.LinkedTxn ?? [] }
}

/** The part of a payment that is not applied to invoices or bills. */
const unappliedOf = (value: JsonObject): number => {
  const unapplied = sum([
    amountOf(value.TotalAmt),
    ...linesOf(value).map(({ Amount }) => -amountOf(Amount)),
  ])
  if (unapplied < 0) throw businessRule('The lines are more than the total of the payment.', 'Line')
  return unapplied
}

const computePayment = (company: Company, value: JsonObject): JsonObject => ({
  DepositToAccountRef: defaultAccount(company, 'Other Current Asset'),
  ProcessPayment: false,
  ...value,
  Line: linesOf(value),
  UnappliedAmt: unappliedOf(value),
})

const PAYMENT_ACCOUNTS: Readonly<Record<string, readonly [detail: string, account: string]>> = {
  Check: ['CheckPayment', 'BankAccountRef'],
  CreditCard: ['CreditCardPayment', 'CCAccountRef'],
}

const computeBillPayment = (
  company: Company,
  value: JsonObject,
  before?: JsonObject,
): JsonObject => {
  const [detail = '', account = ''] = PAYMENT_ACCOUNTS[String(value.PayType)] ?? []
  const sent = value[detail]
  if (!isJsonObject(sent) || referenceId(sent[account]) === '')
    throw missingParameter(`${detail}.${account}`)
  if (unappliedOf(value) !== 0)
    throw businessRule('The lines must add up to the total of the payment.', 'Line')
  return { DocNumber: nextNumberIfNew(company, 'BillPayment', before), ...value }
}

/** The record with the fields that the vendor computes. @throws FaultException */
export const computeTransaction = (
  company: Company,
  entity: string,
  sent: JsonObject,
  before?: JsonObject,
): JsonObject => {
  const TxnDate = sent.TxnDate ?? formatDay(company.clock.nowMs())
  const value = { ...sent, TxnDate, ...computeCurrency(company, entity, sent) }
  switch (entity) {
    case 'Invoice':
      return computeInvoice(company, value, before)
    case 'Bill':
    case 'PurchaseOrder':
      return computePurchase(company, entity, value, before)
    case 'Payment':
      return computePayment(company, value)
    case 'BillPayment':
      return computeBillPayment(company, value, before)
    default:
      return value
  }
}
