/** The lines of invoices, bills and purchase orders (NOTES "lines"). */
import { type Json, missingValue, WriteRejection } from '../../definition/connector.ts'
import { formatDecimal, parseDecimal } from '../../definition/decimal.ts'
import { listOf, required } from '../../definition/mapping/converters.ts'
import { decimal } from '../../definition/mapping/decimal.ts'
import type {
  Converter,
  ConverterContext,
  JsonObject,
  NestedRules,
} from '../../definition/mapping/rule.ts'
import { entriesOf, type Values, valuesOf } from '../../definition/raw-values.ts'
import { currencyOf, text } from './fields.ts'
import { CLASS, categoriesIn, categoryIds } from './tracking.ts'

const SALE = 'SalesItemLineDetail'
const ITEM = 'ItemBasedExpenseLineDetail'
const ACCOUNT = 'AccountBasedExpenseLineDetail'

/** The type of the line with the sum. Writes leave that line out: QuickBooks computes it. */
const SUBTOTAL = 'SubTotalLineDetail'

// Names that only the bodies under construction have; `complete` replaces them.
const PASSED_AMOUNT = 'passedAmount'
const PASSED_CLASS = 'passedClass'

const DECIMALS = 2 // of an amount

/** A number, or null to leave it out. */
const optional = (path: string): Converter => decimal(path, { as: 'number' })

/** The class of a line, which is in the detail that the line has. */
const trackingIn = (details: readonly string[]): Converter => ({
  from: '',
  to: PASSED_CLASS,
  read: (line) => details.flatMap((name) => categoriesIn(valuesOf(valuesOf(line)[name]), [CLASS])),
  write: (ids, { path }) => categoryIds(ids, [CLASS], path).get(CLASS) ?? null,
})

/** The rules that all lines share. `details` are those that a line may have, that with the item first. */
const rulesOf = (details: readonly [string, ...string[]], amountField: string): NestedRules => ({
  description: text('Description'),
  unitPrice: optional(`${details[0]}.UnitPrice`),
  quantity: optional(`${details[0]}.Qty`),
  [amountField]: { ...optional('Amount'), to: PASSED_AMOUNT },
  currency: (_: unknown, record: unknown, context: unknown) => currencyOf(record, context),
  accountingItemId: `${details[0]}.ItemRef.value`,
  trackingCategoryIds: trackingIn(details),
})

const ofRecord = {
  exchangeRate: (_: unknown, record: Values) => record.ExchangeRate,
  companyId: (_: unknown, __: unknown, context: unknown) => valuesOf(context).companyId,
}

const withoutNulls = (value: JsonObject): JsonObject =>
  Object.fromEntries(
    Object.entries(value).flatMap(([name, part]): [string, Json][] => {
      if (part === null) return []
      // Safe: an object of JSON.
      return [[name, isJsonObject(part) ? withoutNulls(part) : part]]
    }),
  )

const isJsonObject = (value: Json | undefined): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The price of all units, exactly. @throws WriteRejection if it has more decimals than an amount */
const productOf = (price: Json, quantity: Json, path: string): number => {
  const [a, b] = [price, quantity].map((value) => parseDecimal(String(value)))
  if (!a || !b) throw new WriteRejection('Expected decimal numbers.', path)
  const digits = formatDecimal({ unscaled: a.unscaled * b.unscaled, scale: a.scale + b.scale })
  const [, fraction = ''] = digits.split('.')
  if (/[1-9]/.test(fraction.slice(DECIMALS)))
    throw new WriteRejection(
      `The price of all units has more than ${DECIMALS} decimals; pass the amount of the line.`,
      path,
    )
  return Number(digits)
}

/** The kind of a new or changed line. @throws WriteRejection if it has an item and an account, or neither */
const detailOf = (line: JsonObject, isSale: boolean, path: string): string => {
  if (isSale) return SALE
  const item = valuesOf(valuesOf(line[ITEM]).ItemRef).value ?? null
  const account = valuesOf(valuesOf(line[ACCOUNT]).AccountRef).value ?? null
  if ((item === null) === (account === null))
    throw missingValue('QuickBooks requires either an item or an account.', path)
  if (item !== null) return ITEM
  const { Qty, UnitPrice } = valuesOf(line[ITEM])
  if ((Qty ?? UnitPrice ?? null) !== null)
    throw new WriteRejection('A line with an account has an amount, but no quantity.', path)
  return ACCOUNT
}

