/** The meaning of one condition: wildcards are literal, dates are whole days, bounds are inclusive, null differs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Tenant, TestService } from '../support/service.ts'
import { B, openReadHarness } from './read-harness.ts'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  ;({ service, tenant } = await openReadHarness())
})
afterAll(() => service.stop())

describe('one condition', () => {
  const accounts = catalogue.get('crm/accounts')
  const payments = catalogue.get('accounting/payments')
  const names = [
    '50%',
    '50 %',
    'a_b',
    'aXb',
    'a\\b',
    'a\\\\b',
    'Ünïcode ЖЖ',
    'ünïcode жж',
    '',
    null,
  ]
  const amounts = ['-1', '0', '0.1', '0.10000000000000000001', '10', '9.99', null]
  const dates = ['2024-02-28', '2024-02-29', '2024-03-01', null]
  const moments = [
    '2024-02-28T23:59:59.999Z',
    '2024-02-29T00:00:00.000Z',
    '2024-02-29T23:59:59.999Z',
    '2024-03-01T00:00:00.000Z',
  ]

  beforeAll(async () => {
    await service.save(
      tenant,
      B,
      accounts,
      names.map((accountName, n) => ({
        ...sampleRecord(B, accounts, n),
        accountName,
        lastActivityAt: moments[n] ?? null,
      })),
    )
    await service.save(
      tenant,
      B,
      payments,
      amounts.map((totalAmount, n) => ({
        ...sampleRecord(B, payments, n),
        totalAmount,
        exchangeRate: n === 0 ? '0.0000001' : n === 1 ? '1e21' : null,
        transactionDate: dates[n] === undefined ? null : dates[n] && `${dates[n]}T00:00:00.000Z`,
        remoteCreatedAt: moments[n] ?? null,
      })),
    )
  })

  const listMatching = async (resource: Resource, name: string, value: string) => {
    const query = new URLSearchParams({ credentialId: B, [name]: value })
    const response = await service.rest(tenant.key, `${resource.restPath}?${query}`)
    expect(response.statusCode, response.body).toBe(200)
    return response
      .json()
      [resource.plural].map(({ remoteId }: { remoteId: string }) => Number(remoteId))
      .sort((a: number, b: number) => a - b)
  }

  test.each([
    ['accountNameContains', '%', [0, 1]],
    ['accountNameContains', '_', [2]],
    ['accountNameContains', '\\', [4, 5]],
    ['accountNameContains', '\\\\', [5]],
    ['accountNameContains', 'A_B', [2]],
    ['accountNameContains', 'ÜNÏCODE ж', [6, 7]],
    ['accountNameContains', '', [0, 1, 2, 3, 4, 5, 6, 7, 8]],
    ['accountName', 'ünïcode жж', [7]],
    ['accountName', '', [8]],
    ['accountName', '50_', []],
    ['accountNameNotEquals', '', [0, 1, 2, 3, 4, 5, 6, 7, 9]],
    ['lastActivityAt', '2024-02-29', [1, 2]],
    ['lastActivityAt', '2024-02-29T23:59:59.999Z', [2]],
    ['lastActivityAt', '2024-03-01T01:59:59.999+02:00', [2]],
  ])('crm/accounts %s=%s', async (name, value, expected) => {
    expect(await listMatching(accounts, name, value)).toEqual(expected)
  })

  test.each([
    ['totalAmount', '0.1', [2]],
    ['totalAmount', '0.10', [2]],
    ['totalAmount', '0.10000000000000000001', [3]],
    ['totalAmountNotEquals', '0.1', [0, 1, 3, 4, 5, 6]],
    ['totalAmountMin', '9.99', [4, 5]],
    ['totalAmountMax', '0', [0, 1]],
    ['totalAmountMax', '-0.0', [0, 1]],
    ['exchangeRate', '1e21', [1]],
    ['exchangeRate', '1E-7', [0]],
    ['transactionDate', '2024-02-29', [1]],
    ['remoteCreatedAtMin', '2024-02-29', [1, 2, 3]],
    ['remoteCreatedAtMax', '2024-02-29', [0, 1, 2]],
    ['remoteCreatedAtMax', '2024-02-29T00:00:00.000Z', [0, 1]],
    ['remoteCreatedAtMin', '2024-02-29T23:59:59.999Z', [2, 3]],
    ['remoteCreatedAtMax', '9999-12-31', [0, 1, 2, 3]],
    ['remoteCreatedAtMin', '0001-01-01', [0, 1, 2, 3]],
  ])('accounting/payments %s=%s', async (name, value, expected) => {
    expect(await listMatching(payments, name, value)).toEqual(expected)
  })

  test.each([
    [1e-7, '0'],
    [1e21, '1'],
  ])('GraphQL passes the number %d unchanged', async (exchangeRate, remoteId) => {
    const { data, errors } = await service.graphql(
      tenant.key,
      `query ($exchangeRate: Float) { accountingPayments(credentialId: "${B}", filter: { exchangeRate: $exchangeRate }) { nodes { remoteId } } }`,
      { exchangeRate },
    )
    expect(errors).toEqual([])
    expect(data.accountingPayments.nodes).toEqual([{ remoteId }])
  })
})
