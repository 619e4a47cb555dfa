/** The QuickBooks simulator: queries, pages, and changes since a time. */
import { beforeAll, describe, expect, test } from 'vitest'
import { type Client, createClient } from './client.ts'
import type { JsonObject } from './engine/json.ts'
import { createQuickBooks, type QuickBooksStartOptions } from './quickbooks/start.ts'
import { formatTime, parseTime } from './quickbooks/times.ts'

const NOON = Date.parse('2026-11-23T20:00:00Z')
const DAY_MS = 86_400_000

const open = (options: QuickBooksStartOptions = {}) => {
  const clock = { startMs: NOON, frozen: true }
  const simulator = createQuickBooks({ limited: false, clock, ...options })
  const company = simulator.addCompany('1', 'Acme')
  // A new token each time: tests advance the clock by weeks, and a token expires sooner.
  const send: Client = (...request) =>
    createClient(simulator, simulator.oauth.issue('1').accessToken)(...request)
  const headers = { accept: 'application/json' }
  const get = async (path: string, parameters: Record<string, string>) => {
    const { json } = await send('GET', `/v3/company/1/${path}?${new URLSearchParams(parameters)}`, {
      headers,
    })
    return json
  }
  const query = async (text: string) => {
    const { QueryResponse, Fault } = await get('query', { query: text })
    return QueryResponse ?? Fault.Error[0]
  }
  const readChanges = async (entities: string, changedSince: string) => {
    const { CDCResponse, Fault } = await get('cdc', { entities, changedSince })
    return CDCResponse?.[0].QueryResponse ?? Fault.Error[0]
  }
  return { simulator, company, send, query, changes: readChanges, headers }
}

const namesOf = (response: Record<string, readonly JsonObject[]>) =>
  (response.Vendor ?? []).map(({ DisplayName }) => DisplayName)

