/**
 * The graph of the control plane: global ids, edges between objects, their statements, and what user tokens may
 * read.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listEdges, objectEdges } from '../../src/api/edges.ts'
import { entities } from '../../src/api/entities.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { type ControlPlane, fillControlPlane, OBJECTS_PER_KIND } from '../support/control-plane.ts'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let own: ControlPlane
let foreign: ControlPlane
let token: string

beforeAll(async () => {
  service = await startService()
  own = await fillControlPlane(service, await service.createTenant('development', []))
  foreign = await fillControlPlane(service, await service.createTenant('development', [], 'Other'))
  token = (await service.tokens.issue(own)).token
})
afterAll(() => service.stop())

const query = async (bearer: string, document: string) => {
  const { data, errors } = await service.graphql(bearer, document)
  return { data, code: errors[0]?.extensions.code, path: (errors[0] as { path?: unknown })?.path }
}

/** The result for a user token: the edge of its own objects, or an error. */
type ForUsers = 'own' | 'FORBIDDEN' | 'unreachable'

interface EdgeCase {
  /** A query of one object with the edge, as `one`; several objects, with the argument `first`, as `many`. */
  readonly queryOne: () => string
  readonly many: (first: number) => string
  /** The content of an edge of the object, without `__typename`. */
  readonly expected: () => unknown
  readonly forUsers: ForUsers
}

const firstOf = <T>(list: readonly T[]): T => {
  const [entry] = list
  if (entry === undefined) throw new RangeError('The list is empty.')
  return entry
}
const firstPerson = () => firstOf(own.people)
const credentialId = () => firstOf(firstPerson().credentialIds)
const installationId = () => firstOf(firstPerson().installationIds)
const nodesOf = (field: string, ids: readonly string[], totalCount = ids.length) => ({
  totalCount,
  nodes: ids.map((id) => ({ [field]: id })),
})
/** The first page of a list, with the count of all pages. */
const list = (field: string, args = '') => `${args} { totalCount nodes { ${field} } }`
const queryMany = (field: string, edge: string) => (size: number) =>
  `{ many: ${field}(first: ${size}) { nodes { edge: ${edge} } } }`

const edges: Readonly<Record<string, EdgeCase>> = {
  'User.credentials': {
    queryOne: () =>
      `{ one: user(userId: "${own.userId}") { edge: credentials${list('id', '(first: 2)')} } }`,
    many: queryMany('users', `credentials${list('id')}`),
    expected: () => nodesOf('id', firstPerson().credentialIds.slice(0, 2), OBJECTS_PER_KIND),
    forUsers: 'unreachable',
  },
  'User.installations': {
    queryOne: () => `{ one: user(userId: "${own.userId}") { edge: installations${list('id')} } }`,
    many: queryMany('users', `installations${list('id')}`),
    expected: () => nodesOf('id', firstPerson().installationIds),
    forUsers: 'unreachable',
  },
  'Credential.user': {
    queryOne: () =>
      `{ one: node(id: "${credentialId()}") { ... on Credential { edge: user { userId } } } }`,
    many: queryMany('credentials', 'user { userId }'),
    expected: () => ({ userId: own.userId }),
    forUsers: 'FORBIDDEN',
  },
  'Installation.user': {
    queryOne: () =>
      `{ one: installation(installationId: "${installationId()}") { edge: user { userId } } }`,
    many: queryMany('installations', 'user { userId }'),
    expected: () => ({ userId: own.userId }),
    forUsers: 'FORBIDDEN',
  },
  'Installation.integration': {
    queryOne: () =>
      `{ one: installation(installationId: "${installationId()}") { edge: integration { id installed } } }`,
    many: queryMany('installations', 'integration { id installed }'),
    expected: () => ({ id: firstOf(own.integrationIds), installed: true }),
    forUsers: 'own',
  },
  'Installation.credentials': {
    queryOne: () =>
      `{ one: installation(installationId: "${installationId()}") { edge: credentials${list('id')} } }`,
    many: queryMany('installations', `credentials${list('id')}`),
    expected: () => nodesOf('id', firstPerson().credentialIds),
    forUsers: 'own',
  },
  'Integration.installations': {
    queryOne: () =>
      `{ one: integration(integrationId: "${firstOf(own.integrationIds)}") { edge: installations${list('id')} } }`,
    many: queryMany('integrations', `installations${list('id')}`),
    expected: () =>
      nodesOf(
        'id',
        own.people.map((person) => firstOf(person.installationIds)),
      ),
    forUsers: 'own',
  },
  'WebhookSubscription.attempts': {
    queryOne: () =>
      `{ one: webhook(subscriptionId: "${firstOf(own.subscriptionIds)}") { edge: attempts${list('messageId', '(first: 2)')} } }`,
    many: queryMany('webhooks', `attempts${list('messageId')}`),
    expected: () => nodesOf('messageId', ['msg_2', 'msg_1'], OBJECTS_PER_KIND),
    forUsers: 'unreachable',
  },
  'WorkflowRun.installation': {
    queryOne: () =>
      `{ one: workflowRuns(workflowId: "${own.workflowId}", installationId: "${installationId()}", first: 1) { nodes { edge: installation { id } } } }`,
    many: (size) =>
      `{ many: workflowRuns(workflowId: "${own.workflowId}", first: ${size}) { nodes { edge: installation { id } } } }`,
    expected: () => ({ id: installationId() }),
    forUsers: 'unreachable',
  },
  'record.credential': {
    queryOne: () =>
      `{ one: node(id: "${own.recordId}") { ... on CrmAccount { edge: credential { id app } } } }`,
    many: (size) =>
      `{ many: crmAccounts(userId: "${own.userId}", first: ${size * OBJECTS_PER_KIND}) { nodes { edge: credential { id app } } } }`,
    expected: () => ({ id: credentialId(), app: 'sandbox' }),
    forUsers: 'unreachable',
  },
  'Credential.records': {
    queryOne: () =>
      `{ one: node(id: "${credentialId()}") { ... on Credential { edge: crmAccounts(first: 1, filter: { accountName: "Name 2" })${list('id')} } } }`,
    many: queryMany('credentials', `crmAccounts${list('id contacts { nodes { id } }')}`),
    expected: () => nodesOf('id', [own.recordId]),
    forUsers: 'FORBIDDEN',
  },
}

