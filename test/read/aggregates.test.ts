/** Aggregates: exact numbers of groups, as an evaluation in memory computes them, over REST and GraphQL alike. */
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { RecordRow } from '../../src/definition/mapping.ts'
import { type Resource, snakeCase } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import {
  aggregateFunctions,
  groupKeys,
  MAX_GROUP_KEYS,
  MAX_GROUPS,
  measuredFields,
} from '../../src/query/aggregate.ts'
import { recordRows } from '../support/random-records.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Tenant, TestService } from '../support/service.ts'
import { A, B, openReadHarness } from './read-harness.ts'

const SEED = 20_261_123
const RECORDS = 30

const stages = [
  'accounting/invoices',
  'accounting/payments',
  'commerce/orders',
  'crm/accounts',
  'crm/contacts',
  'crm/users',
].map((topic) => catalogue.get(topic))
const notes = catalogue.get('crm/notes')

let service: TestService
let tenant: Tenant
const stored = new Map<Resource, readonly RecordRow[]>()

beforeAll(async () => {
  ;({ service, tenant } = await openReadHarness())
  for (const resource of stages) {
    const [rows = []] = fc.sample(recordRows(A, resource, { count: RECORDS, deleted: true }), {
      seed: SEED,
      numRuns: 1,
    })
    await service.save(tenant, A, resource, rows)
    stored.set(resource, rows)
  }
  await service.save(
    tenant,
    B,
    catalogue.get('accounting/invoices'),
    [1, 2].map((n) => sampleRecord(B, catalogue.get('accounting/invoices'), n)),
  )
})
afterAll(() => service.stop())

const SCALE_DIGITS = 30

/** The digits times 10^30 as an exact integer. */
const toScaledInteger = (digits: string): bigint => {
  const [, sign, whole = '0', fraction = ''] = /^(-?)(\d+)\.?(\d*)$/.exec(digits) ?? []
  const value = BigInt(whole + fraction.padEnd(SCALE_DIGITS, '0'))
  return sign === '-' ? -value : value
}

/** The key of a record by the name of the key: `issueDateMonth`. */
const keyOf = (resource: Resource, record: RecordRow, name: string): unknown => {
  if (name === 'credentialId') return A
  if (name in resource.allFields) {
    const value = record[name] ?? null
    return typeof value === 'string' ? value.slice(0, 200) : value
  }
  const [, field = '', part = ''] = /^(\w{1,40})(Day|Month|Year)$/.exec(name) ?? []
  const time = record[field] ?? null
  return time === null ? null : String(time).slice(0, { Day: 10, Month: 7, Year: 4 }[part])
}

interface Group {
  readonly key: Readonly<Record<string, unknown>>
  readonly count: number
  readonly [name: string]: unknown
}

/** The expected group. The average follows from the sum, so both are checked together. */
const expectGroup = (resource: Resource, group: Group, records: readonly RecordRow[]): void => {
  expect(group.count).toBe(records.length)
  for (const field of measuredFields(resource)) {
    const values = records.flatMap((record) =>
      record[field] === null || record[field] === undefined
        ? []
        : [toScaledInteger(String(record[field]))],
    )
    const [sum, avg, min, max] = aggregateFunctions.map((name) => {
      const text = (group[name] as Readonly<Record<string, string | null>>)[field] ?? null
      return text === null ? null : toScaledInteger(text)
    })
    if (values.length === 0) {
      expect([sum, avg, min, max], field).toEqual([null, null, null, null])
      continue
    }
    const total = values.reduce((total, other) => total + other, 0n)
    expect([sum, min, max], field).toEqual([
      total,
      values.reduce((least, other) => (other < least ? other : least)),
      values.reduce((greatest, other) => (other > greatest ? other : greatest)),
    ])
    // 16 significant digits, and at least as many as the numbers have.
    const rest = (avg ?? 0n) * BigInt(values.length) - total
    const size = total < 0n ? -total : total
    expect(rest < 0n ? -rest : rest, field).toBeLessThan(size / 10n ** 14n + 10n ** 16n)
  }
}

