/** Nested GraphQL queries: links in both directions, with what is missing, deleted, aliased or merged. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const A = 'aaaaaaaa-0000-4000-8000-000000000001'
const B = 'bbbbbbbb-0000-4000-8000-000000000002'

let service: TestService
let tenant: Tenant

const accountId = (n: number): string => recordId(A, 'crm/accounts', String(n))

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [A, B])
  const save = (credentialId: string, topic: string, rows: readonly object[]) =>
    service.save(
      tenant,
      credentialId,
      catalogue.get(topic),
      rows.map((row, index) => ({
        // Every third sample has no optional values.
        ...sampleRecord(credentialId, catalogue.get(topic), 3),
        ...row,
        id: recordId(credentialId, topic, String(index + 1)),
        remoteId: String(index + 1),
      })),
    )
  const idIn = (credentialId: string, topic: string, n: number) =>
    recordId(credentialId, topic, String(n))
  for (const credentialId of [A, B]) {
    const accountId = (n: number) => idIn(credentialId, 'crm/accounts', n)
    await save(credentialId, 'crm/accounts', [
      { accountName: 'One' },
      { accountName: 'Two', remoteDeleted: true },
      { accountName: 'Three' },
    ])
    await save(credentialId, 'crm/contacts', [
      { lastName: 'Ada', account: accountId(1) },
      { lastName: 'Bea', account: accountId(1) },
      { lastName: 'Cid', account: accountId(1) },
      { lastName: 'Dan', account: accountId(1), remoteDeleted: true },
      { lastName: 'Eve', account: accountId(2) },
      { lastName: 'Fay', account: accountId(99) },
      { lastName: 'Gus', account: null },
    ])
    await save(credentialId, 'crm/notes', [
      { noteTitle: 'n1', noteContact: idIn(credentialId, 'crm/contacts', 1) },
      { noteTitle: 'n2', noteContact: idIn(credentialId, 'crm/contacts', 1) },
      { noteTitle: 'n3', noteContact: idIn(credentialId, 'crm/contacts', 4) },
    ])
  }
  await save(A, 'commerce/products', [{ productName: 'Lamp' }])
  await save(A, 'commerce/orders', [
    {
      orderNumber: '7',
      lineItems: [1, 2, 1].map((n) => ({ productId: idIn(A, 'commerce/products', n) })),
    },
    { orderNumber: '8', lineItems: [{ productId: null }] },
  ])
  await save(A, 'accounting/trackingCategories', [{ trackingCategoryName: 'North' }])
  await save(A, 'accounting/payments', [
    { trackingCategoryIds: [2, 1, 1].map((n) => idIn(A, 'accounting/trackingCategories', n)) },
  ])
  // Caches the key and the credentials.
  const id = idIn(B, 'crm/accounts', 1)
  await service.graphql(
    tenant.key,
    `{ node(id: "${id}") { id } crmAccounts(credentialIds: ["${A}", "${B}"]) { totalCount } }`,
  )
})
afterAll(() => service.stop())

/** Runs a query, which must take one statement. */
const readPlanned = async (query: string, variables: Record<string, unknown> = {}) => {
  service.takeStatements()
  const { data, errors } = await service.graphql(tenant.key, query, variables)
  expect(errors).toEqual([])
  expect(service.takeStatements()).toHaveLength(1)
  return data
}

interface Counted {
  readonly totalCount: number
  readonly nodes: readonly object[]
}

const contactsQuery = (selection: string): string =>
  `{ crmContacts(credentialId: "${A}", orderBy: { field: LAST_NAME, direction: ASC }, filter: { includeDeleted: true }) { nodes { ${selection} } } }`

