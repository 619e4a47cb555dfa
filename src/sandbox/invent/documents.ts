/** Invented papers of the books, between records that are there. */
import { amount, cents } from '../amounts.ts'
import type { Dice } from '../dice.ts'
import type { FieldsOf, Given, Stored } from '../kinds/kinds.ts'
import { euroRates } from './words.ts'

const DAY_MS = 86_400_000

/** The calendar day some days after another. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** What documents are made from. */
export interface Stock {
  readonly items: readonly Stored<'catalog_items'>[]
  readonly costCenters: readonly Stored<'cost_centers'>[]
}

type Side = 'sale' | 'purchase'
type Currency = FieldsOf<'invoices'>['currency_code']

const rateOf = (currency: Currency): string =>
  currency in euroRates
    ? // `in` has just said that it is one of its keys.
      euroRates[currency as keyof typeof euroRates]
    : '1'

/** A price in euro, in another currency. */
const inCurrency = (price: string, currency: Currency): string =>
  amount(cents(price) / Number(rateOf(currency)))

// Goods that leave the country are not taxed at home.
const taxCode = (currency: Currency, usual: string): string =>
  currency === 'EUR' ? usual : 'tax_0004'

const inventLines = (dice: Dice, { items, costCenters }: Stock, side: Side, currency: Currency) =>
  dice
    .some(
      items.filter(({ fields }) => side === 'sale' || fields.purchase_price !== null),
      dice.integer(1, 4),
    )
    .map(({ id, fields }) => ({
      text: fields.name,
      item: id,
      account: (side === 'sale' ? fields.sales_account : fields.purchase_account) ?? 'acc_0021',
      cost_centers: dice.chance(50) ? [dice.pick(costCenters).id] : [],
      unit_price: inCurrency(
        (side === 'sale' ? fields.sale_price : fields.purchase_price) ?? '80.00',
        currency,
      ),
      quantity: dice.pick([1, 1, 2, 2, 3, 4, 5, 8, 10, 12]),
      tax_code: taxCode(currency, fields.tax_code),
    }))

const REMARKS = [
  'Please quote the number when paying.',
  'As agreed by telephone.',
  'Second part follows.',
  'Thank you for your business.',
]

const paper = (dice: Dice, stock: Stock, side: Side, currency: Currency) => ({
  remark: dice.chance(40) ? dice.pick(REMARKS) : null,
  currency_code: currency,
  fx_rate: rateOf(currency),
  cost_centers: dice.chance(35) ? [dice.pick(stock.costCenters).id] : [],
  lines: inventLines(dice, stock, side, currency),
})

/** An invoice of that day. */
export const inventInvoice = (
  dice: Dice,
  stock: Stock,
  client: Stored<'clients'>,
  issuedOn: string,
): Given<'invoices'> => ({
  ...paper(dice, stock, 'sale', client.fields.currency_code),
  client: client.id,
  issued_on: issuedOn,
  due_on: dayAfter(issuedOn, dice.pick([14, 30, 30])),
  discount_percent: dice.chance(18) ? dice.pick(['2', '5', '7.5', '10']) : '0',
})

/** A bill of that day. */
export const inventBill = (
  dice: Dice,
  stock: Stock,
  vendor: Stored<'vendors'>,
  issuedOn: string,
): Given<'bills'> => ({
  ...paper(dice, stock, 'purchase', vendor.fields.currency_code),
  number: dice.digits('R-######'),
  vendor: vendor.id,
  issued_on: issuedOn,
  due_on: dayAfter(issuedOn, vendor.fields.payment_terms_days),
  discount_percent: dice.chance(12) ? '3' : '0',
})

/** An order of that day. */
export const inventPurchaseOrder = (
  dice: Dice,
  stock: Stock,
  vendor: Stored<'vendors'>,
  deliverTo: Given<'purchase_orders'>['deliver_to'],
  orderedOn: string,
): Given<'purchase_orders'> => ({
  ...paper(dice, stock, 'purchase', vendor.fields.currency_code),
  vendor: vendor.id,
  account: 'acc_0023',
  ordered_on: orderedOn,
  expected_on: dice.chance(85) ? dayAfter(orderedOn, dice.integer(5, 40)) : null,
  deliver_to: deliverTo ?? null,
})

/** A payment of `value` cents of an invoice or a bill. */
export const inventPayment = (
  dice: Dice,
  document: Stored<'invoices'> | Stored<'bills'>,
  value: number,
  paidOn: string,
): Given<'payments'> => {
  const { fields, id, kind } = document
  return {
    invoice: kind === 'invoices' ? id : null,
    bill: kind === 'bills' ? id : null,
    paid_on: paidOn,
    amount: amount(value),
    currency_code: fields.currency_code,
    fx_rate: fields.fx_rate,
    account: dice.chance(85) ? 'acc_0001' : 'acc_0002',
    method: dice.pick(['transfer', 'transfer', 'transfer', 'card', 'direct_debit']),
    reference: fields.number,
    cost_centers: fields.cost_centers,
  }
}
