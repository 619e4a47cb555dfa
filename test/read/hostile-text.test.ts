/** Text that would be SQL if it were not passed as a parameter. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import { filterParameters } from '../../src/query/filter.ts'
import type { StoredRecord } from '../support/filter-oracle.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Tenant, TestService } from '../support/service.ts'
import { A, B, openReadHarness } from './read-harness.ts'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  ;({ service, tenant } = await openReadHarness())
})
afterAll(() => service.stop())

describe('hostile text', () => {
  const hostile = [
    "' OR '1'='1",
    "'; DROP TABLE crm_accounts; --",
    "\\'; DROP TABLE crm_accounts; --",
    '1; SELECT pg_sleep(10)',
    "') UNION SELECT hash FROM api_keys --",
    '"; DELETE FROM "crm_accounts',
    '$1',
    `\${7*7}`,
    '{{7*7}}',
    "E'\\\\x'",
    'NULL',
    '/* */',
    '{"a":1}',
    '1e999',
    '%27%20OR%201=1',
    '\u202e\u0301\ufeff',
  ]
  const resources = ['crm/accounts', 'accounting/payments', 'crm/tasks', 'crm/users']

  beforeAll(async () => {
    for (const resource of resources.map(catalogue.get))
      await service.save(
        tenant,
        A,
        resource,
        [1, 2, 3].map((n) => sampleRecord(A, resource, n)),
      )
  })

  test.each(hostile)('%s is a value like any other', async (value) => {
    const before = await service.database.prisma.$queryRaw`SELECT count(*) FROM crm_accounts`
    for (const resource of resources.map(catalogue.get)) {
      const names = [...filterParameters(resource).keys()]
      for (const name of [...names, 'orderBy', 'cursor', 'pageSize', 'credentialId', 'remoteId']) {
        const query = new URLSearchParams({ credentialId: A, [name]: value })
        const { statusCode, body } = await service.rest(tenant.key, `${resource.restPath}?${query}`)
        expect(statusCode, `${name} ${body}`).toBeLessThan(500)
        // No record has this name: equality selects nothing, inequality selects all, and no number exceeds 1e999.
        const kind = filterParameters(resource).get(name)
        const maySelectSome = ['notEquals', 'contains', 'max'].includes(kind?.operator ?? '')
        if (statusCode === 200 && !maySelectSome)
          expect(
            JSON.parse(body)[resource.plural].filter(
              (record: StoredRecord) => record[kind?.field ?? ''] !== value,
            ),
          ).toEqual([])
      }
      const found = await service.rest(
        tenant.key,
        `${resource.restPath}/${encodeURIComponent(value)}?credentialId=${A}`,
      )
      expect(found.statusCode, found.body).toBe(404)
    }
    expect(await service.database.prisma.$queryRaw`SELECT count(*) FROM crm_accounts`).toEqual(
      before,
    )
  })

  test('a record with such a name is found by it, and no other record', async () => {
    const accounts = catalogue.get('crm/accounts')
    await service.save(
      tenant,
      B,
      accounts,
      hostile.map((accountName, n) => ({ ...sampleRecord(B, accounts, 100 + n), accountName })),
    )
    for (const [n, value] of hostile.entries())
      for (const name of ['accountName', 'accountNameContains']) {
        const query = new URLSearchParams({
          credentialId: B,
          [name]: value,
          remoteId: `${100 + n}`,
        })
        const response = await service.rest(tenant.key, `/crm/accounts?${query}`)
        expect(response.json().accounts, value).toMatchObject([{ accountName: value }])
        const { data } = await service.graphql(
          tenant.key,
          `query ($filter: CrmAccountFilter) { crmAccounts(credentialId: "${B}", filter: $filter) { nodes { accountName } } }`,
          { filter: { [name]: value } },
        )
        expect(data.crmAccounts.nodes).toContainEqual({ accountName: value })
      }
  })
})