test('the table has every edge', () => {
  const names = [...objectEdges, ...listEdges].map(({ from, name }) => `${from.name}.${name}`)
  expect(Object.keys(edges)).toEqual(
    expect.arrayContaining([...names, 'record.credential', 'Credential.records']),
  )
  expect(Object.keys(edges)).toHaveLength(names.length + 2)
})

describe.each(Object.entries(edges))('%s', (_name, { queryOne: one, many, expected, forUsers }) => {
  const edgeOf = (data: { one: { nodes?: readonly { edge: unknown }[]; edge?: unknown } }) =>
    data.one.nodes ? data.one.nodes[0]?.edge : data.one.edge

  test('leads to what the object is linked to', async () => {
    const { data, code } = await query(own.key, one())
    expect(code).toBeUndefined()
    expect(edgeOf(data)).toEqual(expected())
  })

  test('runs as many statements for many objects as for one', async () => {
    const count = async (size: number) => {
      service.takeStatements()
      const { data, code } = await query(own.key, many(size))
      expect(code).toBeUndefined()
      return [data.many.nodes.length, service.takeStatements().length] as const
    }
    await count(1)
    const [[few, ofFew], [several, ofSeveral]] = [await count(1), await count(OBJECTS_PER_KIND)]
    expect(several).toBeGreaterThan(few)
    expect(ofSeveral).toBe(ofFew)
  })

  test('shows a user token what the root fields show it', async () => {
    const { data, code } = await query(token, one())
    if (forUsers === 'own') {
      expect(code).toBeUndefined()
      const text = JSON.stringify(data)
      for (const { userId, credentialIds, installationIds } of own.people.slice(1))
        for (const id of [userId, ...credentialIds, ...installationIds])
          expect(text).not.toContain(id)
      expect(edgeOf(data)).not.toBeNull()
    } else {
      expect(code).toBe('FORBIDDEN')
      if (forUsers === 'FORBIDDEN') expect(edgeOf(data)).toBeNull()
      else expect(data?.one ?? null).toBeNull()
    }
  })
})

test('each resource is a list of a credential', async () => {
  const fields = catalogue.resources.map(({ listField }) => `${listField} { totalCount }`)
  const { data, code } = await query(
    own.key,
    `{ node(id: "${credentialId()}") { ... on Credential { ${fields.join(' ')} } } }`,
  )
  expect(code).toBeUndefined()
  expect(Object.keys(data.node)).toHaveLength(catalogue.resources.length)
  expect(data.node.crmAccounts).toEqual({ totalCount: OBJECTS_PER_KIND })
})

