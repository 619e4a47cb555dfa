/** The QuickBooks connector without QuickBooks: the context, listings, records by id and the feed. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/quickbooks/manifest.ts'
import { runSteps } from '../support/steps.ts'
import { findResource, home, lineOf, okResponse } from './quickbooks/fixtures.ts'

const pageOf = (name: string, entity: string, records: readonly object[], since?: string) => {
  const { listRequest, readList } = findResource(name)
  const position = { since, cursor: undefined, context: home }
  const response = okResponse({
    QueryResponse: { [entity]: records },
    time: '2026-03-02T09:30:00-08:00',
  })
  return { line: lineOf(listRequest(position)), page: readList(response, position) }
}

test('the context is the home currency, and whether there are others', async () => {
  const bodies: Readonly<Record<string, object>> = {
    CompanyInfo: { Id: '1', CompanyName: 'Acme' },
    Preferences: {
      CurrencyPrefs: { MultiCurrencyEnabled: true, HomeCurrency: { value: 'CAD' } },
    },
  }
  const steps = connector.context?.read()
  if (!steps) throw new Error('no context')
  const context = await runSteps(connector, steps, async ({ path }) => {
    if (path === '/preferences') return okResponse({ Preferences: bodies.Preferences })
    return okResponse({ QueryResponse: { CompanyInfo: [bodies.CompanyInfo] } })
  })
  expect(context).toEqual({ companyId: '1', currency: 'CAD', isMultiCurrency: true })
})

describe('a listing', () => {
  test.each([
    ['customers', 'SELECT * FROM Customer WHERE Active IN (true, false)'],
    ['bills', 'SELECT * FROM Bill'],
    ['payments', 'SELECT * FROM Payment'],
    ['trackingCategories', 'SELECT * FROM Class WHERE Active IN (true, false)'],
  ])('of %s reads 1,000 records by id, and inactive ones', (name, statement) => {
    expect(pageOf(name, 'None', []).line).toBe(
      `GET /query query=${statement} ORDERBY Id STARTPOSITION 1 MAXRESULTS 1000`,
    )
  })

  test('of changes starts at a time', () => {
    expect(pageOf('vendors', 'Vendor', [], '2026-03-02T09:30:00.000Z').line).toBe(
      "GET /query query=SELECT * FROM Vendor WHERE MetaData.LastUpdatedTime >= '2026-03-02T09:30:00.000Z' AND Active IN (true, false) ORDERBY Id STARTPOSITION 1 MAXRESULTS 1000",
    )
  })

  test('continues after a full page, starting with its last record', () => {
    const records = Array.from({ length: 1000 }, (_, index) => ({ Id: String(index + 1) }))
    const { page } = pageOf('bills', 'Bill', records)
    const next = findResource('bills').listRequest({ since: undefined, cursor: page.next })
    expect(lineOf(next)).toContain('STARTPOSITION 1000 MAXRESULTS 1000')
    expect(pageOf('bills', 'Bill', records.slice(1)).page.next).toBeUndefined()
  })

  test('of payments continues with those to vendors, and names the entity of each', () => {
    const { page } = pageOf('payments', 'Payment', [{ Id: '7' }])
    expect(page.records).toEqual([{ Id: '7', EntityType: 'Payment' }])
    const next = findResource('payments').listRequest({ since: undefined, cursor: page.next })
    expect(lineOf(next)).toContain('SELECT * FROM BillPayment')
  })

  test('of items leaves out categories', () => {
    const records = [
      { Id: '1', Type: 'Category' },
      { Id: '2', Type: 'Service' },
    ]
    expect(pageOf('items', 'Item', records).page.records).toEqual([records[1]])
  })

  test('fails for a response without a result', () => {
    const { readList } = findResource('bills')
    expect(() => readList(okResponse({}), { since: undefined, cursor: undefined })).toThrow(
      'QueryResponse',
    )
  })
})

test('records are read by their ids, whose quotes are escaped', () => {
  const { readMany } = findResource('vendors')
  expect(readMany && lineOf(readMany.request(['1', "2'"]))).toBe(
    "GET /query query=SELECT * FROM Vendor WHERE Id IN ('1', '2\\'') AND Active IN (true, false) MAXRESULTS 100",
  )
})

describe('the feed', () => {
  const feed = connector.feeds?.changes
  const position = { token: '2026-03-02T09:00:00.000Z', cursor: undefined }
  const read = (results: readonly object[]) =>
    feed?.read(
      okResponse({
        CDCResponse: [{ QueryResponse: results }],
        time: '2026-03-02T01:30:00.500-08:00',
      }),
      position,
    )

  test('starts at the time of the app', () => {
    const start = { token: undefined, cursor: undefined }
    expect(feed && lineOf(feed.request(start))).toContain('SELECT * FROM CompanyInfo')
    const page = feed?.read(
      okResponse({ QueryResponse: {}, time: '2026-03-02T01:30:00-08:00' }),
      start,
    )
    expect(page).toEqual({ changes: [], next: undefined, token: '2026-03-02T09:29:00.000Z' })
  })

  test('requests the changes of all entities but tax rates at once', () => {
    expect(feed && lineOf(feed.request(position))).toBe(
      'GET /cdc entities=Account,Bill,CompanyInfo,Customer,Invoice,Item,Payment,BillPayment,PurchaseOrder,Class,Department,Vendor changedSince=2026-03-02T09:00:00.000Z',
    )
  })

  test('reads changed and deleted records', () => {
    const page = read([
      {
        Invoice: [
          { Id: '1', SyncToken: '0' },
          { Id: '2', status: 'Deleted' },
        ],
      },
      {},
      { BillPayment: [{ Id: '3' }] },
    ])
    expect(page).toMatchObject({ token: '2026-03-02T09:29:00.500Z', incomplete: [] })
    expect(page?.changes).toEqual([
      {
        topic: 'accounting/invoices',
        remoteId: '1',
        kind: 'changed',
        record: { Id: '1', SyncToken: '0' },
      },
      { topic: 'accounting/invoices', remoteId: '2', kind: 'deleted' },
      {
        topic: 'accounting/payments',
        remoteId: 'BillPayment-3',
        kind: 'changed',
        record: { Id: '3', EntityType: 'BillPayment' },
      },
    ])
  })

  test('fails if it leaves out an entity', () => {
    expect(() => read([{ Fault: { Error: [] } }])).toThrow('leaves out')
  })

  test('with 1,000 objects shows only a part of the changes of every resource', () => {
    const Bill = Array.from({ length: 1000 }, (_, index) => ({ Id: String(index) }))
    expect(read([{ Bill }])?.incomplete).toEqual(feed?.topics)
  })
})
