/** Filters: random ones against an oracle, hostile texts, records that are deleted in the app, references. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { type FilterParameter, filterParameters } from '../../src/query/filter.ts'
import { type GivenFilter, isListed, type StoredRecord } from '../support/filter-oracle.ts'
import {
  days,
  decimals,
  instants,
  integers,
  REMOTE_IDS,
  recordRows,
  texts,
} from '../support/random-records.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const SEED = 20_261_121
const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'
const RECORDS = 30

let service: TestService
let tenant: Tenant
const stored = new Map<Resource, readonly StoredRecord[]>()

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [A, B])
  for (const resource of catalogue.resources) {
    const rows =
      fc.sample(recordRows(A, resource, { count: RECORDS, deleted: true }), {
        seed: SEED,
        numRuns: 1,
      })[0] ?? []
    await service.save(tenant, A, resource, rows)
    const times = await service.database.prisma.$queryRawUnsafe<
      { id: string; created_at: Date; updated_at: Date }[]
    >(`SELECT id, created_at, updated_at FROM ${resource.table}`)
    stored.set(
      resource,
      rows.map((row) => {
        const at = times.find(({ id }) => id === row.id)
        return {
          ...row,
          createdAt: at?.created_at.toISOString(),
          updatedAt: at?.updated_at.toISOString(),
        }
      }),
    )
  }
})
afterAll(() => service.stop())

const recordsOf = (resource: Resource): readonly StoredRecord[] => stored.get(resource) ?? []

const flipCase = (text: string): string =>
  [...text]
    .map((letter) =>
      letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
    )
    .join('')

/** Values worth asking for: those that records have, parts of them, and others. */
const givenValues = (resource: Resource, parameter: FilterParameter): fc.Arbitrary<string> => {
  const { field, kind, definition, operator } = parameter
  const known = recordsOf(resource)
    .map((record) => record[field])
    .filter((value) => value !== null && value !== undefined)
    .map(String)
  const present = fc.constantFrom(...(known.length > 0 ? known : ['1']))
  switch (kind) {
    case 'text':
      if (field === 'remoteId') return fc.nat(RECORDS + 2).map(String)
      return fc.oneof(
        present,
        present.map(flipCase),
        fc
          .tuple(present, fc.nat(2), fc.nat(3))
          .map(([text, from, length]) => [...text].slice(from, from + length + 1).join('')),
        texts.filter((text) => text.isWellFormed()),
      )
    case 'integer':
      return fc.oneof(present, integers.map(String))
    case 'number':
    case 'decimal':
      return fc.oneof(
        present,
        present.map((digits) => (digits.includes('.') ? `${digits}00` : `${digits}.0`)),
        decimals,
      )
    case 'boolean':
      return fc.constantFrom('true', 'false')
    case 'enumeration': {
      if (definition.kind !== 'enumeration') throw new TypeError(field)
      return fc
        .constantFrom(...definition.values.slice(0, 4))
        .chain((word) => fc.constantFrom(word, word.toLowerCase()))
    }
    case 'reference': {
      if (definition.kind !== 'reference') throw new TypeError(field)
      const { target } = definition
      return fc
        .integer({ min: 1, max: REMOTE_IDS + 1 })
        .map(String)
        .chain((remoteId) => {
          const id = recordId(A, target, remoteId)
          return fc.constantFrom(remoteId, id, id.toUpperCase())
        })
    }
    case 'timestamp':
    case 'date': {
      const aDay = fc.oneof(present, days).map((iso) => iso.slice(0, 10))
      if (kind === 'date' && operator === 'equals') return aDay
      return fc.oneof(aDay, present, instants, instants.map(withOffset))
    }
  }
}

/** The same instant, as clocks two hours ahead show it. */
const withOffset = (iso: string): string =>
  new Date(Date.parse(iso) + 7_200_000).toISOString().replace('Z', '+02:00')

/** One to three conditions, at most one for each parameter. */
const filters = (resource: Resource): fc.Arbitrary<GivenFilter> => {
  const parameters = [...filterParameters(resource).values()]
  return fc
    .tuple(
      fc.subarray(parameters, { minLength: 1, maxLength: 3 }),
      fc.constantFrom(undefined, undefined, 'true', 'false'),
    )
    .chain(([chosen, includeDeleted]) =>
      fc
        .record(
          Object.fromEntries(chosen.map((one) => [one.name, givenValues(resource, one)] as const)),
        )
        .map((given) => (includeDeleted === undefined ? given : { ...given, includeDeleted })),
    )
}

const remoteIds = (records: readonly Readonly<Record<string, unknown>>[]): string[] =>
  records.map(({ remoteId }) => String(remoteId)).sort()