const readAggregate = async (
  resource: Resource,
  groupBy: readonly string[],
  filter: Readonly<Record<string, string | boolean>> = {},
): Promise<readonly Group[]> => {
  const fields = measuredFields(resource)
  const measures = aggregateFunctions.flatMap((name) => fields.map((field) => `${name}.${field}`))
  const query = new URLSearchParams({
    credentialId: A,
    ...Object.fromEntries(Object.entries(filter).map(([name, value]) => [name, String(value)])),
    ...(groupBy.length > 0 && { groupBy: groupBy.join() }),
    ...(measures.length > 0 && { measures: measures.join() }),
  })
  const rest = await service.rest(tenant.key, `${resource.restPath}/aggregate?${query}`)
  expect(rest.statusCode, rest.body).toBe(200)
  const selection = aggregateFunctions.map((name) =>
    fields.length > 0 ? `${name} { ${fields} }` : '',
  )
  const graph = await service.graphql(
    tenant.key,
    `query ($filter: ${resource.typeName}Filter) {
      groups: ${resource.listField}Aggregate(credentialId: "${A}", filter: $filter, groupBy: [${groupBy.map((name) => snakeCase(name).toUpperCase())}]) {
        key { __typename ${groupBy} } count ${selection.join(' ')}
      }
    }`,
    { filter },
  )
  expect(graph.errors).toEqual([])
  const { groups } = rest.json()
  expect(
    graph.data.groups.map(({ key: { __typename: _, ...key }, ...group }: Group) => ({
      key,
      ...group,
    })),
  ).toEqual(groups)
  return groups
}

describe.each(stages.map((resource) => [resource.topic, resource] as const))(
  'aggregates of %s',
  (_topic, resource) => {
    const keys = [...groupKeys(resource).keys()].filter(
      (name) => !/^(created|updated)At/.test(name),
    )
    const listPresent = () =>
      (stored.get(resource) ?? []).filter(({ remoteDeleted }) => !remoteDeleted)

    test('are those of an evaluation in memory, by any keys', async () => {
      await fc.assert(
        fc.asyncProperty(
          fc.subarray(keys, { maxLength: 3 }),
          fc.constantFrom({}, {}, { remoteCreatedAtIsNull: false }),
          async (groupBy, filter) => {
            const records = listPresent().filter(
              ({ remoteCreatedAt }) => Object.keys(filter).length === 0 || remoteCreatedAt !== null,
            )
            const textOf = (key: Group['key']) => JSON.stringify(groupBy.map((name) => key[name]))
            const expected = Map.groupBy(records, (record) =>
              textOf(
                Object.fromEntries(groupBy.map((name) => [name, keyOf(resource, record, name)])),
              ),
            )
            const groups = await readAggregate(resource, groupBy, filter as Record<string, boolean>)
            expect(groups.map(({ key }) => textOf(key)).sort()).toEqual([...expected.keys()].sort())
            for (const group of groups)
              expectGroup(resource, group, expected.get(textOf(group.key)) ?? [])
          },
        ),
        { seed: SEED, numRuns: 12 },
      )
    })
  },
)

const sendFields = async (
  fields: string,
  variables: Record<string, unknown> = {},
  parameters = '',
) => service.graphql(tenant.key, `query ${parameters} { ${fields} }`, variables)

