/** A text resolves to the record with that remote id, or else to the records with that name. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { remoteIdsByText } from '../../src/store/records/references.ts'
import { countRowsReadBy } from '../support/rows-read.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const RECORD_COUNT = 1000

const accounts = catalogue.get('crm/accounts')
const NAMES = ['accountName']

let service: TestService

beforeAll(async () => {
  service = await startService()
  const tenant = await service.createTenant('development', [CREDENTIAL])
  const rows = Array.from({ length: RECORD_COUNT }, (_, n) => ({
    ...sampleRecord(CREDENTIAL, accounts, n),
    // The first two share a name; the third has the remote id of the fourth as its name.
    accountName: ['Twice', 'Twice', '3'][n] ?? `Name ${n}`,
    remoteDeleted: n === 9,
  }))
  await service.save(tenant, CREDENTIAL, accounts, rows)
  await service.database.prisma.$executeRaw`ANALYZE crm_accounts`
})
afterAll(() => service.stop())

test('looks up several texts in one statement, ids before names', async () => {
  service.takeStatements()
  const texts = ['3', 'Name 7', 'Twice', 'Nobody', '9', 'Name 9']
  const found = await remoteIdsByText(service.database, CREDENTIAL, accounts, NAMES, texts)
  expect(service.takeStatements()).toHaveLength(1)
  expect(Object.fromEntries(found)).toEqual({
    '3': ['3'],
    'Name 7': ['7'],
    Nobody: [],
    '9': [],
    'Name 9': [],
    Twice: expect.arrayContaining(['0', '1']),
  })
})

test('a remote id matches its record only', async () => {
  const { database } = service
  const read = await countRowsReadBy(database, ['crm_accounts'], async (transaction) => {
    const bound = { ...database, prisma: transaction.prisma }
    const found = await remoteIdsByText(bound, CREDENTIAL, accounts, NAMES, ['500'])
    expect(found.get('500')).toEqual(['500'])
  })
  expect(read).toBe(1)
})
