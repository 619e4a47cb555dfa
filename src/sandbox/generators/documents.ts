/** Generates documents of the books that reference existing records. */
import { amount, times, units } from '../amounts.ts'
import type { FieldsOf, KindInput, Stored } from '../kinds/kinds.ts'
import type { Random } from '../random.ts'
import { euroRates } from './words.ts'

const DAY_MS = 86_400_000

/** The calendar day `days` after another. */
export const dayAfter = (day: string, days: number): string =>
  new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10)

/** Records that generated documents reference. */
export interface Stock {
  readonly items: readonly Stored<'catalog_items'>[]
  readonly costCenters: readonly Stored<'cost_centers'>[]
}

type Side = 'sale' | 'purchase'
type Currency = FieldsOf<'invoices'>['currency_code']

const rateOf = (currency: Currency): string =>
  currency in euroRates
    ? // Safe cast: `in` has checked the key.
      euroRates[currency as keyof typeof euroRates]
    : '1'

/** Converts a price in euro to another currency. */
const inCurrency = (price: string, currency: Currency): string =>
  amount(times(units(price), 1 / Number(rateOf(currency)), currency))

// Exports are zero-rated.
const taxCode = (currency: Currency, usual: string): string =>
  currency === 'EUR' ? usual : 'tax_0004'

const generateLines = (
  random: Random,
  { items, costCenters }: Stock,
  side: Side,
  currency: Currency,
) =>
  random
    .some(
      items.filter(({ fields }) => side === 'sale' || fields.purchase_price !== null),
      random.integer(1, 4),
    )
    .map(({ id, fields }) => ({
      text: fields.name,
      item: id,
      account: (side === 'sale' ? fields.sales_account : fields.purchase_account) ?? 'acc_0021',
      cost_centers: random.chance(50) ? [random.pick(costCenters).id] : [],
      unit_price: inCurrency(
        (side === 'sale' ? fields.sale_price : fields.purchase_price) ?? '80.00',
        currency,
      ),
      quantity: random.pick([1, 1, 2, 2, 3, 4, 5, 8, 10, 12]),
      tax_code: taxCode(currency, fields.tax_code),
    }))

const REMARKS = [
  'Please quote the number when paying.',
  'As agreed by telephone.',
  'Second part follows.',
  'Thank you for your business.',
]

const documentFields = (random: Random, stock: Stock, side: Side, currency: Currency) => ({
  remark: random.chance(40) ? random.pick(REMARKS) : null,
  currency_code: currency,
  fx_rate: rateOf(currency),
  cost_centers: random.chance(35) ? [random.pick(stock.costCenters).id] : [],
  lines: generateLines(random, stock, side, currency),
})

/** Generates an invoice issued on a day. */
export const generateInvoice = (
  random: Random,
  stock: Stock,
  client: Stored<'clients'>,
  issuedOn: string,
): KindInput<'invoices'> => ({
  ...documentFields(random, stock, 'sale', client.fields.currency_code),
  client: client.id,
  issued_on: issuedOn,
  due_on: dayAfter(issuedOn, random.pick([14, 30, 30])),
  discount_percent: random.chance(18) ? random.pick(['2', '5', '7.5', '10']) : '0',
})

/** Generates a bill issued on a day. */
export const generateBill = (
  random: Random,
  stock: Stock,
  vendor: Stored<'vendors'>,
  issuedOn: string,
): KindInput<'bills'> => ({
  ...documentFields(random, stock, 'purchase', vendor.fields.currency_code),
  number: random.digits('R-######'),
  vendor: vendor.id,
  issued_on: issuedOn,
  due_on: dayAfter(issuedOn, vendor.fields.payment_terms_days),
  discount_percent: random.chance(12) ? '3' : '0',
})

/** Generates a purchase order of a day. */
export const generatePurchaseOrder = (
  random: Random,
  stock: Stock,
  vendor: Stored<'vendors'>,
  deliverTo: KindInput<'purchase_orders'>['deliver_to'],
  orderedOn: string,
): KindInput<'purchase_orders'> => ({
  ...documentFields(random, stock, 'purchase', vendor.fields.currency_code),
  vendor: vendor.id,
  account: 'acc_0023',
  ordered_on: orderedOn,
  expected_on: random.chance(85) ? dayAfter(orderedOn, random.integer(5, 40)) : null,
  deliver_to: deliverTo ?? null,
})

/** Generates a payment of `value` ten-thousandths for an invoice or a bill. */
export const generatePayment = (
  random: Random,
  document: Stored<'invoices'> | Stored<'bills'>,
  value: number,
  paidOn: string,
): KindInput<'payments'> => {
  const { fields, id, kind } = document
  return {
    invoice: kind === 'invoices' ? id : null,
    bill: kind === 'bills' ? id : null,
    paid_on: paidOn,
    amount: amount(value),
    currency_code: fields.currency_code,
    fx_rate: fields.fx_rate,
    account: random.chance(85) ? 'acc_0001' : 'acc_0002',
    method: random.pick(['transfer', 'transfer', 'transfer', 'card', 'direct_debit']),
    reference: fields.number,
    cost_centers: fields.cost_centers,
  }
}
