/** How PostgreSQL plans the pages of filtered lists: once for each statement, or for each value. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { filterParameters } from '../../src/query/filter.ts'
import { defaultOrder } from '../../src/query/list-request.ts'
import { usesIndex } from '../../src/store/records/filter-sql.ts'
import { recordSql } from '../../src/store/records/record-sql.ts'
import { listRecords } from '../../src/store/records/records.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const accounts = catalogue.get('crm/accounts')
const INDUSTRIES = ['Retail', 'Software', 'Health', 'Energy']
const BATCH = 1000
const RECORDS = 4 * BATCH
const SIZE = 10

let service: TestService

beforeAll(async () => {
  service = await startService()
  const tenant = await service.createTenant('development', [CREDENTIAL])
  const rows = Array.from({ length: RECORDS }, (_, n) => ({
    ...sampleRecord(CREDENTIAL, accounts, n + 1),
    remoteDeleted: false,
    // One record of 4,000 is rare.
    industry: n === RECORDS - 1 ? 'Rare' : INDUSTRIES[n % INDUSTRIES.length],
  }))
  for (let start = 0; start < RECORDS; start += BATCH)
    await service.save(tenant, CREDENTIAL, accounts, rows.slice(start, start + BATCH))
  await service.database.prisma.$executeRaw`ANALYZE crm_accounts`
})
afterAll(() => service.stop())

/** The number of records on the first page of those that match. */
const countOnPage = async (name: string, value: string): Promise<number> => {
  const parameter = filterParameters(accounts).get(name)
  if (!parameter) throw new Error(`There is no filter ${name}.`)
  const { records } = await listRecords(service.database, {
    resource: accounts,
    credentialIds: [CREDENTIAL],
    filter: {
      conditions: [{ form: 'term', parameter, values: [{ value, isWholeDay: false }] }],
      deleted: 'left-out',
    },
    order: defaultOrder,
    page: { size: SIZE, offset: 0, backward: false },
  })
  return records.length
}

/** The plans of the statements with a condition. Statements one after the other use the same connection. */
const plansOf = async (condition: string) => {
  const [plans] = await service.database.prisma.$queryRaw<{ generic: number; custom: number }[]>`
    SELECT sum(generic_plans)::integer AS generic, sum(custom_plans)::integer AS custom
    FROM pg_prepared_statements WHERE position(${condition} IN statement) > 0
      AND position('pg_prepared_statements' IN statement) = 0`
  return plans
}

test('a filter by a column without an index is planned once, whichever values match', async () => {
  for (const industry of [...INDUSTRIES, 'Retail', 'Retail', 'Software'])
    expect(await countOnPage('industry', industry)).toBe(SIZE)
  expect(await countOnPage('industry', 'Rare')).toBe(1)
  expect(await countOnPage('industry', 'None')).toBe(0)
  // PostgreSQL compares the plans of the first five values.
  expect(await plansOf('t.industry =')).toEqual({ generic: 4, custom: 5 })
})

test('a filter by an indexed column is planned for each value', async () => {
  for (let run = 0; run < 8; run++)
    expect(await countOnPage('updatedAtMin', '2000-01-01T00:00:00.000Z')).toBe(SIZE)
  expect(await countOnPage('updatedAtMin', '2100-01-01T00:00:00.000Z')).toBe(0)
  expect(await plansOf('t.updated_at >=')).toEqual({ generic: 0, custom: 9 })
})

test('a filter of a column is planned for each value exactly if the column is in an index', async () => {
  const rows = await service.database.prisma.$queryRaw<{ table: string; column: string }[]>`
    SELECT i.indrelid::regclass::text AS "table", a.attname AS "column"
    FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)`
  const indexed = new Set(rows.map(({ table, column }) => `${table}.${column}`))
  for (const resource of catalogue.resources)
    for (const [name, parameter] of filterParameters(resource)) {
      const { field } = parameter
      // A remote id is found by the id that follows from it.
      const column = field === 'remoteId' ? 'id' : recordSql(resource).column(field)
      const condition = { form: 'term', parameter, values: [] } as const
      expect([name, usesIndex(condition)]).toEqual([
        name,
        indexed.has(`${resource.table}.${column}`),
      ])
    }
})