test('a reference shows a deleted record, and null for a missing record or no reference', async () => {
  const { crmContacts } = await readPlanned(
    contactsQuery('lastName account { accountName remoteDeleted }'),
  )
  const account = { accountName: 'One', remoteDeleted: false }
  expect(crmContacts.nodes).toEqual([
    { lastName: 'Ada', account: account },
    { lastName: 'Bea', account: account },
    { lastName: 'Cid', account: account },
    { lastName: 'Dan', account: account },
    { lastName: 'Eve', account: { accountName: 'Two', remoteDeleted: true } },
    { lastName: 'Fay', account: null },
    { lastName: 'Gus', account: null },
  ])
})

test('a list of linked records leaves deleted records out, unless the filter includes them', async () => {
  const contacts = 'orderBy: { field: LAST_NAME, direction: ASC }'
  const { crmAccounts } = await readPlanned(`{ crmAccounts(credentialId: "${A}", first: 5) { nodes {
    accountName
    present: contacts(${contacts}) { totalCount nodes { lastName notes { totalCount } } }
    all: contacts(${contacts}, filter: { includeDeleted: true }) { totalCount nodes { lastName } }
    last: contacts(${contacts}, last: 1) { nodes { lastName } }
  } } }`)
  expect(crmAccounts.nodes).toEqual([
    {
      accountName: 'One',
      present: {
        totalCount: 3,
        nodes: [
          { lastName: 'Ada', notes: { totalCount: 2 } },
          { lastName: 'Bea', notes: { totalCount: 0 } },
          { lastName: 'Cid', notes: { totalCount: 0 } },
        ],
      },
      all: {
        totalCount: 4,
        nodes: ['Ada', 'Bea', 'Cid', 'Dan'].map((lastName) => ({ lastName })),
      },
      last: { nodes: [{ lastName: 'Cid' }] },
    },
    {
      accountName: 'Three',
      present: { totalCount: 0, nodes: [] },
      all: { totalCount: 0, nodes: [] },
      last: { nodes: [] },
    },
  ])
})

test('fields of one response name in several fragments are merged, in nodes and in edges', async () => {
  const { crmAccounts } = await readPlanned(
    `query ($n: Int!, $yes: Boolean!) {
      crmAccounts(credentialId: "${A}", first: 1) {
        nodes { contacts(first: $n) { nodes { lastName } } ...More @include(if: $yes) ...More @skip(if: $yes) }
        edges { node { accountName ... on Node { id } } }
      }
    }
    fragment More on CrmAccount {
      contacts(first: $n) { edges { node { firstName notes(first: 1) { pageInfo { hasNextPage } } } } nodes { account { id } } }
    }`,
    { n: 1, yes: true },
  )
  expect(crmAccounts).toEqual({
    nodes: [
      {
        contacts: {
          nodes: [{ lastName: expect.any(String), account: { id: accountId(1) } }],
          edges: [
            {
              node: { firstName: null, notes: { pageInfo: { hasNextPage: expect.any(Boolean) } } },
            },
          ],
        },
      },
    ],
    edges: [{ node: { accountName: 'One', id: accountId(1) } }],
  })
})

test('pages of linked records follow each other by cursor, in both directions', async () => {
  const page = async (argument: string) => {
    const { crmAccount } = await readPlanned(`{ crmAccount(credentialId: "${A}", id: "1") {
      contacts(orderBy: { field: LAST_NAME, direction: ASC }, ${argument}) {
        edges { cursor node { lastName notes(first: 1) { nodes { noteTitle } } } }
        pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
      }
    } }`)
    const { edges, pageInfo } = crmAccount.contacts
    expect(pageInfo).toMatchObject({ startCursor: edges[0].cursor, endCursor: edges.at(-1).cursor })
    return {
      names: edges.map(({ node }: { node: { lastName: string } }) => node.lastName),
      pageInfo,
    }
  }
  const first = await page('first: 2')
  expect(first).toMatchObject({
    names: ['Ada', 'Bea'],
    pageInfo: { hasNextPage: true, hasPreviousPage: false },
  })
  const second = await page(`first: 2, after: "${first.pageInfo.endCursor}"`)
  expect(second).toMatchObject({
    names: ['Cid'],
    pageInfo: { hasNextPage: false, hasPreviousPage: true },
  })
  expect(await page(`last: 1, before: "${second.pageInfo.startCursor}"`)).toMatchObject({
    names: ['Bea'],
    pageInfo: { hasNextPage: true, hasPreviousPage: true },
  })
})