const expectedIds = (resource: Resource, given: GivenFilter): string[] =>
  remoteIds(recordsOf(resource).filter((record) => isListed(resource, A, record, given)))

/** The value that GraphQL takes in place of a query string's text. */
const typedValue = (resource: Resource, name: string, value: string): unknown => {
  if (name === 'includeDeleted') return value === 'true'
  const { kind } = filterParameters(resource).get(name) ?? {}
  if (kind === 'boolean') return value === 'true'
  if (kind === 'enumeration') return value.toUpperCase()
  return kind === 'integer' || kind === 'number' || kind === 'decimal' ? Number(value) : value
}

const listOverGraph = async (resource: Resource, given: GivenFilter) => {
  const { data, errors } = await service.graphql(
    tenant.key,
    `query ($filter: ${resource.typeName}Filter) {
      list: ${resource.listField}(credentialId: "${A}", filter: $filter) { totalCount nodes { remoteId } }
    }`,
    {
      filter: Object.fromEntries(
        Object.entries(given).map(([name, value]) => [name, typedValue(resource, name, value)]),
      ),
    },
  )
  expect(errors, JSON.stringify(given)).toEqual([])
  return { ids: remoteIds(data.list.nodes), count: data.list.totalCount }
}

const listOverRest = async (resource: Resource, given: GivenFilter) => {
  const query = new URLSearchParams({ credentialId: A, ...given })
  const [list, count] = [
    await service.rest(tenant.key, `${resource.restPath}?${query}`),
    await service.rest(tenant.key, `${resource.restPath}/count?${query}`),
  ]
  expect(list.statusCode, list.body).toBe(200)
  return { ids: remoteIds(list.json()[resource.plural]), count: count.json().count }
}

const isExact = (value: string): boolean => !/\d{16}|\.\d{16}/.test(value)

describe.each(catalogue.resources.map((resource) => [resource.topic, resource] as const))(
  'random filters of %s',
  (_topic, resource) => {
    test('leave the records that the oracle leaves', async () => {
      let some = 0
      await fc.assert(
        fc.asyncProperty(filters(resource), async (given) => {
          const ids = expectedIds(resource, given)
          if (ids.length > 0) some += 1
          expect(await listOverRest(resource, given)).toEqual({ ids, count: ids.length })
        }),
        { seed: SEED, numRuns: 80 },
      )
      // Not for nothing: a good part of the filters leaves records.
      expect(some).toBeGreaterThan(10)
    })

    test('leave them over GraphQL', async () => {
      await fc.assert(
        fc.asyncProperty(filters(resource), async (given) => {
          // A GraphQL number is a double; what it cannot hold, it cannot ask for.
          fc.pre(Object.values(given).every(isExact))
          const ids = expectedIds(resource, given)
          expect(await listOverGraph(resource, given)).toEqual({ ids, count: ids.length })
        }),
        { seed: SEED + 1, numRuns: 20 },
      )
    })
  },
)

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

  const left = async (resource: Resource, name: string, value: string) => {
    const query = new URLSearchParams({ credentialId: B, [name]: value })
    const answer = await service.rest(tenant.key, `${resource.restPath}?${query}`)
    expect(answer.statusCode, answer.body).toBe(200)
    return answer
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
    expect(await left(accounts, name, value)).toEqual(expected)
  })

  test.each([
    ['totalAmount', '0.1', [2]],
    ['totalAmount', '0.10', [2]],
    ['totalAmount', '0.10000000000000000001', [3]],
    ['totalAmountNotEquals', '0.1', [0, 1, 3, 4, 5, 6]],
    ['totalAmountMin', '9.99', [4, 5]],
    ['totalAmountMax', '0', [0, 1]],
    ['totalAmountMax', '-0.0', [0, 1]],
    ['transactionDate', '2024-02-29', [1]],
    ['remoteCreatedAtMin', '2024-02-29', [1, 2, 3]],
    ['remoteCreatedAtMax', '2024-02-29', [0, 1, 2]],
    ['remoteCreatedAtMax', '2024-02-29T00:00:00.000Z', [0, 1]],
    ['remoteCreatedAtMin', '2024-02-29T23:59:59.999Z', [2, 3]],
    ['remoteCreatedAtMax', '9999-12-31', [0, 1, 2, 3]],
    ['remoteCreatedAtMin', '0001-01-01', [0, 1, 2, 3]],
  ])('accounting/payments %s=%s', async (name, value, expected) => {
    expect(await left(payments, name, value)).toEqual(expected)
  })

  test.each([
    [1e-7, '0'],
    [1e21, '1'],
  ])('GraphQL takes the number %d as it is', async (exchangeRate, remoteId) => {
    const { data, errors } = await service.graphql(
      tenant.key,
      `query ($exchangeRate: Float) { accountingPayments(credentialId: "${B}", filter: { exchangeRate: $exchangeRate }) { nodes { remoteId } } }`,
      { exchangeRate },
    )
    expect(errors).toEqual([])
    expect(data.accountingPayments.nodes).toEqual([{ remoteId }])
  })
})

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

  test.each(hostile)('%s is a value like any other', async (value) => {
    const before = await service.database.prisma.$queryRaw`SELECT count(*) FROM crm_accounts`
    for (const resource of resources.map(catalogue.get)) {
      const names = [...filterParameters(resource).keys()]
      for (const name of [...names, 'orderBy', 'cursor', 'pageSize', 'credentialId', 'remoteId']) {
        const query = new URLSearchParams({ credentialId: A, [name]: value })
        const { statusCode, body } = await service.rest(tenant.key, `${resource.restPath}?${query}`)
        expect(statusCode, `${name} ${body}`).toBeLessThan(500)
        // Nothing is called so: equality and containment leave nothing, everything else differs.
        const kind = filterParameters(resource).get(name)
        if (statusCode === 200 && kind?.operator !== 'notEquals' && kind?.operator !== 'contains')
          expect(
            JSON.parse(body)[resource.plural].filter(
              (record: StoredRecord) => record[kind?.field ?? ''] !== value,
            ),
          ).toEqual([])
      }
      const one = await service.rest(
        tenant.key,
        `${resource.restPath}/${encodeURIComponent(value)}?credentialId=${A}`,
      )
      expect(one.statusCode, one.body).toBe(404)
    }
    expect(await service.database.prisma.$queryRaw`SELECT count(*) FROM crm_accounts`).toEqual(
      before,
    )
  })

  test('a record that is called so is found by it, and no other', async () => {
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
        const answer = await service.rest(tenant.key, `/crm/accounts?${query}`)
        expect(answer.json().accounts, value).toMatchObject([{ accountName: value }])
        const { data } = await service.graphql(
          tenant.key,
          `query ($filter: CrmAccountFilter) { crmAccounts(credentialId: "${B}", filter: $filter) { nodes { accountName } } }`,
          { filter: { [name]: value } },
        )
        expect(data.crmAccounts.nodes).toContainEqual({ accountName: value })
      }
  })
})

