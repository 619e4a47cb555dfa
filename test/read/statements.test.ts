/** The number of statements that each request runs, so that a query per row fails a test. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER_CREDENTIAL = 'bbbbbbbb-0000-4000-8000-000000000002'
const RECORDS = 50
// Every third sample has no references.
const RECORDS_WITH_REFERENCES = 34

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL, OTHER_CREDENTIAL])
  for (const topic of [
    'accounting/payments',
    'accounting/vendors',
    'accounting/accounts',
    'accounting/customers',
    'accounting/trackingCategories',
    'commerce/orders',
    'commerce/products',
    'commerce/customers',
    'crm/contacts',
    'crm/accounts',
    'crm/notes',
  ]) {
    const resource = catalogue.get(topic)
    for (const credentialId of [CREDENTIAL, OTHER_CREDENTIAL])
      await service.save(
        tenant,
        credentialId,
        resource,
        Array.from({ length: RECORDS }, (_, n) => sampleRecord(credentialId, resource, n + 1)),
      )
  }
  // Keys and credentials are cached after the first call.
  await service.graphql(
    tenant.key,
    `{ accountingPayments(credentialIds: ["${CREDENTIAL}", "${OTHER_CREDENTIAL}"]) { nodes { id } } }`,
  )
  await service.graphql(tenant.key, `{ node(id: "${idOf('accounting/vendors', 1)}") { id } }`)
})
beforeEach(() => void service.takeStatements())
afterAll(() => service.stop())

const idOf = (topic: string, n: number): string => recordId(CREDENTIAL, topic, String(n))

const sendRest = async (path: string) => {
  const response = await service.rest(tenant.key, path)
  return { response, statements: service.takeStatements() }
}

/** Sends the query three times, because a repeated operation is compiled. */
const sendGraphQL = async (query: string) => {
  const first = await service.graphql(tenant.key, query)
  expect(first.errors).toEqual([])
  // Statements of one level are sent together, in any order.
  const statements = service.takeStatements().toSorted()
  for (const _again of [2, 3]) {
    expect(await service.graphql(tenant.key, query)).toEqual(first)
    expect(service.takeStatements().toSorted()).toEqual(statements)
  }
  return { data: first.data, statements }
}

/** The tables that each statement reads, in the order of the statement. */
const tablesOf = (statements: readonly string[]): readonly (readonly string[])[] =>
  statements.map((statement) =>
    [...statement.matchAll(/(?:FROM|JOIN) ([a-z]+_[a-z_]+) t\b/g)].map(([, table = '']) => table),
  )

describe('over REST, one statement', () => {
  test.each([
    ['a list', `/accounting/payments?credentialId=${CREDENTIAL}`],
    [
      'a list with a filter, an order and a page',
      `/accounting/payments?credentialId=${CREDENTIAL}&totalAmountMin=3&vendorId=4&orderBy=totalAmount:desc&pageNumber=2&pageSize=7`,
    ],
    ['a count', `/accounting/payments/count?credentialId=${CREDENTIAL}&totalAmountMin=3`],
    [
      'an aggregate',
      `/accounting/payments/aggregate?credentialId=${CREDENTIAL}&totalAmountMin=3&groupBy=currency,transactionDateMonth&measures=sum.totalAmount`,
    ],
    [
      'a record by id',
      `/accounting/payments/${idOf('accounting/payments', 1)}?credentialId=${CREDENTIAL}`,
    ],
    ['a record by remote id', `/accounting/payments/1?credentialId=${CREDENTIAL}`],
    ['a missing record', `/accounting/payments/none?credentialId=${CREDENTIAL}`],
  ])('%s', async (_what, path) => {
    const { response, statements } = await sendRest(path)
    expect(response.statusCode).toBe(path.includes('none') ? 404 : 200)
    expect(statements).toHaveLength(1)
    expect(statements[0]).toMatch(/^\s*SELECT .*(FROM|JOIN) accounting_payments t\s/s)
  })

  test('a list whose records embed other records', async () => {
    const { response, statements } = await sendRest(
      `/crm/contacts?credentialId=${CREDENTIAL}&pageSize=${RECORDS}`,
    )
    const shown = response.json().contacts.filter(({ account }: { account: unknown }) => account)
    expect(shown).toHaveLength(RECORDS_WITH_REFERENCES)
    expect(shown[0].account.accountName).toContain('accountName ')
    expect(tablesOf(statements)).toEqual([['crm_contacts']])
  })

  test('a page that starts at a cursor', async () => {
    const first = await sendRest(`/accounting/payments?credentialId=${CREDENTIAL}&pageSize=7`)
    const next = await sendRest(
      `/accounting/payments?credentialId=${CREDENTIAL}&pageSize=7&cursor=${first.response.headers['next-cursor']}`,
    )
    expect(next.response.json().payments).toHaveLength(7)
    expect(tablesOf(next.statements)).toEqual([['accounting_payments']])
  })

  test('except for a rejected request: none', async () => {
    const { response, statements } = await sendRest(
      `/accounting/payments?credentialId=${CREDENTIAL}&pageSize=0`,
    )
    expect(response.statusCode).toBe(400)
    expect(statements).toEqual([])
  })

  test('which contains no value of the caller', async () => {
    const { statements } = await sendRest(
      `/crm/contacts?credentialId=${CREDENTIAL}&lastName=canary-1&firstNameContains=canary-2&pageSize=97&orderBy=lastName`,
    )
    expect(statements).toHaveLength(1)
    expect(statements[0]).not.toMatch(/canary|97|aaaaaaaa/)
  })
})