test('a page counts few and many linked records', async () => {
  const topic = 'crm/notes'
  const notes = Array.from({ length: 102 }, (_, n) => ({
    ...sampleRecord(A, catalogue.get(topic), 3),
    id: recordId(A, topic, `many-${n}`),
    remoteId: `many-${n}`,
    noteTitle: n === 1 ? 'other' : 'same',
    noteContact: recordId(A, 'crm/contacts', '6'),
    remoteDeleted: n === 0,
  }))
  await service.save(tenant, A, catalogue.get(topic), notes)
  // The records of a page are rows; if the response contains them as they are read, PostgreSQL joins them.
  for (const fields of ['noteTitle', 'id noteTitle']) {
    const { crmContact } = await readPlanned(`{ crmContact(credentialId: "${A}", id: "6") {
      one: notes(first: 1, filter: { noteTitle: "other" }) { totalCount nodes { ${fields} } }
      none: notes(filter: { noteTitle: "no" }) { totalCount nodes { ${fields} } }
      same: notes(first: 1, filter: { noteTitle: "same" }) { totalCount nodes { ${fields} } }
      present: notes(last: 2) { totalCount nodes { ${fields} } }
      descending: notes(first: 2, orderBy: { field: CREATED_AT, direction: DESC }) { totalCount nodes { ${fields} } }
      byTitle: notes(first: 2, orderBy: { field: NOTE_TITLE, direction: ASC }) { totalCount nodes { ${fields} } }
      all: notes(first: 3, filter: { includeDeleted: true }) { totalCount nodes { ${fields} } }
    } }`)
    const pages = Object.entries(crmContact as Record<string, Counted>).map(
      ([name, { totalCount, nodes }]) => [name, totalCount, nodes.length],
    )
    expect(pages).toEqual([
      ['one', 1, 1],
      ['none', 0, 0],
      ['same', 100, 1],
      ['present', 101, 2],
      ['descending', 101, 2],
      ['byTitle', 101, 2],
      ['all', 102, 3],
    ])
    expect(crmContact.byTitle.nodes).toMatchObject([{ noteTitle: 'other' }, { noteTitle: 'same' }])
  }
  const { crmContact } = await readPlanned(`{ crmContact(credentialId: "${A}", id: "6") {
    notes(last: 2) { nodes { id } pageInfo { endCursor } }
    uncounted: notes(first: 100) { nodes { id } }
    copied: notes(last: 2) { nodes { id } }
  } }`)
  expect(crmContact.uncounted.nodes).toHaveLength(100)
  expect(crmContact.copied.nodes).toEqual(crmContact.notes.nodes)
  const { crmContact: next } = await readPlanned(`{ crmContact(credentialId: "${A}", id: "6") {
    rows: notes(first: 3, after: "${crmContact.notes.pageInfo.endCursor}") { totalCount nodes { id } pageInfo { hasNextPage } }
    copied: notes(first: 3, after: "${crmContact.notes.pageInfo.endCursor}") { totalCount nodes { id } }
    before: notes(last: 100, before: "${crmContact.notes.pageInfo.endCursor}") { totalCount nodes { noteTitle } }
  } }`)
  expect(next.before).toMatchObject({ totalCount: 101, nodes: { length: 100 } })
  expect(next.copied.totalCount).toBe(101)
  expect(next.copied.nodes).toEqual(next.rows.nodes)
})