describe('queries', () => {
  let vendors: ReturnType<typeof open>
  beforeAll(() => {
    vendors = open()
    const { company, simulator } = vendors
    const names = ['Alpha', "O'Hara", 'beta', 'Gamma 10%']
    for (const [at, DisplayName] of names.entries()) {
      company.create('Vendor', {
        DisplayName,
        BillRate: at * 10,
        Vendor1099: at > 1,
        AcctNum: `A${at}`,
      })
      simulator.clock.advance(60_000)
    }
  })

  test.each<[string, readonly string[]]>([
    ["DisplayName = 'alpha'", ['Alpha']],
    ["DisplayName = 'O\\'Hara'", ["O'Hara"]],
    ["DisplayName LIKE '%a'", ['Alpha', "O'Hara", 'beta']],
    ["DisplayName LIKE 'a%a'", ['Alpha']],
    ["DisplayName like '%10%'", ['Gamma 10%']],
    ["DisplayName IN ('alpha', 'BETA')", ['Alpha', 'beta']],
    ["Id IN ('1', '3')", ['Alpha', 'beta']],
    ["BillRate > '5' AND BillRate < 25", ["O'Hara", 'beta']],
    ['BillRate >= 20', ['beta', 'Gamma 10%']],
    ['Vendor1099 = true', ['beta', 'Gamma 10%']],
    ["CurrencyRef = 'USD' and AcctNum <= 'a0'", ['Alpha']],
    ["MetaData.LastUpdatedTime >= '2026-11-23T12:02:00-08:00'", ['beta', 'Gamma 10%']],
    ["MetaData.LastUpdatedTime > '2026-11-23T20:02:00Z'", ['Gamma 10%']],
    ["MetaData.LastUpdatedTime < '2026-11-23T12:01:00'", ['Alpha']],
    ['Active = true ORDERBY DisplayName DESC', ["O'Hara", 'Gamma 10%', 'beta', 'Alpha']],
    ['Active = true ORDER BY Vendor1099, BillRate DESC', ["O'Hara", 'Alpha', 'Gamma 10%', 'beta']],
    ['Active = true STARTPOSITION 2 MAXRESULTS 2', ["O'Hara", 'beta']],
    ["TermRef = '1'", []],
  ])('WHERE %s', async (where, names) => {
    expect(namesOf(await vendors.query(`SELECT * FROM Vendor WHERE ${where}`))).toEqual(names)
    vendors.simulator.assertSound()
  })

  test('count, and say where a page starts', async () => {
    expect(await vendors.query('select count(*) from Vendor where BillRate > 0')).toEqual({
      totalCount: 3,
    })
    const { startPosition, maxResults } = await vendors.query(
      'SELECT * FROM Vendor STARTPOSITION 3 MAXRESULTS 10',
    )
    expect([startPosition, maxResults]).toEqual([3, 2])
    expect(await vendors.query('SELECT * FROM Vendor STARTPOSITION 5')).toEqual({})
  })

  test('are sent in a body as well', async () => {
    const { send, headers } = vendors
    const body = "SELECT * FROM Vendor WHERE Id = '1'"
    const text = { ...headers, 'content-type': 'application/text' }
    const reply = await send('POST', '/v3/company/1/query', { headers: text, body })
    expect(namesOf(reply.json.QueryResponse)).toEqual(['Alpha'])
    const refused = await send('POST', '/v3/company/1/query', { headers, body })
    expect(refused.status).toBe(415)
  })

  test.each<[string, string, string]>([
    ['SELECT Id FROM Vendor', '4000', 'Was expecting: *'],
    ['SELECT * FROM Vendor WHERE', '4000', 'a property'],
    ["SELECT * FROM Vendor WHERE DisplayName = 'a' OR Id = '1'", '4001', 'OR'],
    ["SELECT * FROM Vendor WHERE DisplayName != 'a'", '4000', '!='],
    ["SELECT * FROM Vendor WHERE DisplayName = 'O'Hara'", '4000', 'Hara'],
    ["SELECT * FROM Vendor WHERE (DisplayName = 'a')", '4000', '('],
    ["SELECT * FROM Vendor WHERE Id = '1' LIMIT 10", '4000', 'LIMIT'],
    ['SELECT * FROM Vendor, Bill', '4000', ','],
    ['SELECT * FROM Vendor MAXRESULTS 10 STARTPOSITION 1', '4000', 'STARTPOSITION'],
    ['SELECT * FROM Vendor MAXRESULTS x', '4000', 'a number'],
    ['SELECT * FROM vendor', '4001', 'Metadata not found for Entity: vendor'],
    ["SELECT * FROM Vendor WHERE Name = 'a'", '4001', 'Property Name not found for Entity Vendor'],
    [
      "SELECT * FROM Vendor WHERE Metadata.LastUpdatedTime > '2026-01-01'",
      '4001',
      'Metadata.LastUpdatedTime',
    ],
    ["SELECT * FROM Bill WHERE Line.Amount > '1'", '4001', 'Line.Amount'],
    ["SELECT * FROM Vendor WHERE BillRate > 'much'", '4001', 'much'],
    ["SELECT * FROM Vendor WHERE MetaData.CreateTime > 'yesterday'", '4001', 'yesterday'],
    ['SELECT * FROM Vendor ORDERBY Rate', '4001', 'Rate'],
    ['SELECT * FROM Vendor MAXRESULTS 1001', '4001', 'Max allowed value is 1000'],
    ['SELECT * FROM Vendor STARTPOSITION 0', '4001', 'Min allowed value is 1'],
    ['DELETE FROM Vendor', '4000', 'SELECT'],
    ['SELECT * FROM Vendor WHERE Id = #', '4000', 'Lexical error'],
  ])('refuse %s', async (text, code, detail) => {
    const error = await vendors.query(text)
    expect(error.code).toBe(code)
    expect(error.Detail).toContain(detail)
  })
})

test('a record that is deleted between two pages makes the next page skip one', async () => {
  const { company, query } = open()
  const customer = company.create('Customer', { DisplayName: 'Amy' })
  const CustomerRef = { value: String(customer.Id) }
  for (const TotalAmt of [1, 2, 3, 4]) company.create('Payment', { CustomerRef, TotalAmt })
  const page = async (start: number) => {
    const { Payment = [] } = await query(
      `SELECT * FROM Payment ORDERBY Id STARTPOSITION ${start} MAXRESULTS 2`,
    )
    return Payment.map(({ TotalAmt }: JsonObject) => TotalAmt)
  }
  expect(await page(1)).toEqual([1, 2])
  company.delete('Payment', '1')
  expect(await page(3)).toEqual([4])
})