/** The amount of a line: the one that the caller passes, that of all units, or the present one. */
const amountOf = (
  { [PASSED_AMOUNT]: passed = null, Amount, Id }: JsonObject,
  { Qty, UnitPrice }: Values,
  stored: readonly Values[],
  path: string,
): Json => {
  if (passed !== null) return passed
  if (typeof Qty !== 'number' || typeof UnitPrice !== 'number') {
    if (Amount !== undefined) return Amount
    throw missingValue('Pass the amount, or the price and the quantity.', path)
  }
  const before = stored.find((line) => Id !== undefined && line.Id === Id)
  const detail = valuesOf(before?.[String(before.DetailType)])
  const isSame = detail.Qty === Qty && detail.UnitPrice === UnitPrice
  return isSame && Amount !== undefined ? Amount : productOf(UnitPrice, Qty, path)
}

/** A line of the request, of one that the rules and the stored line make up. */
const complete = (
  line: JsonObject,
  isSale: boolean,
  stored: readonly Values[],
  path: string,
): JsonObject => {
  const type = detailOf(line, isSale, path)
  const { [PASSED_AMOUNT]: _, [PASSED_CLASS]: category = null, ...rest } = line
  const { [SALE]: sale, [ITEM]: item, [ACCOUNT]: account, ...common } = rest
  const detail = { [SALE]: sale, [ITEM]: item, [ACCOUNT]: account }[type]
  const ClassRef = category === null ? {} : { ClassRef: { value: category } }
  return withoutNulls({
    ...common,
    DetailType: type,
    Amount: amountOf(line, valuesOf(detail), stored, path),
    [type]: { ...(isJsonObject(detail) && detail), ...ClassRef },
  })
}

/** A list of lines. Lines without an item or an account are not shown, and a write sends them unchanged. */
const lines = (types: readonly string[], rules: NestedRules, matchBy: readonly string[]) => {
  const shows = ({ DetailType }: JsonObject) => types.includes(String(DetailType))
  const list = listOf('Line', rules, { matchBy: [['Description', ...matchBy], matchBy], shows })
  const write = (value: NonNullable<Json>, { path, stored }: ConverterContext): Json => {
    const before = entriesOf(valuesOf(stored).Line)
    const hidden = before.filter((line) => !types.includes(String(line.DetailType)))
    // Safe: the list that the nested mapping has written; its first entries are those of the input.
    const all = value as readonly JsonObject[]
    const shown = all.length - hidden.length
    return [
      ...all
        .slice(0, shown)
        .map((line, index) => complete(line, types.includes(SALE), before, `${path}[${index}]`)),
      ...all.slice(shown).filter(({ DetailType }) => DetailType !== SUBTOTAL),
    ]
  }
  return required({ ...list, write })
}

/** The lines of invoices: an item each. Its account follows from the item. */
export const saleLines = lines(
  [SALE],
  {
    ...rulesOf([SALE], 'totalAmount'),
    ...ofRecord,
    accountId: { from: `${SALE}.ItemAccountRef.value`, on: [] },
  },
  [`${SALE}.ItemRef.value`],
)

const expense = (amountField: string): NestedRules => ({
  ...rulesOf([ITEM, ACCOUNT], amountField),
  accountId: `${ACCOUNT}.AccountRef.value`,
})

const EXPENSE_KEYS = [`${ITEM}.ItemRef.value`, `${ACCOUNT}.AccountRef.value`]

/** The lines of bills: an item or an account each. */
export const billLines = lines(
  [ITEM, ACCOUNT],
  { ...expense('totalAmount'), ...ofRecord },
  EXPENSE_KEYS,
)

/** The lines of purchase orders. */
export const orderLines = lines(
  [ITEM, ACCOUNT],
  {
    ...expense('totalLineAmount'),
    taxAmount: null, // QuickBooks has the tax of the whole order
  },
  EXPENSE_KEYS,
)
