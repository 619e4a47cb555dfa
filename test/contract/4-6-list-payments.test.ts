/** Section 4.6 of the contract: the list of payments. The contract counts its parameters; the names are Trunkline's. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { payment } from '../../src/resources/accounting/payment.ts'
import {
  CREDENTIAL,
  commonNames,
  type List,
  type ListCase,
  openList,
  timeCases,
  timesOf,
} from './list.ts'

const idOf = (topic: string, remoteId: string): string =>
  recordId(CREDENTIAL, `accounting/${topic}`, remoteId)

let list: List
beforeAll(async () => {
  const received = {
    transactionDate: '2026-01-05T00:00:00.000Z',
    customerId: idOf('customers', 'c1'),
    accountId: idOf('accounts', 'a1'),
    companyId: idOf('companyInfo', 'f1'),
    currency: 'EUR',
    exchangeRate: '1',
    totalAmount: '10.50',
    ...timesOf(1),
    trackingCategoryIds: [idOf('trackingCategories', 't1')],
  }
  const paid = {
    transactionDate: '2026-01-06T00:00:00.000Z',
    vendorId: idOf('vendors', 'v1'),
    accountId: idOf('accounts', 'a2'),
    companyId: idOf('companyInfo', 'f2'),
    currency: 'USD',
    exchangeRate: '0.915',
    totalAmount: '99.99',
    ...timesOf(2),
  }
  const other = {
    transactionDate: '2026-01-06T00:00:00.000Z',
    customerId: idOf('customers', 'c2'),
    vendorId: idOf('vendors', 'v2'),
    currency: 'GBP',
    exchangeRate: '0.9150001',
    totalAmount: '100',
    ...timesOf(3),
  }
  const deleted = { ...received, ...timesOf(5), remoteDeleted: true }
  list = await openList(payment, [received, paid, other, timesOf(4), deleted], {
    remoteFields: { touched: true },
  })
})
afterAll(() => list.stop())

const [remoteCreatedMin, remoteCreatedMax, remoteUpdatedMin, remoteUpdatedMax, ...ours] = timeCases
const cases: readonly (readonly [number, ListCase | undefined])[] = [
  [4, ['remoteId', '2', [2]]],
  [5, ['transactionDate', '2026-01-06', [2, 3]]],
  [6, ['customerId', idOf('customers', 'c1'), [1]]],
  [6, ['customerId', 'c2', [3]]],
  [7, ['vendorId', idOf('vendors', 'v1'), [2]]],
  [7, ['vendorId', 'v2', [3]]],
  [8, ['accountId', idOf('accounts', 'a1'), [1]]],
  [9, ['currency', 'USD', [2]]],
  [10, ['exchangeRate', '0.915', [2]]],
  [11, ['companyId', idOf('companyInfo', 'f2'), [2]]],
  [12, ['totalAmount', '10.5', [1]]],
  [13, ['totalAmountMin', '99.99', [2, 3]]],
  [14, ['totalAmountMax', '99.99', [1, 2]]],
  [15, ['totalAmountNotEquals', '100.00', [1, 2, 4]]],
  [16, remoteCreatedMin],
  [16, remoteCreatedMax],
  [16, remoteUpdatedMin],
  [16, remoteUpdatedMax],
  ...ours.map((timeCase) => [17, timeCase] as const),
]

test.each(cases.map(([filter, one]) => [filter, ...(one ?? (['', '', []] as const))] as const))(
  '4.6 filter %i: %s',
  async (_filter, parameter, value, selects) => {
    expect(await list.select(parameter, value)).toEqual(selects)
  },
)

test('4.6 filter 1: the credential is required', async () => {
  const without = await list.service.rest(list.tenant.key, '/accounting/payments')
  expect([without.statusCode, without.json().error.details[0].field]).toEqual([400, 'credentialId'])
})

test('4.6 filters 2 and 3: the number and size of the page', async () => {
  const second = await list.sendRest('pageNumber=2&pageSize=3')
  expect(second.json().payments).toMatchObject([{ remoteId: '4' }])
})

test('4.6 filter 5: a date in another format is rejected', async () => {
  for (const day of ['06.01.2026', '2026-1-6', '2026-02-30', '2026-01-06T00:00:00.000Z']) {
    const response = await list.sendRest(`transactionDate=${day}`)
    expect([response.statusCode, response.json().error.details[0].field]).toEqual([
      400,
      'transactionDate',
    ])
  }
})

test('4.6.2 the payments are under one key, with the fields of 2.4 and 2.1, amounts as numbers', async () => {
  const { payments, ...others } = (await list.sendRest('')).json()
  expect(others).toEqual({})
  expect(payments).toHaveLength(4)
  const names = [
    'transactionDate',
    'customerId',
    'vendorId',
    'accountId',
    'currency',
    'exchangeRate',
    'companyId',
    'totalAmount',
    'trackingCategoryIds',
    'paymentState',
    'remoteFields',
    ...commonNames,
  ]
  for (const record of payments) expect(Object.keys(record).sort()).toEqual(names.toSorted())
  expect(payments[0]).toMatchObject({
    transactionDate: '2026-01-05T00:00:00.000Z',
    exchangeRate: 1,
    totalAmount: 10.5,
    trackingCategoryIds: [idOf('trackingCategories', 't1')],
  })
  expect(payments[3].trackingCategoryIds).toEqual([])
})
