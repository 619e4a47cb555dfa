/**
 * Filters compose: groups, several values, missing values and linked records; errors name the field by its path.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { parseExactly } from '../../src/query/exact-json.ts'
import { MAX_FILTER_CONDITIONS, parseFilterInput } from '../../src/query/filter-input.ts'
import { filterLinks } from '../../src/query/filter-links.ts'
import { matchChange } from '../../src/query/record-filter.ts'
import { filterSql } from '../../src/store/records/filter-sql.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Tenant, TestService } from '../support/service.ts'
import { A, B, openReadHarness, sortedRemoteIds } from './read-harness.ts'

const accounts = catalogue.get('crm/accounts')
const contacts = catalogue.get('crm/contacts')
const payments = catalogue.get('accounting/payments')
const customers = catalogue.get('accounting/customers')

let service: TestService
let tenant: Tenant

const accountRow = (
  credentialId: string,
  n: number,
  values: Readonly<Record<string, unknown>>,
) => ({
  ...sampleRecord(credentialId, accounts, n),
  accountOwner: null,
  industry: null,
  ...values,
})
const contactRow = (
  credentialId: string,
  n: number,
  accountNumber: number | null,
  lastName: string,
) => ({
  ...sampleRecord(credentialId, contacts, n),
  account:
    accountNumber === null ? null : recordId(credentialId, accounts.topic, String(accountNumber)),
  lastName,
})

beforeAll(async () => {
  ;({ service, tenant } = await openReadHarness())
  await service.save(tenant, A, accounts, [
    accountRow(A, 1, { industry: 'Retail', accountOwner: 'Ada' }),
    accountRow(A, 2, { industry: 'Retail, online', accountOwner: 'Bo' }),
    accountRow(A, 3, { industry: String.raw`Ship\ping`, accountOwner: 'Ada' }),
    accountRow(A, 4, {}),
    accountRow(A, 5, { industry: 'Retail', accountOwner: 'Ada', remoteDeleted: true }),
  ])
  await service.save(tenant, A, contacts, [
    contactRow(A, 1, 1, 'Meyer'),
    contactRow(A, 2, 1, 'Long'),
    contactRow(A, 3, 2, 'Meyer'),
    contactRow(A, 4, 5, 'Meyer'),
    contactRow(A, 5, null, 'Meyer'),
    { ...contactRow(A, 6, 3, 'Short'), remoteDeleted: true },
  ])
})
afterAll(() => service.stop())

const listGraph = async (
  listField: string,
  filter: string,
  { parameters = '', variables = {} as object } = {},
) => {
  const { data, errors } = await service.graphql(
    tenant.key,
    `query ${parameters} { list: ${listField}(credentialId: "${A}", filter: ${filter}) { totalCount nodes { remoteId } } }`,
    variables as Record<string, unknown>,
  )
  expect(errors).toEqual([])
  const ids = sortedRemoteIds(data.list.nodes)
  expect(data.list.totalCount).toBe(ids.length)
  return ids.join(' ')
}

describe('a filter over GraphQL', () => {
  test.each([
    ['{ or: [{ industry: "Retail" }, { accountOwner: "Bo" }] }', '1 2'],
    ['{ accountOwner: "Ada", or: [{ industry: "Retail" }, { accountOwner: "Bo" }] }', '1'],
    ['{ and: [{ industryContains: "retail" }, { accountOwnerIn: ["Bo", "Cy"] }] }', '2'],
    ['{ not: { industry: "Retail" } }', '2 3 4'],
    ['{ not: { industry: "Retail", accountOwner: "Bo" } }', '1 2 3 4'],
    ['{ not: { not: { industry: "Retail" } } }', '1'],
    ['{ industryIn: ["Retail", "Retail, online"] }', '1 2'],
    ['{ industryIn: [] }', ''],
    ['{ not: { industryIn: [] } }', '1 2 3 4'],
    ['{ industryIsNull: true }', '4'],
    ['{ industryIsNull: false }', '1 2 3'],
    ['{ includeDeleted: true, or: [{ remoteDeleted: true }, { industryIsNull: true }] }', '4 5'],
    ['{ contacts: { some: { lastName: "Meyer" } } }', '1 2'],
    ['{ contacts: { every: { lastName: "Meyer" } } }', '2 3 4'],
    ['{ contacts: { none: { lastName: "Meyer" } } }', '3 4'],
    ['{ contacts: { some: {}, none: { lastName: "Long" } } }', '2'],
    ['{ contacts: { some: { lastName: "Short" } } }', ''],
    ['{ contacts: { some: { lastName: "Short", includeDeleted: true } } }', '3'],
    ['{ contacts: { some: { remoteDeleted: true } } }', '3'],
    ['{ contacts: { some: { accountWhere: { contacts: { some: { lastName: "Long" } } } } } }', '1'],
  ])('of accounts, %s', async (filter, expected) => {
    expect(await listGraph('crmAccounts', filter)).toBe(expected)
  })

  test.each([
    ['{ account: "1" }', '1 2'],
    ['{ accountIn: ["1", "2"], lastName: "Meyer" }', '1 3'],
    ['{ accountIsNull: true }', '5'],
    ['{ accountWhere: { industry: "Retail" } }', '1 2 4'],
    ['{ accountWhere: { industry: "Retail", remoteDeleted: false } }', '1 2'],
    ['{ not: { accountWhere: { industry: "Retail" } } }', '3 5'],
  ])('of contacts, %s', async (filter, expected) => {
    expect(await listGraph('crmContacts', filter)).toBe(expected)
  })

  test('ignores a condition whose variable is absent, on every run of the document', async () => {
    const filter = '{ industry: "Retail", accountOwner: $owner }'
    // A list is planned. An aggregate is not: its resolver runs.
    const query = `query ($owner: String) {
      list: crmAccounts(credentialId: "${A}", filter: ${filter}) { nodes { remoteId } }
      groups: crmAccountsAggregate(credentialId: "${A}", filter: ${filter}) { count }
    }`
    for (const _run of [1, 2, 3]) {
      const all = await service.graphql(tenant.key, query)
      expect(sortedRemoteIds(all.data.list.nodes)).toEqual(['1'])
      expect(all.data.groups).toEqual([{ count: 1 }])
      const none = await service.graphql(tenant.key, query, { owner: 'Bo' })
      expect(none.data).toEqual({ list: { nodes: [] }, groups: [{ count: 0 }] })
      const refused = await service.graphql(tenant.key, query, { owner: null })
      expect(refused.errors[0]?.extensions).toMatchObject({
        code: 'INVALID_PARAMETER',
        details: [
          {
            field: 'accountOwner',
            expected: 'a value; for records without a value, use accountOwnerIsNull: true',
          },
        ],
      })
    }
  })

  test('is read from a variable of its type, on every run of the document', async () => {
    // The resolver of the aggregate runs, and is compiled on the second run.
    const query = `query ($filter: CrmAccountFilter) {
      list: crmAccounts(credentialId: "${A}", filter: $filter) {
        nodes { remoteId contacts(filter: { lastName: "Meyer" }) { totalCount } }
      }
      groups: crmAccountsAggregate(credentialId: "${A}", filter: $filter) { count }
    }`
    const filter = { or: [{ industry: 'Retail' }, { contacts: { some: { lastName: 'Meyer' } } }] }
    for (const _run of [1, 2, 3]) {
      const { data } = await service.graphql(tenant.key, query, { filter })
      expect(sortedRemoteIds(data.list.nodes)).toEqual(['1', '2'])
      for (const { contacts: linked } of data.list.nodes) expect(linked).toEqual({ totalCount: 1 })
      expect(data.groups).toEqual([{ count: 2 }])
    }
  })

  test('is rejected by a planned field on every run, when the rest of the document is compiled', async () => {
    const query = `query ($owner: String) {
      list: crmAccounts(credentialId: "${A}", filter: { accountOwner: $owner }) { nodes { remoteId } }
      groups: crmAccountsAggregate(credentialId: "${A}") { count }
    }`
    for (const _run of [1, 2, 3]) {
      const { data } = await service.graphql(tenant.key, query, { owner: 'Bo' })
      expect(sortedRemoteIds(data.list.nodes)).toEqual(['2'])
      expect(data.groups).toEqual([{ count: 4 }])
      const refused = await service.graphql(tenant.key, query, { owner: null })
      expect(refused.data).toEqual({ list: null, groups: [{ count: 4 }] })
      expect(refused.errors).toMatchObject([{ path: ['list'] }])
    }
  })
})

describe('a parameter of several values over REST', () => {
  const listRest = async (query: string) => {
    const response = await service.rest(tenant.key, `/crm/accounts?credentialId=${A}&${query}`)
    return { status: response.statusCode, body: response.json() }
  }

  test.each([
    ['industryIn=Retail', '1'],
    ['industryIn=Retail,x', '1'],
    [String.raw`industryIn=Retail\,%20online,Retail`, '1 2'],
    [`industryIn=${encodeURIComponent(String.raw`Ship\\ping`)}`, '3'],
    [`industryIn=${encodeURIComponent(String.raw`Ship\ping`)}`, '3'],
    ['industryIn=', ''],
    ['industryIsNull=true', '4'],
    ['industryIsNull=false&accountOwnerIn=Ada,Bo', '1 2 3'],
    ['remoteIdIn=1,4,5,9', '1 4'],
  ])('%s', async (query, expected) => {
    const { status, body } = await listRest(query)
    expect(status).toBe(200)
    expect(sortedRemoteIds(body.accounts).join(' ')).toBe(expected)
  })

  test('holds a hundred ids of the service, and is rejected with more', async () => {
    const ids = Array.from({ length: 100 }, (_, n) => recordId(A, accounts.topic, String(n)))
    const listed = await service.rest(
      tenant.key,
      `/crm/contacts?credentialId=${A}&accountIn=${ids}`,
    )
    expect(sortedRemoteIds(listed.json().contacts)).toEqual(['1', '2', '3', '4'])
    expect(await listRest(`remoteIdIn=${[...ids.keys(), 100]}`)).toMatchObject({
      status: 400,
      body: {
        error: { details: [{ field: 'remoteIdIn', expected: 'a list of at most 100 values' }] },
      },
    })
  })

  test('is sent once', async () => {
    expect(await listRest('industryIn=Retail&industryIn=x')).toMatchObject({
      status: 400,
      body: {
        error: {
          details: [
            {
              field: 'industryIn',
              expected: 'the parameter once, with values separated by commas',
            },
          ],
        },
      },
    })
  })
})

const lists = { catalogue, acceptsLinks: true }
const nest = (levels: number): object =>
  levels === 0 ? { industry: 'x' } : { not: nest(levels - 1) }

describe('a filter is rejected', () => {
  test.each([
    [{ industry: null }, 'industry', /use industryIsNull: true/],
    [{ industryIn: null }, 'industryIn', /use industryIsNull: true/],
    [{ industryIsNull: null }, 'industryIsNull', /true or false/],
    [{ remoteId: null }, 'remoteId', /remoteId is never null/],
    [{ remoteDeleted: null }, 'remoteDeleted', /remoteDeleted is never null/],
    [{ or: [{}, { industry: null }] }, 'or[0]', /a filter with a condition/],
    [{ or: [{ industry: 'x' }, { industry: null }] }, 'or[1].industry', /industryIsNull/],
    [{ or: [] }, 'or', /at least one filter/],
    [{ and: null }, 'and', /at least one filter/],
    [{ not: {} }, 'not', /a filter with a condition/],
    [{ not: null }, 'not', /a filter/],
    [{ not: { includeDeleted: true } }, 'not.includeDeleted', /in the filter of the list/],
    [{ contacts: {} }, 'contacts', /one of some, every, none/],
    [{ contacts: null }, 'contacts', /a filter/],
    [{ contacts: { some: null } }, 'contacts.some', /a filter/],
    [
      { contacts: { some: { accountWhere: { industry: null } } } },
      'contacts.some.accountWhere.industry',
      /industryIsNull/,
    ],
    [nest(6), 'not.not.not.not.not.not', /at most 5 levels/],
    [
      { or: Array.from({ length: MAX_FILTER_CONDITIONS }, () => ({ industry: 'x' })) },
      'or[99].industry',
      /at most 100 conditions/,
    ],
    [
      { or: Array.from({ length: 6 }, () => ({ industryIn: Array(100).fill('x') })) },
      'or[5].industryIn',
      /at most 500 values/,
    ],
  ])('%j', (input, field, expected) => {
    expect(() => parseFilterInput(lists, accounts, { ...input })).toThrow(
      expect.objectContaining({
        code: 'INVALID_PARAMETER',
        details: [{ field, expected: expect.stringMatching(expected) }],
      }),
    )
  })

  test('not within the limits', () => {
    expect(parseFilterInput(lists, accounts, { ...nest(5) }).conditions).toHaveLength(1)
    const or = Array.from({ length: MAX_FILTER_CONDITIONS - 1 }, () => ({ industry: 'x' }))
    expect(parseFilterInput(lists, accounts, { or }).conditions).toHaveLength(1)
  })
})

describe('a subscription', () => {
  const changes = { catalogue, acceptsLinks: false }

  test('rejects a filter of linked records', () => {
    expect(() => parseFilterInput(changes, accounts, { or: [{ contacts: { some: {} } }] })).toThrow(
      'or[0].contacts: expected no filter of linked records in a subscription',
    )
  })

  test('sends a change of any field that a group reads', () => {
    const filter = parseFilterInput(changes, accounts, {
      or: [{ industry: 'Retail' }, { numberOfEmployeesMin: 50 }],
    })
    const matchUpdate = (changedFields: readonly string[], industry: string) =>
      matchChange(
        accounts,
        filter,
        { kind: 'updated', credentialId: A, changedFields },
        parseExactly(
          JSON.stringify({ id: '', industry, numberOfEmployees: 1, remoteDeleted: false }),
        ),
      )
    expect(matchUpdate(['website'], 'Retail')).toBe('in')
    expect(matchUpdate(['numberOfEmployees'], 'x')).toBe('left')
    expect(matchUpdate(['website'], 'x')).toBe('out')
  })
})

describe('linked records', () => {
  test('of another credential never match, even if a reference has their id', async () => {
    // No mapping can create such a row, because an id is computed from the credential of the record.
    const foreign = recordId(A, accounts.topic, '1')
    await service.save(tenant, B, contacts, [{ ...contactRow(B, 1, 1, 'Meyer'), account: foreign }])
    await service.save(tenant, B, accounts, [accountRow(B, 2, { industry: 'Other' })])
    const list = async (filter: object) => {
      const { data } = await service.graphql(
        tenant.key,
        `query ($filter: CrmContactFilter) { crmContacts(credentialId: "${B}", filter: $filter) { totalCount } }`,
        { filter },
      )
      return data.crmContacts.totalCount
    }
    expect(await list({ lastName: 'Meyer' })).toBe(1)
    expect(await list({ accountWhere: {} })).toBe(0)
    expect(await list({ accountWhere: { industry: 'Retail' } })).toBe(0)
    expect(await list({ not: { accountWhere: {} } })).toBe(1)
    expect(await listGraph('crmAccounts', '{ contacts: { some: {} } }')).toBe('1 2')
  })

  test.each(
    catalogue.resources.flatMap((resource) =>
      [...(filterLinks(catalogue).get(resource)?.values() ?? [])].map(
        (link) => [`${resource.topic} ${link.name}`, resource, link] as const,
      ),
    ),
  )('are those of the same credential in SQL: %s', (_name, resource, { name, isList }) => {
    const filter = parseFilterInput(lists, resource, { [name]: isList ? { none: {} } : {} })
    const { sql } = filterSql(resource, filter, [A])
    expect(sql).toMatch(
      /^ AND (NOT )?EXISTS \(SELECT FROM \w{1,60} t1 WHERE t1\.credential_id = t\.credential_id AND /,
    )
  })

  test('are reached in both directions', () => {
    const linkNames = (resource: typeof payments) => [
      ...(filterLinks(catalogue).get(resource)?.keys() ?? []),
    ]
    expect(linkNames(payments)).toEqual([
      'customer',
      'vendor',
      'account',
      'company',
      'trackingCategories',
    ])
    expect(linkNames(customers)).toContain('payments')
  })
})
