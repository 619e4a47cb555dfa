/** The lines of transactions: their kinds, ids and amounts. */
import { multiply, round, sum } from '../engine/decimal.ts'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import { amountOf, referenceId } from './company.ts'
import { businessRule, FaultException, missingParameter } from './faults.ts'

/** The kinds of lines by entity; lines of payments have none. */
const DETAIL_TYPES: Readonly<Record<string, readonly string[]>> = {
  Invoice: ['SalesItemLineDetail', 'DescriptionOnly', 'DiscountLineDetail', 'SubTotalLineDetail'],
  Bill: ['AccountBasedExpenseLineDetail', 'ItemBasedExpenseLineDetail'],
  PurchaseOrder: ['ItemBasedExpenseLineDetail', 'AccountBasedExpenseLineDetail'],
}

/** The reference that a line of a kind must contain. */
const REQUIRED_REFERENCES: Readonly<Record<string, string>> = {
  AccountBasedExpenseLineDetail: 'AccountRef',
  ItemBasedExpenseLineDetail: 'ItemRef',
}

/** The field of a line that has the details of its kind. */
const detailField = (type: string): string =>
  type === 'DescriptionOnly' ? 'DescriptionLineDetail' : type

export const linesOf = ({ Line }: JsonObject): readonly JsonObject[] =>
  Array.isArray(Line) ? Line.filter((line) => isJsonObject(line)) : []

const checkKind = (entity: string, line: JsonObject, path: string): void => {
  const type = String(line.DetailType ?? '')
  if (type === '') throw missingParameter(`${path}.DetailType`)
  if (!DETAIL_TYPES[entity]?.includes(type))
    throw businessRule(`A line of this transaction may not be a ${type}.`, `${path}.DetailType`)
  const other = Object.keys(line).find(
    (field) => field.endsWith('LineDetail') && field !== detailField(type),
  )
  if (other !== undefined)
    throw businessRule(`${other} does not match the DetailType ${type}.`, `${path}.${other}`)
}

const checkDetail = (line: JsonObject, path: string): void => {
  const type = String(line.DetailType)
  const detail = line[detailField(type)]
  const required = REQUIRED_REFERENCES[type]
  if (required !== undefined && (!isJsonObject(detail) || referenceId(detail[required]) === ''))
    throw missingParameter(`${path}.${type}.${required}`)
  if (!isJsonObject(detail)) return
  const { Qty, UnitPrice } = detail
  if (typeof Qty !== 'number' || typeof UnitPrice !== 'number') return
  if (round(multiply(Qty, UnitPrice), 2) !== amountOf(line.Amount))
    throw new FaultException({
      code: '6070',
      Message: 'Amount calculation incorrect in the request',
      Detail: `Amount is not equal to UnitPrice * Qty. Supplied value:${String(line.Amount)}`,
      element: `${path}.Amount`,
    })
}

const isTotal = ({ DetailType }: JsonObject): boolean => DetailType === 'SubTotalLineDetail'

/** The fields that the vendor adds to the details of each kind of line. */
const DETAIL_DEFAULTS: Readonly<Record<string, JsonObject>> = {
  SalesItemLineDetail: { TaxCodeRef: { value: 'NON' } },
  AccountBasedExpenseLineDetail: {
    BillableStatus: 'NotBillable',
    TaxCodeRef: { value: 'NON' },
  },
  ItemBasedExpenseLineDetail: { BillableStatus: 'NotBillable', TaxCodeRef: { value: 'NON' } },
}

const withDefaults = (line: JsonObject): JsonObject => {
  const type = String(line.DetailType)
  const detail = line[type]
  return isJsonObject(detail) ? { ...line, [type]: { ...DETAIL_DEFAULTS[type], ...detail } } : line
}

/** Lines with ids, in order. New lines get ids after the largest. */
const withIds = (lines: readonly JsonObject[]): readonly JsonObject[] => {
  let last = Math.max(0, ...lines.map(({ Id }) => Number(Id ?? 0)).filter(Number.isInteger))
  return lines.map((line, index) => ({
    LineNum: index + 1,
    ...line,
    Id: line.Id ?? String(++last),
  }))
}

/**
 * The checked lines of an invoice, a bill or a purchase order, with what the vendor adds.
 * @throws FaultException 2020, 6000 or 6070
 */
export const computeLines = (entity: string, value: JsonObject): readonly JsonObject[] => {
  // The vendor computes the subtotal lines and ignores those in a request.
  const sent = linesOf(value).filter((line) => !isTotal(line))
  if (sent.length === 0) throw missingParameter('Line')
  for (const [at, line] of sent.entries()) {
    const path = `Line[${at}]`
    checkKind(entity, line, path)
    if (line.Amount === undefined && line.DetailType !== 'DescriptionOnly')
      throw missingParameter(`${path}.Amount`)
    checkDetail(line, path)
  }
  return withIds(sent.map(withDefaults))
}

/** The sum of lines, with discounts subtracted. */
export const subtotalOf = (lines: readonly JsonObject[]): number =>
  sum(
    lines.map(({ Amount, DetailType }) =>
      DetailType === 'DiscountLineDetail' ? -amountOf(Amount) : amountOf(Amount),
    ),
  )

/** The line that the vendor adds after the lines of an invoice. */
export const subtotalLine = (amount: number): JsonObject => ({
  Amount: amount,
  DetailType: 'SubTotalLineDetail',
  SubTotalLineDetail: {},
})
