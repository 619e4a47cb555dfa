/** Many records for first syncs and measurements, written as the company's users write them. */
import type { JsonObject } from '../engine/json.ts'
import { amountOf, type Company } from './company.ts'
import { write } from './writes.ts'

const reference = (id: unknown): JsonObject => ({ value: String(id) })

const accountOf = (company: Company, type: string): JsonObject =>
  reference(company.store.list('Account').find(({ value }) => value.AccountType === type)?.id ?? '')

const price = (index: number): number => (1000 + ((index * 377) % 90_000)) / 100

/** Adds `count` customers, vendors, items, invoices and bills each; every second invoice and third bill is paid. */
export const addSampleRecords = (company: Company, count: number): void => {
  const create = (entity: string, value: JsonObject): JsonObject =>
    write(company, 'create', entity, value)
  const IncomeAccountRef = accountOf(company, 'Income')
  const AccountRef = accountOf(company, 'Expense')
  const BankAccountRef = accountOf(company, 'Bank')

  const payInvoice = ({ Id, CustomerRef, TotalAmt }: JsonObject): void => {
    const LinkedTxn = [{ TxnId: String(Id), TxnType: 'Invoice' }]
    create('Payment', { CustomerRef, TotalAmt, Line: [{ Amount: amountOf(TotalAmt), LinkedTxn }] })
  }
  const payBill = ({ Id, VendorRef, TotalAmt }: JsonObject): void => {
    const LinkedTxn = [{ TxnId: String(Id), TxnType: 'Bill' }]
    const CheckPayment = { BankAccountRef }
    const Line = [{ Amount: amountOf(TotalAmt), LinkedTxn }]
    create('BillPayment', { VendorRef, TotalAmt, PayType: 'Check', CheckPayment, Line })
  }
  const people = Array.from({ length: count }, (_, index) => {
    const PrimaryEmailAddr = { Address: `person${index}@example.com` }
    const customer = create('Customer', { DisplayName: `Customer ${index}`, PrimaryEmailAddr })
    const vendor = create('Vendor', { DisplayName: `Vendor ${index}`, PrimaryEmailAddr })
    const values = {
      Name: `Item ${index}`,
      Type: 'Service',
      IncomeAccountRef,
      UnitPrice: price(index),
    }
    return { customer, vendor, item: create('Item', values) }
  })
  for (const [at, { customer, vendor, item }] of people.entries()) {
    const Amount = price(at)
    const SalesItemLineDetail = { ItemRef: reference(item.Id), Qty: 1, UnitPrice: Amount }
    const invoice = create('Invoice', {
      CustomerRef: reference(customer.Id),
      Line: [{ Amount, DetailType: 'SalesItemLineDetail', SalesItemLineDetail }],
    })
    if (at % 2 === 0) payInvoice(invoice)
    const DetailType = 'AccountBasedExpenseLineDetail'
    const Line = [{ Amount, DetailType, [DetailType]: { AccountRef } }]
    const bill = create('Bill', { VendorRef: reference(vendor.Id), Line })
    if (at % 3 === 0) payBill(bill)
  }
}
