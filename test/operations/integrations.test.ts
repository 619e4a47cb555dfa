/** Integrations: defined in versions, and shown with their state for an end user. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Call, callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { defineWorkflow } from '../support/workflow.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NEVER = '99999999-0000-4000-8000-000000000009'
const credential = { tenant: 'acme', token: 'secret-of-acme' }

let service: TestService
let otherTenant: Tenant

beforeAll(async () => {
  service = await startService()
  otherTenant = await service.createTenant('production', [], 'Other organisation')
})
afterAll(() => service.stop())

const orders = { slug: 'orders', name: 'Orders', definition: defineWorkflow(1) }
const leads = { slug: 'leads', name: 'Leads', definition: defineWorkflow(2) }
const sandbox = { slug: 'sandbox', name: 'Sandbox', app: 'sandbox', workflows: [orders, leads] }

test('the responses are exactly those of the contract', async () => {
  const { key, userId } = await service.createTenant('development', [], 'Contract')
  const defined = await service.send(key, 'PUT', '/2024-03/integrations', sandbox)
  const { integrationId } = defined.json().integration
  const expected = {
    integrationId: expect.stringMatching(UUID),
    name: 'Sandbox',
    app: 'sandbox',
    icon: null,
    installed: false,
    workflows: ['Leads', 'Orders'].map((name) => ({
      workflowId: expect.stringMatching(UUID),
      name,
      installed: false,
      version: 1,
      installedVersion: null,
      active: false,
    })),
  }
  expect([defined.statusCode, defined.json()]).toEqual([200, { integration: expected }])
  for (const query of ['', `?userId=${userId}`]) {
    const list = await service.send(key, 'GET', `/2024-03/integrations${query}`)
    expect([list.statusCode, list.json()]).toEqual([200, { data: [expected] }])
    const url = `/2024-03/integrations/${integrationId}${query}`
    expect((await service.send(key, 'GET', url)).json()).toEqual({ data: expected })
  }
  await service.send(key, 'POST', '/2024-03/headless/credentials', {
    userId,
    app: 'sandbox',
    credential,
  })
  const started = await service.send(key, 'POST', '/2024-03/headless/startInstallation', {
    userId,
    integrationId,
  })
  const { installationId } = started.json().data
  await service.send(key, 'POST', '/2024-03/headless/completeInstallation', {
    installationId,
    data: {},
  })
  const [, { workflowId }] = defined.json().integration.workflows
  const entry = {
    userId,
    username: 'user',
    fullName: 'User',
    workflowActive: true,
    installedVersion: 1,
  }
  for (const path of ['users', 'users/', `users/?userId=${userId}`, `users?userId=${userId}`]) {
    const users = await service.send(key, 'GET', `/2024-03/workflows/${workflowId}/${path}`)
    expect([users.statusCode, users.json()]).toEqual([200, { data: [entry] }])
  }
})

describe.each(transports)('over %s', (transport) => {
  let call: Call
  let tenant: Tenant
  let round = 0
  beforeAll(() => {
    call = callOver(service, transport)
  })
  beforeEach(async () => {
    round += 1
    tenant = await service.createTenant('development', [], `${transport} ${round}`)
  })

  const define = async (definition: object = sandbox) => {
    const outcome = await call(tenant.key, 'defineIntegration', { ...definition })
    expect(outcome).toMatchObject({ status: 200 })
    return outcome.result
  }

  const versionsOf = (integration: { workflows: { name: string; version: number }[] }) =>
    Object.fromEntries(integration.workflows.map(({ name, version }) => [name, version]))

  test('an unchanged definition creates no new version, a changed one creates the next', async () => {
    const first = await define()
    expect(versionsOf(first)).toEqual({ Orders: 1, Leads: 1 })
    // The order of the keys is not a change.
    const { when, then } = orders.definition
    const same = { ...orders, definition: { then, when } }
    expect(await define({ ...sandbox, workflows: [same, leads] })).toEqual(first)
    const changed = { ...orders, definition: defineWorkflow(3) }
    const second = await define({ ...sandbox, workflows: [changed, { ...leads, name: 'People' }] })
    expect(versionsOf(second)).toEqual({ Orders: 2, People: 1 })
    expect(second.integrationId).toBe(first.integrationId)
    const stored = await service.database.prisma.workflowVersion.findMany({
      where: { workflow: { slug: 'orders', integrationId: first.integrationId } },
      orderBy: { version: 'asc' },
    })
    expect(stored.map(({ definition }) => definition)).toEqual([
      orders.definition,
      changed.definition,
    ])
    expect(versionsOf(await define({ ...sandbox, workflows: [changed] }))).toEqual({ Orders: 2 })
  })

  test('concurrent definitions each create a version', async () => {
    await define()
    await Promise.all(
      Array.from({ length: 8 }, (_, n) =>
        define({ ...sandbox, workflows: [{ ...orders, definition: defineWorkflow(10 + n) }] }),
      ),
    )
    const { result } = await call(tenant.key, 'integrations')
    expect(result.map(versionsOf)).toEqual([{ Orders: 9 }])
  })

  test.each([
    ['an unknown app', { app: 'sandbx' }, 'app'],
    ['a slug with invalid characters', { slug: 'Sand box' }, 'slug'],
    ['an empty name', { name: '' }, 'name'],
    ['an icon that is not a URL', { icon: 'javascript:alert(1)' }, 'icon'],
    ['a repeated workflow slug', { workflows: [orders, orders] }, 'workflows[1].slug'],
    ['a workflow without a name', { workflows: [{ ...orders, name: ' ' }] }, 'workflows[0].name'],
    [
      'an invalid definition',
      { workflows: [orders, { ...leads, definition: 'on' }] },
      'workflows[1].definition',
    ],
    [
      'a definition with an unknown topic',
      {
        workflows: [
          { ...orders, definition: { ...orders.definition, when: { app: 'sandbox', topic: 'x' } } },
        ],
      },
      'workflows[0].definition.when.topic',
    ],
  ])('%s is rejected with the name of the field', async (_what, wrong, field) => {
    const refused = await call(tenant.key, 'defineIntegration', { ...sandbox, ...wrong })
    expect(refused).toMatchObject({ status: 400, code: 'INVALID_PARAMETER', fields: [field] })
    expect((await call(tenant.key, 'integrations')).result).toEqual([])
  })

  test('an integration keeps its app', async () => {
    await define()
    expect(
      await call(tenant.key, 'defineIntegration', { ...sandbox, app: 'vendure' }),
    ).toMatchObject({ status: 400, fields: ['app'] })
  })

  test('a deleted integration is gone, with its installations', async () => {
    const { integrationId } = await define()
    const { key, userId } = tenant
    await call(key, 'createCredential', { userId, app: 'sandbox', credential })
    const started = await call(key, 'startInstallation', { userId, integrationId })
    const { installationId } = started.result
    await call(key, 'completeInstallation', { installationId })
    expect(await call(key, 'deleteIntegration', { integrationId })).toMatchObject({
      status: 200,
      result: integrationId,
    })
    for (const [name, input] of [
      ['integration', { integrationId }],
      ['deleteIntegration', { integrationId }],
      ['installation', { installationId }],
    ] as const)
      expect(await call(key, name, input)).toMatchObject({ status: 404, code: 'NOT_FOUND' })
    expect((await call(key, 'integrations', { userId })).result).toEqual([])
    expect((await call(key, 'credentials', { userId })).result).toHaveLength(1)
  })

  test('another environment’s ids respond like ids that never existed', async () => {
    const { integrationId, workflows } = await define()
    const [{ workflowId }] = workflows
    const absent = { status: 404, code: 'NOT_FOUND' }
    for (const id of [integrationId, NEVER, 'no uuid']) {
      const input = { integrationId: id }
      expect(await call(otherTenant.key, 'integration', input)).toMatchObject(absent)
      expect(await call(otherTenant.key, 'deleteIntegration', input)).toMatchObject(absent)
    }
    for (const id of [workflowId, NEVER, 'no uuid'])
      expect(await call(otherTenant.key, 'workflowUsers', { workflowId: id })).toMatchObject(absent)
    for (const userId of [otherTenant.userId, NEVER, 'no uuid'])
      for (const [name, input] of [
        ['integrations', { userId }],
        ['integration', { integrationId, userId }],
        ['workflowUsers', { workflowId, userId }],
      ] as const)
        expect(await call(tenant.key, name, input)).toMatchObject({
          status: 404,
          code: 'USER_NOT_FOUND',
        })
    expect((await call(otherTenant.key, 'integrations')).result).toEqual([])
  })

  test('lists of any length run the same number of statements', async () => {
    const { workflows } = await define()
    const { key, userId } = tenant
    const [{ workflowId }] = workflows
    const count = async (name: string, values = {}) => {
      await call(key, name, values)
      service.takeStatements()
      await call(key, name, values)
      return service.takeStatements().length
    }
    const listAll = async () => [
      await count('integrations'),
      await count('integrations', { userId }),
      await count('workflowUsers', { workflowId }),
    ]
    expect(await listAll()).toEqual([1, 2, 2])
    await define({ ...sandbox, slug: 'second' })
    await define({ ...sandbox, slug: 'third' })
    expect(await listAll()).toEqual([1, 2, 2])
  })
})
