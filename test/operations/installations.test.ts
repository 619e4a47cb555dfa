/** Installations: started, completed, enabled and disabled, upgraded, and uninstalled. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type Call, callOver, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { untilWaitingForRow } from '../support/waiting-for-lock.ts'
import { defineWorkflow } from '../support/workflow.ts'

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/
const NEVER = '99999999-0000-4000-8000-000000000009'

let service: TestService
let otherTenant: Tenant

beforeAll(async () => {
  service = await startService()
  otherTenant = await service.createTenant('production', [], 'Other organisation')
})
afterAll(() => service.stop())

const workflowInput = (slug: string, n: number) => ({
  slug,
  name: slug,
  definition: defineWorkflow(n),
})

describe.each(transports)('over %s', (transport) => {
  let call: Call
  let tenant: Tenant
  let userId: string
  let integrationId: string
  let round = 0
  beforeAll(() => {
    call = callOver(service, transport)
  })
  beforeEach(async () => {
    round += 1
    tenant = await service.createTenant('development', [], `${transport} ${round}`)
    userId = tenant.userId
    integrationId = (await define([workflowInput('first', 1), workflowInput('second', 1)]))
      .integrationId
  })

  const callSuccessfully = async (name: string, input: object) => {
    const outcome = await call(tenant.key, name, { ...input })
    expect(outcome, name).toMatchObject({ status: 200 })
    return outcome.result
  }
  const define = (workflows: object[]) =>
    callSuccessfully('defineIntegration', { slug: 'shop', name: 'Shop', app: 'sandbox', workflows })
  const connect = async (ownerId = userId, app = 'sandbox'): Promise<string> => {
    const { credentialId } = await callSuccessfully('createCredential', {
      userId: ownerId,
      app,
      credential:
        app === 'sandbox'
          ? { tenant: 'acme', token: 't' }
          : { url: 'http://127.0.0.1:1', apiKey: 'k' },
    })
    return credentialId
  }
  const start = (values = {}) =>
    callSuccessfully('startInstallation', { userId, integrationId, ...values })
  const install = async () => {
    const { installationId } = await start()
    return callSuccessfully('completeInstallation', { installationId, data: { account: '4000' } })
  }
  const readIntegration = async () =>
    (await callSuccessfully('integration', { integrationId, userId })) as never

  test('an installation starts with the newest credential and is complete with its workflows', async () => {
    await connect()
    const newest = await connect()
    const started = await start()
    expect(started).toEqual({
      installationId: expect.stringMatching(UUID),
      integrationId,
      userId,
      credentialIds: [newest],
      workflowIds: [],
      installedAt: null,
      enabled: true,
    })
    expect(await readIntegration()).toMatchObject({ installed: false })
    const { installationId } = started
    const complete = await callSuccessfully('completeInstallation', {
      installationId,
      data: { account: '4000' },
    })
    expect(complete).toEqual({
      ...started,
      workflowIds: [expect.stringMatching(UUID), expect.stringMatching(UUID)],
      installedAt: expect.stringMatching(TIME),
    })
    expect(await readIntegration()).toMatchObject({
      installed: true,
      workflows: [
        { name: 'first', installed: true, installedVersion: 1, active: true },
        { name: 'second', installed: true, installedVersion: 1, active: true },
      ],
    })
    const row = await service.database.prisma.installation.findUnique({
      where: { id: installationId },
    })
    expect(row?.data).toEqual({ account: '4000' })
    for (const input of [{}, { userId }])
      expect(await callSuccessfully('installations', input)).toEqual([complete])
    expect(await callSuccessfully('installation', { installationId })).toEqual(complete)
  })

  test('a user has one installation of an integration, however often it is started', async () => {
    const first = await connect()
    const second = await connect()
    const started = await Promise.all([start(), start(), start()])
    expect(new Set(started.map(({ installationId }) => installationId)).size).toBe(1)
    expect(await start({ credentialIds: [first] })).toMatchObject({ credentialIds: [first] })
    expect(await start()).toMatchObject({ credentialIds: [first] })
    const both = await start({ credentialIds: [first, second.toUpperCase(), first] })
    expect(both.credentialIds).toEqual([first, second])
  })

  test('cannot be completed without a credential of the app', async () => {
    await connect(userId, 'vendure')
    const { installationId } = await start()
    const input = { installationId }
    expect(await call(tenant.key, 'completeInstallation', input)).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      fields: ['credentialIds'],
    })
    for (const name of ['upgradeInstallation', 'deactivateInstallation'])
      expect(await call(tenant.key, name, input)).toMatchObject({
        status: 400,
        fields: ['installationId'],
      })
    const credentialId = await connect()
    expect(await callSuccessfully('completeInstallation', input)).toMatchObject({
      credentialIds: [credentialId],
    })
  })

  test('a deleted credential is removed from installations', async () => {
    const other = await connect()
    const credentialId = await connect()
    const { installationId } = await start({ credentialIds: [other, credentialId] })
    await callSuccessfully('deleteCredential', { userId, credentialId })
    expect(await callSuccessfully('installation', { installationId })).toMatchObject({
      credentialIds: [other],
    })
  })

  test('a new installation replaces a deleted credential with the newest of its app', async () => {
    const sandbox = await connect()
    const vendure = await connect(userId, 'vendure')
    const both = await start({ credentialIds: [sandbox, vendure] })
    expect(both.credentialIds).toEqual([sandbox, vendure])
    await callSuccessfully('deleteCredential', { userId, credentialId: vendure })
    expect(await start()).toMatchObject({ credentialIds: [sandbox] })
    await connect(userId, 'vendure')
    const newest = await connect(userId, 'vendure')
    expect(
      await callSuccessfully('installation', { installationId: both.installationId }),
    ).toMatchObject({
      credentialIds: [sandbox],
    })
    expect(await start({ credentialIds: [sandbox] })).toMatchObject({ credentialIds: [sandbox] })
    expect(await install()).toMatchObject({ credentialIds: [sandbox, newest] })
    // A credential that still exists is removed if the request omits it.
    await start({ credentialIds: [sandbox] })
    expect(await install()).toMatchObject({ credentialIds: [sandbox] })
  })

  test('workflows keep their version until the user upgrades', async () => {
    await connect()
    const { installationId, workflowIds } = await install()
    await define([workflowInput('first', 2), workflowInput('second', 1), workflowInput('third', 1)])
    await callSuccessfully('completeInstallation', { installationId, data: {} })
    const readInstallation = async () => {
      const { workflows } = await callSuccessfully('integration', { integrationId, userId })
      return workflows.map(
        ({ version, installedVersion }: { version: number; installedVersion: number | null }) => [
          version,
          installedVersion,
        ],
      )
    }
    expect(await readInstallation()).toEqual([
      [2, 1],
      [1, 1],
      [1, null],
    ])
    const upgraded = await callSuccessfully('upgradeInstallation', { installationId })
    expect(upgraded.workflowIds).toEqual([...workflowIds, expect.stringMatching(UUID)])
    expect(await readInstallation()).toEqual([
      [2, 2],
      [1, 1],
      [1, 1],
    ])
  })

  test('an installation and each of its workflows can be disabled and enabled', async () => {
    await connect()
    const { installationId, workflowIds } = await install()
    const [first, second] = workflowIds
    const readActiveStates = async () => {
      const { workflows } = await callSuccessfully('integration', { integrationId, userId })
      const users = await Promise.all(
        [first, second].map((workflowId) =>
          callSuccessfully('workflowUsers', { workflowId, userId }),
        ),
      )
      const activeStates = workflows.map((workflow: { active: boolean }) => workflow.active)
      expect(users.map(([{ workflowActive }]) => workflowActive)).toEqual(activeStates)
      return activeStates
    }
    await callSuccessfully('deactivateWorkflow', { installationId, workflowId: first })
    expect(await readActiveStates()).toEqual([false, true])
    const off = await callSuccessfully('deactivateInstallation', { installationId })
    expect([off.enabled, await readActiveStates()]).toEqual([false, [false, false]])
    const on = await callSuccessfully('reactivateInstallation', { installationId })
    expect([on.enabled, await readActiveStates()]).toEqual([true, [false, true]])
    await callSuccessfully('reactivateWorkflow', { installationId, workflowId: first })
    expect(await readActiveStates()).toEqual([true, true])
    for (const workflowId of [NEVER, 'no uuid'])
      expect(
        await call(tenant.key, 'deactivateWorkflow', { installationId, workflowId }),
      ).toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  test('installing again enables the installation, except workflows that were disabled individually', async () => {
    await connect()
    const { installationId, workflowIds } = await install()
    await callSuccessfully('deactivateWorkflow', { installationId, workflowId: workflowIds[0] })
    await callSuccessfully('deactivateInstallation', { installationId })
    expect(await start()).toMatchObject({ enabled: false })
    expect(await install()).toMatchObject({ installationId, enabled: true })
    const { workflows } = await callSuccessfully('integration', { integrationId, userId })
    expect(workflows.map((workflow: { active: boolean }) => workflow.active)).toEqual([false, true])
  })

  test.each(['completeInstallation', 'upgradeInstallation'])(
    '%s waits for a concurrent definition and uses its result',
    async (name) => {
      await connect()
      const { installationId } = name === 'upgradeInstallation' ? await install() : await start()
      await define([workflowInput('first', 2), workflowInput('second', 2)])
      const held = Promise.withResolvers<void>()
      const mayEnd = Promise.withResolvers<void>()
      // Like `defineIntegration`: the integration first, then the workflows that no longer exist.
      const defining = service.database.transaction(async (transaction) => {
        await transaction.prisma.integration.update({
          where: { id: integrationId },
          data: { name: 'Renamed' },
        })
        await transaction.prisma.workflow.deleteMany({ where: { integrationId, slug: 'second' } })
        held.resolve()
        await mayEnd.promise
      })
      await held.promise
      const input = name === 'upgradeInstallation' ? {} : { data: {} }
      const outcome = call(tenant.key, name, { installationId, ...input })
      await untilWaitingForRow(service)
      mayEnd.resolve()
      await defining
      expect(await outcome).toMatchObject({ status: 200 })
      expect((await outcome).result.workflowIds).toHaveLength(1)
    },
  )

  test('an uninstalled integration can be installed again', async () => {
    const credentialId = await connect()
    const { installationId } = await install()
    expect(await callSuccessfully('uninstall', { installationId })).toBe(installationId)
    expect(await call(tenant.key, 'uninstall', { installationId })).toMatchObject({ status: 404 })
    expect(await readIntegration()).toMatchObject({ installed: false })
    expect(await callSuccessfully('installations', { userId })).toEqual([])
    expect(await start()).toMatchObject({ credentialIds: [credentialId] })
  })

  test('another tenant’s ids respond like ids that never existed', async () => {
    await connect()
    const { installationId, workflowIds } = await install()
    const other = (await callSuccessfully('createUser', { username: 'other' })).userId ?? ''
    const absent = { status: 404, code: 'NOT_FOUND' }
    const [workflowId] = workflowIds
    for (const id of [installationId, NEVER, 'no uuid'])
      for (const name of [
        'installation',
        'completeInstallation',
        'upgradeInstallation',
        'deactivateInstallation',
        'reactivateInstallation',
        'deactivateWorkflow',
        'reactivateWorkflow',
        'uninstall',
      ]) {
        const input = name.endsWith('Workflow') ? { workflowId } : {}
        expect(
          await call(otherTenant.key, name, { installationId: id, ...input }),
          name,
        ).toMatchObject(absent)
      }
    expect(
      await call(otherTenant.key, 'startInstallation', {
        userId: otherTenant.userId,
        integrationId,
      }),
    ).toMatchObject(absent)
    expect(
      await call(otherTenant.key, 'startInstallation', { userId, integrationId }),
    ).toMatchObject({
      status: 404,
      code: 'USER_NOT_FOUND',
    })
    expect(await call(otherTenant.key, 'installations', { userId })).toMatchObject({
      status: 404,
      code: 'USER_NOT_FOUND',
    })
    expect((await call(otherTenant.key, 'installations')).result).toEqual([])
    // Another user of the same environment has other credentials.
    const credentialId = await connect(other)
    for (const id of [credentialId, NEVER, 'no uuid'])
      expect(
        await call(tenant.key, 'startInstallation', {
          userId,
          integrationId,
          credentialIds: [id],
        }),
      ).toMatchObject({ status: 404, code: 'CREDENTIAL_NOT_FOUND' })
    expect(await readIntegration()).toMatchObject({ installed: true })
  })

  test('the data of a completion must be an object', async () => {
    await connect()
    const { installationId } = await start()
    for (const data of ['text', [1], null])
      expect(
        await call(tenant.key, 'completeInstallation', { installationId, data }),
      ).toMatchObject({ status: 400, fields: ['data'] })
  })

  test('a list of any length runs one statement and is paginated', async () => {
    await connect()
    await install()
    const count = async () => {
      await call(tenant.key, 'installations')
      service.takeStatements()
      const { result } = await call(tenant.key, 'installations')
      return [result.length, service.takeStatements().length]
    }
    expect(await count()).toEqual([1, 1])
    for (const slug of ['b', 'c']) {
      const created = await callSuccessfully('defineIntegration', {
        slug,
        name: slug,
        app: 'sandbox',
        workflows: [],
      })
      await start({ integrationId: created.integrationId })
    }
    expect(await count()).toEqual([3, 1])
    if (transport === 'REST')
      expect(await callSuccessfully('installations', { pageSize: 2, pageNumber: 2 })).toHaveLength(
        1,
      )
  })
})
