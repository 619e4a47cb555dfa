/** A user token opens the user's own objects and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { type Call, callOver, type Input, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { defineWorkflow } from '../support/workflow.ts'

const credential = { tenant: 'acme', token: 't' }

/** The operations that accept user tokens, in addition to API keys, which may call everything. */
const OPEN_TO_USERS = [
  'credentials',
  'userCredentials',
  'createCredential',
  'credential',
  'credentialBudget',
  'resyncCredential',
  'pauseCredential',
  'resumeCredential',
  'deleteCredential',
  'apps',
  'app',
  'oauthUrl',
  'createAuthorization',
  'authorization',
  'chooseAuthorizationAccount',
  'updateCredential',
  'integrations',
  'integration',
  'installations',
  'installation',
  'startInstallation',
  'completeInstallation',
  'upgradeInstallation',
  'uninstall',
  'deactivateInstallation',
  'reactivateInstallation',
  'deactivateWorkflow',
  'reactivateWorkflow',
]

let service: TestService
let tenant: Tenant
let integrationId: string

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  const call = callOver(service, 'REST')
  const workflows = [{ slug: 'one', name: 'One', definition: defineWorkflow(1) }]
  const shop = { slug: 'shop', name: 'Shop', app: 'sandbox', workflows }
  integrationId = (await call(tenant.key, 'defineIntegration', shop)).result.integrationId
})
afterAll(() => service.stop())

test('exactly these operations accept user tokens', () => {
  const open = operations.filter(({ callers }) => callers.includes('user'))
  expect(open.map(({ name }) => name).sort()).toEqual([...OPEN_TO_USERS].sort())
  for (const { callers, name } of operations) expect(callers, name).toContain('key')
})

describe.each(transports)('over %s', (transport) => {
  let call: Call
  let ownUser: { userId: string; token: string }
  let other: { userId: string; token: string }

  const createUser = async (username: string) => {
    const over = callOver(service, 'REST')
    const { userId } = (await over(tenant.key, 'createUser', { username })).result
    const { result: token, status } = await call(tenant.key, 'userToken', { userId })
    expect(status).toBe(200)
    return { userId, token }
  }

  beforeAll(async () => {
    call = callOver(service, transport)
    ownUser = await createUser(`mine over ${transport}`)
    other = await createUser(`other over ${transport}`)
  })

  test('a token is issued for one user of the environment', async () => {
    const otherTenant = await service.createTenant('production', [], `Stranger over ${transport}`)
    for (const userId of [ownUser.userId, 'no uuid'])
      expect(await call(otherTenant.key, 'userToken', { userId })).toMatchObject({
        status: 404,
        code: 'USER_NOT_FOUND',
      })
    expect(await service.tokens.verify(ownUser.token)).toMatchObject({
      userId: ownUser.userId,
      environmentId: tenant.environmentId,
    })
  })

  test.each(operations.filter(({ callers }) => !callers.includes('user')).map(({ name }) => name))(
    '%s rejects a user token',
    async (name) => {
      const { input: example } =
        operations.find((operation) => operation.name === name)?.example ?? {}
      const userId = example && 'userId' in example ? { userId: ownUser.userId } : {}
      expect(await call(ownUser.token, name, { ...example, ...userId })).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
        result: undefined,
      })
    },
  )

  test('the user’s own userId may be omitted, and another’s responds like one that does not exist', async () => {
    const input = { app: 'sandbox', credential }
    const withoutUserId = await call(ownUser.token, 'createCredential', input)
    expect(withoutUserId).toMatchObject({ status: 200 })
    const named = { ...input, userId: ownUser.userId.toUpperCase() }
    expect(await call(ownUser.token, 'createCredential', named)).toMatchObject({ status: 200 })
    const { result } = await call(ownUser.token, 'credentials', { userId: ownUser.userId })
    expect(result).toHaveLength(2)
    expect((await call(ownUser.token, 'credentials')).result).toEqual(result)
    const { userId } = ownUser
    expect((await call(ownUser.token, 'userCredentials', { userId })).result).toEqual(result)
    expect((await call(other.token, 'credentials')).result).toEqual([])
    const { result: installation } = await call(ownUser.token, 'startInstallation', {
      integrationId,
    })
    expect(installation).toMatchObject({ userId: ownUser.userId })
    const foreign: readonly (readonly [string, Input])[] = [
      ['credentials', {}],
      ['userCredentials', {}],
      ['createCredential', input],
      ['deleteCredential', { credentialId: withoutUserId.result.credentialId }],
      ['updateCredential', { credentialId: withoutUserId.result.credentialId, credential }],
      ['oauthUrl', { app: 'sandbox' }],
      ['createAuthorization', { app: 'sandbox' }],
      ['integrations', {}],
      ['integration', { integrationId }],
      ['installations', {}],
      ['startInstallation', { integrationId }],
    ]
    for (const [name, rest] of foreign)
      for (const userId of [other.userId, '99999999-0000-4000-8000-000000000009', 'no uuid'])
        expect(await call(ownUser.token, name, { ...rest, userId }), name).toMatchObject({
          status: 404,
          code: 'USER_NOT_FOUND',
        })
    expect((await call(other.token, 'installations')).result).toEqual([])
    expect((await call(ownUser.token, 'installations')).result).toEqual([installation])
  })

  test('integrations are shown with their state for the user', async () => {
    await call(ownUser.token, 'createCredential', { app: 'sandbox', credential })
    const started = await call(ownUser.token, 'startInstallation', { integrationId })
    const { installationId } = started.result
    expect(await call(ownUser.token, 'completeInstallation', { installationId })).toMatchObject({
      status: 200,
    })
    const readInstalledStates = async (token: string) =>
      (await call(token, 'integrations')).result.map(
        (integration: { installed: boolean }) => integration.installed,
      )
    expect(await readInstalledStates(ownUser.token)).toEqual([true])
    expect(await readInstalledStates(other.token)).toEqual([false])
  })

  test('another user’s installation and credential respond like ones that do not exist', async () => {
    const { result: connected } = await call(ownUser.token, 'createCredential', {
      app: 'sandbox',
      credential,
    })
    const { credentialId } = connected
    const { installationId } = (await call(ownUser.token, 'startInstallation', { integrationId }))
      .result
    const workflowId = '99999999-0000-4000-8000-000000000009'
    for (const name of [
      'installation',
      'completeInstallation',
      'upgradeInstallation',
      'uninstall',
      'deactivateInstallation',
      'reactivateInstallation',
      'deactivateWorkflow',
      'reactivateWorkflow',
    ]) {
      const values = name.endsWith('Workflow') ? { installationId, workflowId } : { installationId }
      expect(await call(other.token, name, values), name).toMatchObject({
        status: 404,
        code: 'NOT_FOUND',
      })
    }
    const taken = { integrationId, credentialIds: [credentialId] }
    expect(await call(other.token, 'startInstallation', taken)).toMatchObject({
      status: 404,
      code: 'CREDENTIAL_NOT_FOUND',
    })
    expect(
      await call(other.token, 'deleteCredential', { userId: other.userId, credentialId }),
    ).toMatchObject({ status: 404, code: 'CREDENTIAL_NOT_FOUND' })
    for (const name of ['credential', 'resyncCredential', 'pauseCredential', 'resumeCredential'])
      expect(
        await call(other.token, name, {
          userId: other.userId,
          credentialId,
        }),
        name,
      ).toMatchObject({ status: 404, code: 'CREDENTIAL_NOT_FOUND' })
    expect((await call(ownUser.token, 'installation', { installationId })).status).toBe(200)
  })
})
