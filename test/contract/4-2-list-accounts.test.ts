/** Section 4.2 of the contract: the list of CRM accounts, and the records that each parameter selects. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { account } from '../../src/resources/crm/account.ts'
import {
  CREDENTIAL,
  commonNames,
  type List,
  type ListCase,
  openList,
  timeCases,
  timesOf,
} from './list.ts'

let list: List
beforeAll(async () => {
  const quay = {
    accountName: 'Quay',
    accountOwner: 'Ada Byron',
    description: 'By the water',
    industry: 'Boats',
    website: 'https://quay.example/',
    numberOfEmployees: 12,
    lastActivityAt: '2026-02-03T04:05:06.789Z',
    ...timesOf(1),
  }
  const harbour = {
    accountName: 'Harbour',
    accountOwner: 'Grace Hopper',
    description: '100 % rope',
    industry: 'Ropes',
    website: 'https://harbour.example/',
    numberOfEmployees: 250,
    lastActivityAt: '2026-02-04T00:00:00.000Z',
    ...timesOf(2),
  }
  const quayside = {
    accountName: 'quayside',
    accountOwner: 'Ada Lovelace',
    description: 'Water pumps',
    industry: 'Pumps, boats',
    website: 'https://pumps.example/quay',
    numberOfEmployees: 13,
    lastActivityAt: null,
    ...timesOf(3),
  }
  const deleted = { ...quay, ...timesOf(5), remoteDeleted: true }
  list = await openList(account, [quay, harbour, quayside, timesOf(4), deleted], {
    remoteFields: { touched: true },
  })
})
afterAll(() => list.stop())

const cases: readonly ListCase[] = [
  ['accountOwner', 'Ada Byron', [1]],
  ['accountOwnerContains', 'ada', [1, 3]],
  ['accountOwnerNotEquals', 'Ada Byron', [2, 3, 4]],
  ['accountName', 'Quay', [1]],
  ['accountNameContains', 'quay', [1, 3]],
  ['accountNameNotEquals', 'Quay', [2, 3, 4]],
  ['description', '100 % rope', [2]],
  ['descriptionContains', '%', [2]],
  ['descriptionNotEquals', '100 % rope', [1, 3, 4]],
  ['industry', 'Boats', [1]],
  ['industryContains', 'boats', [1, 3]],
  ['industryNotEquals', 'Boats', [2, 3, 4]],
  ['website', 'https://quay.example/', [1]],
  ['websiteContains', 'quay', [1, 3]],
  ['websiteNotEquals', 'https://quay.example/', [2, 3, 4]],
  ['numberOfEmployees', '12', [1]],
  ['numberOfEmployeesMin', '13', [2, 3]],
  ['numberOfEmployeesMax', '13', [1, 3]],
  ['numberOfEmployeesNotEquals', '12', [2, 3, 4]],
  ['lastActivityAt', '2026-02-03T04:05:06.789Z', [1]],
  ['lastActivityAt', '2026-02-03', [1]],
  ...timeCases,
]

test.each(cases)('4.2 %s', async (parameter, value, selects) => {
  expect(await list.select(parameter, value)).toEqual(selects)
})

test('4.2.2 the accounts are under one key, with the fields of 2.5 and 2.1', async () => {
  const { accounts, ...others } = (await list.sendRest('')).json()
  expect(others).toEqual({})
  expect(accounts).toHaveLength(4)
  const names = [
    'accountName',
    'accountOwner',
    'description',
    'industry',
    'website',
    'numberOfEmployees',
    'lastActivityAt',
    'addresses',
    'phoneNumbers',
    'remoteFields',
    ...commonNames,
  ]
  for (const record of accounts) expect(Object.keys(record).sort()).toEqual(names.toSorted())
})

test('4.2.3 all parameters but credentialId are optional, and are combined with AND', async () => {
  expect((await list.sendRest('')).json().accounts).toHaveLength(4)
  const both = await list.sendRest('accountNameContains=quay&industryNotEquals=Boats')
  expect(both.json().accounts).toMatchObject([{ accountName: 'quayside' }])
})

test('4.2 credentialId is required', async () => {
  const { key } = list.tenant
  const without = await list.service.rest(key, '/crm/accounts')
  expect([without.statusCode, without.json().error.details[0].field]).toEqual([400, 'credentialId'])
  const other = await list.service.rest(
    key,
    `/crm/accounts?credentialId=${CREDENTIAL.replace('a', 'b')}`,
  )
  expect(other.statusCode).toBe(404)
})

test('4.2 pageNumber and pageSize select the page', async () => {
  const page = async (query: string) =>
    (await list.sendRest(query))
      .json()
      .accounts.map(({ remoteId }: { remoteId: string }) => remoteId)
  expect(await page('pageSize=3')).toEqual(['1', '2', '3'])
  expect(await page('pageSize=3&pageNumber=1')).toEqual(['1', '2', '3'])
  expect(await page('pageSize=3&pageNumber=2')).toEqual(['4'])
  expect(await page('pageSize=3&pageNumber=3')).toEqual([])
})