describe('an aggregate', () => {
  test('without records is one group without keys, and no group with keys', async () => {
    const empty = { remoteIdIn: 'none' }
    const payments = catalogue.get('accounting/payments')
    const [group] = await readAggregate(payments, [], empty)
    const numbers = { exchangeRate: null, totalAmount: null }
    expect(group).toEqual({
      key: {},
      count: 0,
      sum: numbers,
      avg: numbers,
      min: numbers,
      max: numbers,
    })
    expect(await readAggregate(payments, ['currency'], empty)).toEqual([])
  })

  test('reads several credentials, and groups by them', async () => {
    const query = `accountingInvoicesAggregate(userId: "${tenant.userId}", filter: { includeDeleted: true }, groupBy: [CREDENTIAL_ID]) { key { credentialId } count }`
    for (const _run of [1, 2, 3])
      expect((await sendFields(query)).data.accountingInvoicesAggregate).toEqual([
        { key: { credentialId: A }, count: RECORDS },
        { key: { credentialId: B }, count: 2 },
      ])
  })

  test('computes what is selected, in one statement, whichever way it is selected', async () => {
    const query = `
      query ($all: Boolean = false) {
        invoices: accountingInvoicesAggregate(credentialId: "${B}") {
          amount: sum { totalAmount }
          ...F
          sum { total: totalAmount ... { balance } }
          max @include(if: $all) { balance }
        }
      }
      fragment F on AccountingInvoiceGroup { min { ...M } count }
      fragment M on AccountingInvoiceMeasures { __typename totalAmount }`
    for (const all of [false, true, false, true]) {
      service.takeStatements()
      const { data, errors } = await service.graphql(tenant.key, query, { all })
      expect(errors).toEqual([])
      expect(data.invoices).toEqual([
        {
          amount: { totalAmount: '4.00' },
          count: 2,
          min: { __typename: 'AccountingInvoiceMeasures', totalAmount: '1.50' },
          sum: { total: '4.00', balance: '4.00' },
          ...(all && { max: { balance: '2.50' } }),
        },
      ])
      const statements = service.takeStatements().filter((text) => text.includes('_invoices'))
      expect(statements).toHaveLength(1)
      expect(statements[0]).not.toContain('avg(')
    }
  })

  test('of long texts groups by their first 200 characters', async () => {
    await service.save(
      tenant,
      A,
      notes,
      [1, 2].map((n) => ({ ...sampleRecord(A, notes, n), noteTitle: `${'x'.repeat(300)}${n}` })),
    )
    const groups = await readAggregate(notes, ['noteTitle'])
    expect(groups).toEqual([{ key: { noteTitle: 'x'.repeat(200) }, count: 2 }])
  })

  test('has at most 1,000 groups', async () => {
    const rows = Array.from({ length: MAX_GROUPS + 1 }, (_, n) => ({
      ...sampleRecord(B, notes, n),
      noteTitle: String(n),
    }))
    await service.save(tenant, B, notes, rows.slice(0, 1000))
    await service.save(tenant, B, notes, rows.slice(1000))
    const expected = { code: 'INVALID_PARAMETER', details: [{ field: 'groupBy' }] }
    const path = `/crm/notes/aggregate?credentialId=${B}&groupBy=noteTitle`
    const refused = await service.rest(tenant.key, path)
    expect(refused.json().error).toMatchObject(expected)
    const query = `crmNotesAggregate(credentialId: "${B}", groupBy: [NOTE_TITLE]) { count }`
    expect((await sendFields(query)).errors[0]?.extensions).toMatchObject(expected)
    const filtered = await service.rest(tenant.key, `${path}&noteTitleNotEquals=0`)
    expect(filtered.json().groups).toHaveLength(MAX_GROUPS)
  })

  test.each([
    ['groupBy=nope', 'groupBy', /known keys, such as/],
    ['groupBy=', 'groupBy', /known keys/],
    ['groupBy=issueDate', 'groupBy', /known keys, such as issueDate(Day|Year)/],
    ['groupBy=currency&groupBy=memo', 'groupBy', /once, with values separated by commas/],
    ['groupBy=memo,currency,companyId,customerId,dueDateDay,dueDateYear', 'groupBy', /at most 5/],
    ['groupBy=memo,memo', 'groupBy[1]', /^another key than that of groupBy\[0\]$/],
    ['groupBy=memo,currency,memo', 'groupBy[2]', /^another key than that of groupBy\[0\]$/],
    ['measures=sum.memo', 'measures', /known measures, such as sum\./],
    ['measures=totalAmount', 'measures', /known measures/],
    ['pageSize=1', 'pageSize', /a known parameter/],
    ['currency=NOPE', 'currency', /a code such as/],
  ])('is rejected with %s', async (query, field, expected) => {
    const response = await service.rest(
      tenant.key,
      `/accounting/invoices/aggregate?credentialId=${A}&${query}`,
    )
    expect(response.statusCode).toBe(400)
    expect(response.json().error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: [{ field, expected: expect.stringMatching(expected) }],
    })
  })

  test('is rejected over GraphQL with too many keys or fields', async () => {
    const keys = ['MEMO', 'CURRENCY', 'COMPANY_ID', 'CUSTOMER_ID', 'DUE_DATE_DAY', 'DUE_DATE_YEAR']
    expect(keys).toHaveLength(MAX_GROUP_KEYS + 1)
    const queryOf = (argument: string, fields: string) =>
      sendFields(`accountingInvoicesAggregate(credentialId: "${A}"${argument}) { ${fields} }`)
    const many = await queryOf(`, groupBy: [${keys}]`, 'count')
    expect(many.errors[0]?.extensions).toMatchObject({ details: [{ field: 'groupBy' }] })
    const names = measuredFields(catalogue.get('accounting/invoices'))
    const aliased = Array.from({ length: 9 }, (_, n) => names.map((name) => `${name}${n}: ${name}`))
    const wide = `sum { ${aliased.flat().slice(0, 49)} }`
    expect((await queryOf('', wide)).errors).toEqual([])
    const costly = await queryOf(', groupBy: [CURRENCY]', wide)
    expect(costly.errors[0]?.extensions.code).toBe('QUERY_TOO_COMPLEX')
  })
})

