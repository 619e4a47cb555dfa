/** A user token opens the user's own objects and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { type Call, callOver, type Input, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { workflowNumber } from '../support/workflow.ts'

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
  const workflows = [{ slug: 'one', name: 'One', definition: workflowNumber(1) }]
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
  let mine: { userId: string; token: string }
  let other: { userId: string; token: string }

  const newUser = async (username: string) => {
    const over = callOver(service, 'REST')
    const { userId } = (await over(tenant.key, 'createUser', { username })).result
    const { result: token, status } = await call(tenant.key, 'userToken', { userId })
    expect(status).toBe(200)
    return { userId, token }
  }

  beforeAll(async () => {
    call = callOver(service, transport)
    mine = await newUser(`mine over ${transport}`)
    other = await newUser(`other over ${transport}`)
  })

  test('a token is issued for one user of the environment', async () => {
    const stranger = await service.createTenant('production', [], `Stranger over ${transport}`)
    for (const userId of [mine.userId, 'no uuid'])
      expect(await call(stranger.key, 'userToken', { userId })).toMatchObject({
        status: 404,
        code: 'USER_NOT_FOUND',
      })
    expect(await service.tokens.verify(mine.token)).toMatchObject({
      userId: mine.userId,
      environmentId: tenant.environmentId,
    })
  })

  test.each(operations.filter(({ callers }) => !callers.includes('user')).map(({ name }) => name))(
    '%s rejects a user token',
    async (name) => {
      const { input: example } =
        operations.find((operation) => operation.name === name)?.example ?? {}
      const userId = example && 'userId' in example ? { userId: mine.userId } : {}
      expect(await call(mine.token, name, { ...example, ...userId })).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
        result: undefined,
      })
    },
  )

  test('the user’s own userId may be omitted, and another’s responds like one that does not exist', async () => {
    const input = { app: 'sandbox', credential }
    const withoutUserId = await call(mine.token, 'createCredential', input)
    expect(withoutUserId).toMatchObject({ status: 200 })
    const named = { ...input, userId: mine.userId.toUpperCase() }
    expect(await call(mine.token, 'createCredential', named)).toMatchObject({ status: 200 })
    const { result } = await call(mine.token, 'credentials', { userId: mine.userId })
    expect(result).toHaveLength(2)
    expect((await call(mine.token, 'credentials')).result).toEqual(result)
    const { userId } = mine
    expect((await call(mine.token, 'userCredentials', { userId })).result).toEqual(result)
    expect((await call(other.token, 'credentials')).result).toEqual([])
    const { result: installation } = await call(mine.token, 'startInstallation', { integrationId })
    expect(installation).toMatchObject({ userId: mine.userId })
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
        expect(await call(mine.token, name, { ...rest, userId }), name).toMatchObject({
          status: 404,
          code: 'USER_NOT_FOUND',
        })
    expect((await call(other.token, 'installations')).result).toEqual([])
    expect((await call(mine.token, 'installations')).result).toEqual([installation])
  })

  test('integrations are shown with their state for the user', async () => {
    await call(mine.token, 'createCredential', { app: 'sandbox', credential })
    const started = await call(mine.token, 'startInstallation', { integrationId })
    const { installationId } = started.result
    expect(await call(mine.token, 'completeInstallation', { installationId })).toMatchObject({
      status: 200,
    })
    const installed = async (token: string) =>
      (await call(token, 'integrations')).result.map((one: { installed: boolean }) => one.installed)
    expect(await installed(mine.token)).toEqual([true])
    expect(await installed(other.token)).toEqual([false])
  })

  test('another user’s installation and credential respond like ones that do not exist', async () => {
    const { result: connected } = await call(mine.token, 'createCredential', {
      app: 'sandbox',
      credential,
    })
    const { credentialId } = connected
    const { installationId } = (await call(mine.token, 'startInstallation', { integrationId }))
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
    expect((await call(mine.token, 'installation', { installationId })).status).toBe(200)
  })
})