test('a page of a list of each object continues after its own cursor', async () => {
  const page = async (args: string) => {
    const { data } = await query(
      own.key,
      `{ user(userId: "${own.userId}") { credentials(${args}) { nodes { id } pageInfo { hasNextPage hasPreviousPage endCursor } } } }`,
    )
    return data.user.credentials
  }
  const start = await page('first: 2')
  expect(start.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false })
  const rest = await page(`first: 2, after: "${start.pageInfo.endCursor}"`)
  expect(rest.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true })
  expect([...start.nodes, ...rest.nodes].map(({ id }) => id)).toEqual(firstPerson().credentialIds)
  expect(
    (
      await query(
        own.key,
        `{ user(userId: "${own.userId}") { credentials(after: "x") { totalCount } } }`,
      )
    ).code,
  ).toBe('INVALID_CURSOR')
})

test('nested edges count toward the cost of a query', async () => {
  const { code } = await query(
    own.key,
    '{ users(first: 100) { nodes { credentials(first: 100) { nodes { crmAccounts(first: 100) { nodes { id } } } } } } }',
  )
  expect(code).toBe('QUERY_TOO_COMPLEX')
  const ids = Array.from({ length: 100 }, () => `"${own.userId}"`)
  const many = `{ nodes(ids: [${ids}]) { ... on User { credentials(first: 100) { nodes { app state since reason } } } } }`
  expect((await query(own.key, many)).code).toBe('QUERY_TOO_COMPLEX')
})

describe('node and nodes', () => {
  const idsOf = (
    { people, integrationIds, subscriptionIds, recordId }: ControlPlane,
    n: number,
  ) => {
    const person = people[n]
    return {
      User: person?.userId,
      Credential: person?.credentialIds[0],
      Installation: person?.installationIds[0],
      Integration: integrationIds[0],
      WebhookSubscription: subscriptionIds[0],
      CrmAccount: recordId,
    }
  }
  const find = (bearer: string, ids: readonly unknown[]) =>
    service.graphql(bearer, 'query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id } }', {
      ids,
    })

  test('find every type by the id of the contract, in the order of the ids', async () => {
    const ids = idsOf(own, 1)
    expect(Object.keys(ids).toSorted()).toEqual(
      [...entities.map(({ shape }) => shape.name), 'CrmAccount'].toSorted(),
    )
    const expected = Object.entries(ids).map(([type, id]) => ({ __typename: type, id }))
    expect((await find(own.key, Object.values(ids))).data.nodes).toEqual(expected)
    for (const { __typename, id } of expected) {
      const { data } = await query(
        own.key,
        `{ node(id: "${id?.toUpperCase()}") { __typename id } }`,
      )
      expect(data.node).toEqual({ __typename, id })
    }
  })

  test('run one statement for each type, for any number of ids', async () => {
    const ids = own.people.flatMap(({ userId, credentialIds }) => [userId, ...credentialIds])
    await find(own.key, ids)
    service.takeStatements()
    expect((await find(own.key, ids)).data.nodes).not.toContain(null)
    expect(service.takeStatements()).toHaveLength(entities.length)
  })

  test('find nothing of another environment, and nothing for unknown ids', async () => {
    const ids = [...Object.values(idsOf(foreign, 0)), 'x', '', own.environmentId]
    const { data, errors } = await find(own.key, ids)
    expect(errors).toEqual([])
    expect(data.nodes).toEqual(ids.map(() => null))
  })

  test('find for a user token only what belongs to its end user', async () => {
    const { CrmAccount: recordId, ...mine } = idsOf(own, 0)
    const { data } = await find(token, Object.values(mine))
    const types = data.nodes.map((node: { __typename: string } | null) => node?.__typename)
    expect(types).toEqual([undefined, 'Credential', 'Installation', 'Integration', undefined])
    const { User, Credential, Installation } = idsOf(own, 1)
    const { CrmAccount: _, ...theirs } = idsOf(foreign, 0)
    const others = [User, Credential, Installation, ...Object.values(theirs)]
    expect((await find(token, others)).data.nodes).toEqual(others.map(() => null))
    expect((await find(token, [recordId])).errors[0]?.extensions.code).toBe('FORBIDDEN')
  })

  test('take at most 100 ids', async () => {
    const { errors } = await find(
      own.key,
      Array.from({ length: 101 }, () => own.userId),
    )
    expect(errors[0]?.extensions.code).toBe('INVALID_PARAMETER')
  })
})
