/** Sales tax of an invoice, and the tax of bills that their sender computes. */
import { multiply, round, sum } from '../engine/decimal.ts'
import { isJsonObject, type JsonObject } from '../engine/json.ts'
import { amountOf, type Company, referenceId } from './company.ts'

/** The code of lines that are taxed by the transaction's tax code. */
const TAXABLE = 'TAX'

const isTaxable = (line: JsonObject): boolean => {
  const detail = line[String(line.DetailType)]
  return isJsonObject(detail) && referenceId(detail.TaxCodeRef) === TAXABLE
}

/** The rates of a tax code. */
const ratesOf = (company: Company, codeId: string): readonly JsonObject[] => {
  const list = company.stored('TaxCode', codeId)?.SalesTaxRateList
  const details = isJsonObject(list) && Array.isArray(list.TaxRateDetail) ? list.TaxRateDetail : []
  return details.flatMap((detail) => {
    const rate = isJsonObject(detail)
      ? company.stored('TaxRate', referenceId(detail.TaxRateRef))
      : undefined
    return rate ? [rate] : []
  })
}

const taxLine = (rate: JsonObject, taxable: number): JsonObject => {
  const percent = amountOf(rate.RateValue)
  return {
    Amount: round(multiply(taxable, percent / 100), 2),
    DetailType: 'TaxLineDetail',
    TaxLineDetail: {
      TaxRateRef: { value: String(rate.Id) },
      PercentBased: true,
      TaxPercent: percent,
      NetAmountTaxable: taxable,
    },
  }
}

/** The `TxnTaxDetail` of a transaction: computed from its tax code, or as it was sent. */
export const computeTax = (
  company: Company,
  value: JsonObject,
  lines: readonly JsonObject[],
): JsonObject => {
  const sent = isJsonObject(value.TxnTaxDetail) ? value.TxnTaxDetail : {}
  const rates = ratesOf(company, referenceId(sent.TxnTaxCodeRef))
  if (rates.length === 0) return { ...sent, TotalTax: amountOf(sent.TotalTax) }
  const taxable = sum(lines.filter(isTaxable).map(({ Amount }) => amountOf(Amount)))
  const TaxLine = rates.map((rate) => taxLine(rate, taxable))
  return { ...sent, TotalTax: sum(TaxLine.map(({ Amount }) => amountOf(Amount))), TaxLine }
}