test('a query returns 100 records unless it says how many', async () => {
  const { company, query } = open()
  for (let at = 0; at < 101; at++) company.create('Class', { Name: `Class ${at}` })
  expect((await query('SELECT * FROM Class')).Class).toHaveLength(100)
  expect((await query('SELECT * FROM Class MAXRESULTS 1000')).Class).toHaveLength(101)
})

describe('changes since a time', () => {
  test('have the latest state of each record once, and deleted records flagged', async () => {
    const { company, changes, simulator } = open()
    company.create('Vendor', { DisplayName: 'Before' })
    const customer = company.create('Customer', { DisplayName: 'Amy' })
    simulator.clock.advance(60_000)
    const CustomerRef = { value: String(customer.Id) }
    const updated = company.create('Payment', { CustomerRef, TotalAmt: 5 })
    const deleted = company.create('Payment', { CustomerRef, TotalAmt: 6 })
    company.update('Payment', String(updated.Id), { PrivateNote: 'x' })
    company.delete('Payment', String(deleted.Id))
    const [vendors, payments, classes] = await changes(
      'Vendor,Payment,Class',
      '2026-11-23T12:01:00-08:00',
    )
    expect([vendors, classes]).toEqual([{}, {}])
    expect(payments).toMatchObject({
      Payment: [
        { Id: updated.Id, SyncToken: '1', PrivateNote: 'x' },
        {
          Id: deleted.Id,
          status: 'Deleted',
          domain: 'QBO',
          MetaData: { LastUpdatedTime: '2026-11-23T12:01:00-08:00' },
        },
      ],
      maxResults: 2,
    })
    simulator.assertSound()
  })

  test('go back 30 days', async () => {
    const { company, changes, simulator } = open()
    company.create('Vendor', { DisplayName: 'A' })
    simulator.clock.advance(30 * DAY_MS)
    const formatTimeAfterNoon = (ms: number) => formatTime(NOON + ms)
    expect((await changes('Vendor', formatTimeAfterNoon(0)))[0].Vendor).toHaveLength(1)
    expect((await changes('Vendor', formatTimeAfterNoon(-1000))).code).toBe('2020')
  })

  test.each(['TaxRate', 'TaxCode', 'Nothing', 'vendor', ''])(
    'are not reported for "%s"',
    async (entity) => {
      expect((await open().changes(`Vendor,${entity}`, '2026-11-22')).code).toBe('2020')
    },
  )

  test('stop at 1,000 objects, of the response or of each entity', async () => {
    const add = ({ company }: ReturnType<typeof open>) => {
      for (let at = 0; at < 600; at++) {
        company.create('Class', { Name: `Class ${at}` })
        company.create('Department', { Name: `Department ${at}` })
      }
      for (let at = 600; at < 1001; at++) company.create('Class', { Name: `Class ${at}` })
    }
    const count = async (limitedBy: 'response' | 'entity') => {
      const opened = open({ limitedBy })
      add(opened)
      const [departments, classes] = await opened.changes('Department,Class', '2026-11-22')
      return [departments.maxResults, classes.maxResults]
    }
    expect(await count('response')).toEqual([600, 400])
    expect(await count('entity')).toEqual([600, 1000])
  })
})

test.each<[string, string | undefined]>([
  ['2026-07-01', '2026-07-01T07:00:00.000Z'],
  ['2026-12-01', '2026-12-01T08:00:00.000Z'],
  ['2026-12-01T10:00', '2026-12-01T18:00:00.000Z'],
  ['2026-12-01T10:00:00.25Z', '2026-12-01T10:00:00.250Z'],
  ['2026-12-01T10:00:00-0700', '2026-12-01T17:00:00.000Z'],
  ['2026-13-01', undefined],
  ['1700000000000', undefined],
])('the time %s is %s: Pacific time unless it has an offset', (text, utc) => {
  const ms = parseTime(text)
  expect(ms && new Date(ms).toISOString()).toBe(utc)
})