describe('over GraphQL, an aggregate', () => {
  const send = (argument: string, fields: string, variables = {}, parameters = '') =>
    sendFields(
      `accountingInvoicesAggregate(credentialId: "${A}"${argument}) { ${fields} }`,
      variables,
      parameters,
    )

  test('is rejected with a key twice, also from a variable', async () => {
    const expected = {
      code: 'INVALID_PARAMETER',
      details: [{ field: 'groupBy[1]', expected: 'another key than that of groupBy[0]' }],
    }
    const { errors } = await send(', groupBy: [MEMO, MEMO]', 'count')
    expect(errors[0]?.extensions).toMatchObject(expected)
    const keys = { keys: ['MEMO', 'MEMO'] }
    const fromVariable = await send(
      ', groupBy: $keys',
      'count',
      keys,
      '($keys: [AccountingInvoiceGroupBy!])',
    )
    expect(fromVariable.errors[0]?.extensions).toMatchObject(expected)
  })

  test.each([
    ['', 'key { currency }', 'CURRENCY', 'currency'],
    [
      ', groupBy: [CURRENCY]',
      'key { currency } again: key { month: issueDateMonth }',
      'ISSUE_DATE_MONTH',
      'issueDateMonth',
    ],
    [
      ', groupBy: [CURRENCY]',
      '... { key { ... on AccountingInvoiceGroupKey { memo } } }',
      'MEMO',
      'memo',
    ],
  ])('with%s and %s is rejected: %s is missing', async (argument, fields, missing, name) => {
    for (const _run of [1, 2]) {
      service.takeStatements()
      const { data, errors } = await send(argument, fields)
      expect(data.accountingInvoicesAggregate).toBeNull()
      expect(errors).toHaveLength(1)
      expect(errors[0]).toMatchObject({
        message: `groupBy: expected ${missing} too, because key.${name} is selected.`,
        path: ['accountingInvoicesAggregate'],
        extensions: { code: 'INVALID_PARAMETER', details: [{ field: 'groupBy' }] },
      })
      expect(service.takeStatements().filter((text) => text.includes('_invoices'))).toEqual([])
    }
  })

  test('may leave out a key that it would select otherwise', async () => {
    const parameters = '($keys: [AccountingInvoiceGroupBy!], $byMemo: Boolean!)'
    const fields = 'key { __typename currency memo @include(if: $byMemo) }'
    const grouped = { keys: ['CURRENCY', 'MEMO'], byMemo: true }
    const ungrouped = { keys: ['CURRENCY'], byMemo: false }
    for (const variables of [grouped, ungrouped, grouped, ungrouped]) {
      const { data, errors } = await send(', groupBy: $keys', fields, variables, parameters)
      expect(errors).toEqual([])
      expect(Object.hasOwn(data.accountingInvoicesAggregate[0].key, 'memo')).toBe(variables.byMemo)
    }
    const { errors } = await send(
      ', groupBy: $keys',
      fields,
      { ...ungrouped, byMemo: true },
      parameters,
    )
    expect(errors[0]?.extensions).toMatchObject({ details: [{ field: 'groupBy' }] })
  })
})

test('each resource can be grouped by the credential and by what its kinds allow', () => {
  const invoices = groupKeys(catalogue.get('accounting/invoices'))
  for (const name of ['credentialId', 'currency', 'invoiceStatus', 'customerId', 'issueDateMonth'])
    expect([...invoices.keys()]).toContain(name)
  for (const name of ['totalAmount', 'lineItems', 'remoteFields', 'remoteId', 'issueDate'])
    expect([...invoices.keys()]).not.toContain(name)
  expect(measuredFields(notes)).toEqual([])
})
