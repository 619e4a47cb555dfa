/** Every GraphQL list of the control plane is a connection: paged by cursor, and counted only on request. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { entryOf, isRead } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { type ControlPlane, fillControlPlane, OBJECTS_PER_KIND } from '../support/control-plane.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let own: ControlPlane

beforeAll(async () => {
  service = await startService()
  own = await fillControlPlane(service, await service.createTenant('development', []))
  await fillControlPlane(service, await service.createTenant('development', [], 'Other'))
})
afterAll(() => service.stop())

const PEOPLE = OBJECTS_PER_KIND
/** One record was changed twice after the others were created. */
const CHANGES = PEOPLE * OBJECTS_PER_KIND * OBJECTS_PER_KIND + 2

/** The arguments of each list, and the number of its entries; undefined if the number depends on the product. */
const lists: Readonly<Record<string, () => readonly [args: string, count: number | undefined]>> = {
  users: () => ['', PEOPLE],
  credentials: () => ['', PEOPLE * OBJECTS_PER_KIND],
  userCredentials: () => [`userId: "${own.userId}"`, OBJECTS_PER_KIND],
  installations: () => ['', PEOPLE * OBJECTS_PER_KIND],
  integrations: () => ['', OBJECTS_PER_KIND],
  workflowUsers: () => [`workflowId: "${own.workflowId}"`, PEOPLE],
  workflowRuns: () => [`workflowId: "${own.workflowId}"`, PEOPLE * OBJECTS_PER_KIND],
  webhooks: () => ['', OBJECTS_PER_KIND],
  webhookAttempts: () => [`subscriptionId: "${own.subscriptionIds[0]}"`, OBJECTS_PER_KIND],
  changes: () => ['', CHANGES],
  recordHistory: () => [
    `${credentialArgument()}, topic: "crm/accounts", recordId: "${own.recordId}"`,
    3,
  ],
  recordsAsOf: () => [
    `${credentialArgument()}, topic: "crm/accounts", asOf: "${new Date().toISOString()}"`,
    OBJECTS_PER_KIND,
  ],
  reconciliations: () => [ownCredentialArguments(), OBJECTS_PER_KIND],
  credentialRequests: () => [ownCredentialArguments(), OBJECTS_PER_KIND],
  customFields: () => ['', OBJECTS_PER_KIND],
  oauthClients: () => ['', OBJECTS_PER_KIND],
  apiKeys: () => ['', 1],
  apps: () => ['', undefined],
}
const credentialArgument = () => `credentialId: "${own.people[0]?.credentialIds[0]}"`
const ownCredentialArguments = () => `userId: "${own.userId}", ${credentialArgument()}`

/** Reads the fields from the app. */
const FROM_APP = 'credentialFields'

test('the table has every list', () => {
  const names = operations
    .filter((operation) => isRead(operation) && entryOf(operation))
    .map(({ name }) => name)
  expect([...Object.keys(lists), FROM_APP].toSorted()).toEqual(names.toSorted())
})

describe.each(Object.entries(lists))('%s', (name, list) => {
  const query = async (args: string, selection: string) => {
    const all = [list()[0], args].filter((part) => part !== '').join(', ')
    const { data, errors } = await service.graphql(
      own.key,
      `{ list: ${name}${all && `(${all})`} { ${selection} } }`,
    )
    return { list: data?.list, code: errors[0]?.extensions.code }
  }
  const PAGE = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor }'

  test('its pages have every entry once, in the order of the list', async () => {
    const { list: whole } = await query('', `totalCount edges { cursor } ${PAGE}`)
    const cursors: string[] = whole.edges.map(({ cursor }: { cursor: string }) => cursor)
    expect(new Set(cursors).size).toBe(whole.totalCount)
    expect(whole.totalCount).toBe(list()[1] ?? whole.totalCount)
    expect(whole.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: false })
    const paged: string[] = []
    let after = ''
    for (;;) {
      const { list: page } = await query(
        `first: 2${after && `, after: "${after}"`}`,
        `totalCount nodes { __typename } edges { cursor node { __typename } } ${PAGE}`,
      )
      paged.push(...page.edges.map(({ cursor }: { cursor: string }) => cursor))
      expect(page.edges.map(({ node }: { node: unknown }) => node)).toEqual(page.nodes)
      expect(page.totalCount).toBe(whole.totalCount)
      expect(page.pageInfo.hasPreviousPage).toBe(after !== '')
      expect(page.pageInfo.startCursor).toBe(page.edges[0]?.cursor)
      after = page.pageInfo.endCursor
      if (!page.pageInfo.hasNextPage) break
      expect(page.nodes).toHaveLength(2)
      expect(after).toBe(page.edges[1].cursor)
    }
    expect(paged).toEqual(cursors)
  })

  test('rejects a page size or a cursor that it did not return', async () => {
    for (const first of [0, 101, -1])
      expect(await query(`first: ${first}`, 'totalCount')).toMatchObject({
        code: 'INVALID_PARAMETER',
      })
    for (const after of ['', 'x', 'cjE=', 'cDA', 'p1', 'A'.repeat(5000)])
      expect((await query(`after: "${after}"`, 'totalCount')).code, after).toBe('INVALID_CURSOR')
  })

  test('is counted only if the count is selected', async () => {
    await query('first: 1', 'nodes { __typename }')
    service.takeStatements()
    await query('first: 1', 'nodes { __typename }')
    const without = service.takeStatements()
    expect(without.filter((sql) => sql.includes('count(*)::integer AS count'))).toEqual([])
    await query('first: 1', 'totalCount nodes { __typename }')
    expect(service.takeStatements().length - without.length).toBeLessThanOrEqual(3)
  })
})

test('the end of a page of changes is after the changes that it excludes', async () => {
  const readList = (args: string) =>
    service.graphql(own.key, `{ changes(${args}) { nodes { topic } pageInfo { endCursor } } }`)
  const { data } = await readList('topics: ["crm/leads"]')
  expect(data.changes.nodes).toEqual([])
  const { endCursor } = data.changes.pageInfo
  expect((await readList(`after: "${endCursor}"`)).data.changes.nodes).toEqual([])
  expect((await readList('after: "now"')).data.changes.nodes).toEqual([])
})