test('references in nested objects and in lists keep their order, with null for a missing record', async () => {
  const { commerceOrders } = await readPlanned(
    `{ commerceOrders(credentialId: "${A}") { nodes { orderNumber lineItems { product { productName } } } } }`,
  )
  const lamp = { product: { productName: 'Lamp' } }
  expect(commerceOrders.nodes).toHaveLength(2)
  expect(commerceOrders.nodes).toEqual(
    expect.arrayContaining([
      { orderNumber: '7', lineItems: [lamp, { product: null }, lamp] },
      { orderNumber: '8', lineItems: [{ product: null }] },
    ]),
  )
  const { accountingPayments } = await readPlanned(
    `{ accountingPayments(credentialId: "${A}") { nodes { trackingCategories { trackingCategoryName } } } }`,
  )
  const north = { trackingCategoryName: 'North' }
  expect(accountingPayments.nodes).toEqual([{ trackingCategories: [null, north, north] }])
})

test('each record of several credentials is linked to records of its own credential', async () => {
  const { crmContacts } =
    await readPlanned(`{ crmContacts(credentialIds: ["${A}", "${B}"], filter: { lastName: "Ada" }) {
    nodes { credentialId account { credentialId contacts { totalCount nodes { credentialId } } } }
  } }`)
  const linkedRecords = (credentialId: string) => ({
    credentialId,
    account: {
      credentialId,
      contacts: { totalCount: 3, nodes: Array.from({ length: 3 }, () => ({ credentialId })) },
    },
  })
  expect(crmContacts.nodes).toHaveLength(2)
  expect(crmContacts.nodes).toEqual(expect.arrayContaining([linkedRecords(A), linkedRecords(B)]))
})

test('an id of another credential in a row, which no write of the service stores, leads nowhere', async () => {
  const contact = recordId(B, 'crm/contacts', '2')
  await service.database.prisma.$executeRawUnsafe(
    `UPDATE crm_contacts SET account = '${accountId(1)}' WHERE id = '${contact}'`,
  )
  const { node } = await readPlanned(
    `{ node(id: "${contact}") { ... on CrmContact { lastName account { id } } } }`,
  )
  expect(node).toEqual({ lastName: 'Bea', account: null })
  const { crmAccount } = await readPlanned(
    `{ crmAccount(credentialId: "${A}", id: "1") { contacts { totalCount nodes { credentialId } } } }`,
  )
  expect(crmAccount.contacts.totalCount).toBe(3)
})

test('a wrong argument of a link is an error at its path; the other root fields have their data', async () => {
  const { data, errors } = await service.graphql(
    tenant.key,
    `{
      right: crmAccount(credentialId: "${A}", id: "1") { accountName }
      wrong: crmAccount(credentialId: "${A}", id: "1") { accountName contacts(first: 0) { totalCount } }
      none: crmAccount(credentialId: "${A}", id: "99") { accountName contacts(first: 0) { totalCount } }
    }`,
  )
  expect(Object.entries(data)).toEqual([
    ['right', { accountName: 'One' }],
    ['wrong', null],
    ['none', null],
  ])
  expect(errors).toMatchObject([
    { path: ['wrong', 'contacts'], extensions: { code: 'INVALID_PARAMETER' } },
  ])
})

test('a root field with very many links is read by the resolvers', async () => {
  const readLinks = async (links: number): Promise<{ statements: number; node: object }> => {
    const fields = Array.from(
      { length: links },
      (_, n) => `c${n}: contacts(first: ${n + 1}) { totalCount }`,
    )
    service.takeStatements()
    const { data, errors } = await service.graphql(
      tenant.key,
      `{ crmAccount(credentialId: "${A}", id: "1") { ${fields.join(' ')} } }`,
    )
    expect(errors).toEqual([])
    return { statements: service.takeStatements().length, node: data.crmAccount }
  }
  const expectedLinks = (links: number) =>
    Object.fromEntries(Array.from({ length: links }, (_, n) => [`c${n}`, { totalCount: 3 }]))
  expect(await readLinks(19)).toEqual({ statements: 1, node: expectedLinks(19) })
  const { statements, node } = await readLinks(20)
  expect(node).toEqual(expectedLinks(20))
  expect(statements).toBeGreaterThan(20)
})