describe('records that are deleted in the app', () => {
  const C_RECORDS = { 1: false, 2: true, 3: false, 4: true } as const
  const vendors = catalogue.get('accounting/vendors')
  const bills = catalogue.get('accounting/bills')
  const vendorId = recordId(B, 'accounting/vendors', '2')

  beforeAll(async () => {
    for (const resource of [vendors, bills])
      await service.save(
        tenant,
        B,
        resource,
        Object.entries(C_RECORDS).map(([n, remoteDeleted]) => ({
          ...sampleRecord(B, resource, Number(n)),
          remoteDeleted,
          ...(resource === bills && { vendorId }),
        })),
      )
  })

  test.each([
    ['', ['1', '3']],
    ['includeDeleted=false', ['1', '3']],
    ['remoteDeleted=false', ['1', '3']],
    ['includeDeleted=true', ['1', '2', '3', '4']],
    ['remoteDeleted=true', ['2', '4']],
    ['remoteDeleted=true&includeDeleted=true', ['2', '4']],
    ['includeDeleted=true&remoteDeleted=true', ['2', '4']],
    ['includeDeleted=false&remoteDeleted=true', ['2', '4']],
    ['remoteDeleted=false&includeDeleted=true', ['1', '3']],
    ['includeDeleted=true&remoteDeleted=false', ['1', '3']],
  ])('are listed and counted as asked: %s', async (query, expected) => {
    const given = Object.fromEntries(new URLSearchParams(query))
    const path = `/accounting/vendors?credentialId=${B}&${query}`
    const list = await service.rest(tenant.key, path)
    expect(remoteIds(list.json().vendors)).toEqual(expected)
    const count = await service.rest(tenant.key, path.replace('vendors?', 'vendors/count?'))
    expect(count.json()).toEqual({ count: expected.length })
    const filter = Object.fromEntries(
      Object.entries(given).map(([name, value]) => [name, value === 'true']),
    )
    const graph = await service.graphql(
      tenant.key,
      `query ($vendors: AccountingVendorFilter, $bills: AccountingBillFilter) {
        accountingVendors(credentialId: "${B}", filter: $vendors) { totalCount nodes { remoteId } }
        accountingVendor(credentialId: "${B}", id: "2") { bills(filter: $bills) { totalCount nodes { remoteId } } }
      }`,
      { vendors: filter, bills: filter },
    )
    for (const page of [graph.data.accountingVendors, graph.data.accountingVendor.bills]) {
      expect(remoteIds(page.nodes)).toEqual(expected)
      expect(page.totalCount).toBe(expected.length)
    }
  })

  test('are shown to who asks for them by id, and where a record refers to them', async () => {
    for (const id of ['2', vendorId]) {
      const rest = await service.rest(tenant.key, `/accounting/vendors/${id}?credentialId=${B}`)
      expect(rest.json().vendor).toMatchObject({ remoteId: '2', remoteDeleted: true })
    }
    const { data } = await service.graphql(
      tenant.key,
      `{
        node(id: "${vendorId}") { id ... on AccountingVendor { remoteDeleted } }
        accountingBill(credentialId: "${B}", id: "1") { vendor { id remoteDeleted } }
      }`,
    )
    const shown = { id: vendorId, remoteDeleted: true }
    expect(data).toEqual({ node: shown, accountingBill: { vendor: shown } })
  })
})