describe('over GraphQL', () => {
  test('a list runs one statement', async () => {
    const { data, statements } = await sendGraphQL(
      `{ accountingPayments(credentialId: "${CREDENTIAL}") { nodes { id totalAmount } pageInfo { hasNextPage endCursor } } }`,
    )
    expect(data.accountingPayments.nodes).toHaveLength(RECORDS)
    expect(tablesOf(statements)).toEqual([['accounting_payments']])
  })

  test('a record runs one statement, by id, by remote id and as a node', async () => {
    const id = idOf('accounting/vendors', 1)
    for (const query of [
      `{ accountingVendor(credentialId: "${CREDENTIAL}", id: "${id}") { id } }`,
      `{ accountingVendor(credentialId: "${CREDENTIAL}", id: "1") { id } }`,
      `{ node(id: "${id}") { id } }`,
    ]) {
      const { data, statements } = await sendGraphQL(query)
      expect(Object.values(data)).toEqual([{ id }])
      expect(tablesOf(statements)).toEqual([['accounting_vendors']])
    }
  })

  test('a list with its total count runs one', async () => {
    const { data, statements } = await sendGraphQL(
      `{ accountingPayments(credentialId: "${CREDENTIAL}", first: 3) { totalCount nodes { id } } }`,
    )
    expect(data.accountingPayments).toMatchObject({ totalCount: RECORDS, nodes: { length: 3 } })
    expect(tablesOf(statements)).toEqual([['accounting_payments', 'accounting_payments']])
  })

  test('50 payments with vendor, its payments and account run one statement', async () => {
    const { data, statements } = await sendGraphQL(`{
      accountingPayments(credentialId: "${CREDENTIAL}", first: ${RECORDS}) {
        nodes {
          id
          vendor { vendorName payments(first: 3) { nodes { id } } }
          account { accountName }
        }
      }
    }`)
    const { nodes } = data.accountingPayments
    const linked = nodes.filter((node: { vendor: unknown }) => node.vendor)
    expect(nodes).toHaveLength(RECORDS)
    expect(linked).toHaveLength(RECORDS_WITH_REFERENCES)
    for (const { id, vendor, account } of linked) {
      expect(vendor.payments.nodes).toEqual([{ id }])
      expect(account.accountName).toContain('accountName')
    }
    expect(tablesOf(statements)).toEqual([
      ['accounting_payments', 'accounting_vendors', 'accounting_accounts', 'accounting_payments'],
    ])
  })

  test('counts of linked records are part of the statement', async () => {
    const { data, statements } = await sendGraphQL(`{
      accountingVendors(credentialId: "${CREDENTIAL}", first: ${RECORDS}) {
        nodes { payments(first: 1) { totalCount nodes { id } } }
      }
    }`)
    const counts = data.accountingVendors.nodes.map(
      (node: { payments: { totalCount: number } }) => node.payments.totalCount,
    )
    expect(counts.filter((count: number) => count === 1)).toHaveLength(RECORDS_WITH_REFERENCES)
    expect(tablesOf(statements)).toEqual([
      ['accounting_payments', 'accounting_payments', 'accounting_vendors'],
    ])
  })

  test('links of nested line items are part of the statement', async () => {
    const { data, statements } = await sendGraphQL(`{
      commerceOrders(credentialId: "${CREDENTIAL}", first: ${RECORDS}) {
        nodes { lineItems { product { productName } } customer { customer { email } } }
      }
    }`)
    const products = data.commerceOrders.nodes.flatMap(
      (node: { lineItems: readonly { product: unknown }[] }) =>
        node.lineItems.map(({ product }) => product),
    )
    // Two lines each, to products n and n + 1; product 51 does not exist.
    expect(products).toHaveLength(2 * RECORDS_WITH_REFERENCES)
    expect(products.filter((product: unknown) => product === null)).toHaveLength(1)
    expect(tablesOf(statements)).toEqual([
      ['commerce_orders', 'commerce_products', 'commerce_customers'],
    ])
  })

  test('links to several records are part of the statement too', async () => {
    const { data, statements } = await sendGraphQL(`{
      accountingPayments(credentialId: "${CREDENTIAL}", first: ${RECORDS}) {
        nodes { trackingCategories { remoteId } }
      }
    }`)
    const linked = data.accountingPayments.nodes.filter(
      ({ trackingCategories }: { trackingCategories: readonly unknown[] }) =>
        trackingCategories.length > 0,
    )
    expect(linked).toHaveLength(RECORDS_WITH_REFERENCES)
    expect(linked[0].trackingCategories).toEqual([{ remoteId: '1' }, { remoteId: '2' }])
    expect(tablesOf(statements)).toEqual([
      ['accounting_payments', 'accounting_tracking_categories'],
    ])
  })

  test('accounts with contacts, notes and counts run one statement for each root field', async () => {
    const nested = `(credentialId: "${CREDENTIAL}", first: 20) {
      totalCount
      nodes {
        accountName
        contacts(first: 5) {
          totalCount
          nodes { lastName notes(first: 5) { totalCount nodes { noteTitle } pageInfo { hasNextPage endCursor } } }
        }
      }
    }`
    const { data, statements } = await sendGraphQL(
      `{ one: crmAccounts${nested} two: crmAccounts${nested} }`,
    )
    expect(data.one.nodes[0].contacts.nodes[0].notes).toMatchObject({
      totalCount: 1,
      nodes: [{ noteTitle: expect.stringContaining('noteTitle') }],
      pageInfo: { hasNextPage: false },
    })
    expect(data.two).toEqual(data.one)
    expect(statements).toHaveLength(2)
    expect(statements[0]).toBe(statements[1])
  })

  test('the resolvers run only the root fields that have no plan', async () => {
    const { data, statements } = await sendGraphQL(`{
      accountingVendors(credentialId: "${CREDENTIAL}", first: 2) { nodes { payments { totalCount } } }
      users { nodes { username } }
    }`)
    expect(Object.keys(data)).toEqual(['accountingVendors', 'users'])
    expect(data.users).toEqual({ nodes: [{ username: 'user' }] })
    expect(tablesOf(statements.filter((statement) => statement.includes('accounting_')))).toEqual([
      ['accounting_payments', 'accounting_vendors'],
    ])
  })

  test('resolvers run one statement for each kind of link', async () => {
    // The argument of the inner list is wrong: the resolvers repeat its root field, and report the error.
    const { data, errors } = await service.graphql(
      tenant.key,
      `{
        accountingPayments(credentialId: "${CREDENTIAL}", first: 10) {
          nodes { account { accountName } vendor { bills(first: 0) { totalCount } } }
        }
      }`,
    )
    expect(data.accountingPayments.nodes).toContainEqual({
      account: { accountName: expect.any(String) },
      vendor: null,
    })
    expect(errors[0]).toMatchObject({
      path: ['accountingPayments', 'nodes', expect.any(Number), 'vendor', 'bills'],
      extensions: { code: 'INVALID_PARAMETER' },
    })
    const statements = service.takeStatements()
    expect(tablesOf(statements).toSorted()).toEqual([
      ['accounting_accounts'],
      ['accounting_payments'],
      ['accounting_vendors'],
    ])
  })

  test('several credentials run one statement, with all links', async () => {
    const { data, statements } = await sendGraphQL(`{
      accountingPayments(credentialIds: ["${CREDENTIAL}", "${OTHER_CREDENTIAL}"], first: 100) {
        nodes { credentialId vendor { id } }
      }
    }`)
    expect(data.accountingPayments.nodes).toHaveLength(2 * RECORDS)
    expect(tablesOf(statements)).toEqual([['accounting_payments', 'accounting_vendors']])
  })

  test('all credentials of a user run one statement, after the two that find them', async () => {
    const { data, statements } = await sendGraphQL(
      `{ accountingPayments(userId: "${tenant.userId}", first: 100) { nodes { id } } }`,
    )
    expect(data.accountingPayments.nodes).toHaveLength(2 * RECORDS)
    const records = statements.filter((statement) => statement.includes('accounting_'))
    expect(tablesOf(records)).toEqual([['accounting_payments']])
    // New credentials are not announced, so a user's are looked up, but never one by one.
    const lookup = statements.filter((statement) => !statement.includes('accounting_'))
    expect(lookup.map((statement) => /FROM "public"\."(\w+)"/.exec(statement)?.[1])).toEqual([
      'credentials',
      'end_users',
    ])
  })
})
