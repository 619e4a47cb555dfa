/** Fixtures shared by the QuickBooks connector tests that run without a simulator. */
import { connector } from '../../../src/connectors/quickbooks/manifest.ts'
import type { AppRequest, AppResponse } from '../../../src/definition/connector.ts'

/** A response with this body. */
export const okResponse = (body: unknown): AppResponse => ({ status: 200, headers: {}, body })

/** The definition of `accounting/{name}`. */
export const findResource = (name: string) => {
  const found = connector.resources[`accounting/${name}`]
  if (!found) throw new Error(`no ${name}`)
  return found
}

/** The settings of a company with one currency, and of one with several. */
export const home = { companyId: '1', currency: 'USD', isMultiCurrency: false }
export const multi = { ...home, isMultiCurrency: true }

/** The path and the parameters of a request. */
export const lineOf = ({ method, path }: AppRequest): string => {
  const { pathname, searchParams } = new URL(path, 'http://quickbooks.example')
  const rest = [...searchParams].map(([name, value]) => `${name}=${value}`)
  return [`${method} ${pathname}`, ...rest].join(' ')
}

const times = {
  MetaData: {
    CreateTime: '2026-03-01T01:00:00-08:00',
    LastUpdatedTime: '2026-03-02T01:30:00-08:00',
  },
}

/** An invoice with a line that is shown, a subtotal and a discount. */
export const invoice = {
  ...times,
  Id: '130',
  SyncToken: '2',
  DocNumber: '1037',
  TxnDate: '2026-03-01',
  DueDate: '2026-03-31',
  CustomerRef: { value: '24', name: 'Amy' },
  CurrencyRef: { value: 'EUR' },
  ExchangeRate: 1.1234,
  ClassRef: { value: '5' },
  Line: [
    {
      Id: '1',
      LineNum: 1,
      Description: 'Rocks',
      Amount: 275.5,
      DetailType: 'SalesItemLineDetail',
      SalesItemLineDetail: {
        ItemRef: { value: '5' },
        ItemAccountRef: { value: '79' },
        UnitPrice: 137.75,
        Qty: 2,
        TaxCodeRef: { value: 'TAX' },
        ClassRef: { value: '9' },
      },
    },
    { Amount: 275.5, DetailType: 'SubTotalLineDetail', SubTotalLineDetail: {} },
    {
      Amount: 10,
      DetailType: 'DiscountLineDetail',
      DiscountLineDetail: { PercentBased: false },
    },
  ],
  TxnTaxDetail: { TotalTax: 21.24 },
  TotalAmt: 286.74,
  Balance: 100,
}