describe('a reference', () => {
  const notes = catalogue.get('crm/notes')
  const contacts = catalogue.get('crm/contacts')

  beforeAll(async () => {
    for (const credentialId of [A, B])
      for (const resource of [notes, contacts]) {
        await service.database.prisma.$executeRawUnsafe(
          `DELETE FROM ${resource.table} WHERE credential_id = '${credentialId}'`,
        )
        await service.save(
          tenant,
          credentialId,
          resource,
          [1, 2, 3, 4].map((n) => sampleRecord(credentialId, resource, n)),
        )
      }
  })

  test('is given as the id here or the id in the app, whatever the case', async () => {
    const id = recordId(A, 'crm/accounts', '2')
    for (const value of ['2', id, id.toUpperCase()]) {
      for (const [path, plural, name] of [
        ['/crm/notes', 'notes', 'noteAccount'],
        ['/crm/contacts', 'contacts', 'account'],
      ] as const) {
        const query = `credentialId=${A}&${name}`
        const same = await service.rest(tenant.key, `${path}?${query}=${value}`)
        expect(remoteIds(same.json()[plural])).toEqual(['2'])
        const others = await service.rest(tenant.key, `${path}?${query}NotEquals=${value}`)
        expect(remoteIds(others.json()[plural])).toEqual(['1', '3', '4'])
      }
    }
  })

  test('by the id in the app means each credential’s own record; by the id here, the one', async () => {
    const found = async (noteAccount: string) => {
      const { data } = await service.graphql(
        tenant.key,
        `query ($filter: CrmNoteFilter) { crmNotes(credentialIds: ["${A}", "${B}"], filter: $filter) { totalCount nodes { credentialId remoteId } } }`,
        { filter: { noteAccount } },
      )
      expect(data.crmNotes.totalCount).toBe(data.crmNotes.nodes.length)
      return data.crmNotes.nodes.map((node: { credentialId: string }) => node.credentialId).sort()
    }
    expect(await found('2')).toEqual([A, B])
    expect(await found(recordId(A, 'crm/accounts', '2'))).toEqual([A])
    expect(await found(recordId(B, 'crm/accounts', '2'))).toEqual([B])
  })

  test('to another credential’s record, or to another resource’s, leaves nothing', async () => {
    for (const id of [recordId(B, 'crm/accounts', '2'), recordId(A, 'crm/contacts', '2')]) {
      const answer = await service.rest(
        tenant.key,
        `/crm/notes?credentialId=${A}&noteAccount=${id}`,
      )
      expect(answer.json()).toEqual({ notes: [] })
    }
  })

  test('in a path narrows the list to the record’s own', async () => {
    const fulfillments = catalogue.get('commerce/fulfillments')
    await service.save(
      tenant,
      B,
      fulfillments,
      [1, 2, 4].map((n) => sampleRecord(B, fulfillments, n)),
    )
    for (const orderId of ['2', recordId(B, 'commerce/orders', '2')]) {
      const base = `/commerce/orders/${orderId}/fulfillments`
      const list = await service.rest(tenant.key, `${base}?credentialId=${B}`)
      expect(remoteIds(list.json().fulfillments)).toEqual(['2'])
      const count = await service.rest(tenant.key, `${base}/count?credentialId=${B}`)
      expect(count.json()).toEqual({ count: 1 })
      const own = await service.rest(tenant.key, `${base}/2?credentialId=${B}`)
      expect(own.json().fulfillment.remoteId).toBe('2')
      const other = await service.rest(tenant.key, `${base}/1?credentialId=${B}`)
      expect(other.statusCode).toBe(404)
    }
  })
})
