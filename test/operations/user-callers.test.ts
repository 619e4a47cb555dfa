/** What the token of an end user opens: what is the user's own, and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { type Call, callOver, faces, type Given } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { workflowNumber } from '../support/workflow.ts'

const credential = { tenant: 'acme', token: 't' }

/** The table of who may call what, beside API keys, which may call everything. */
const OPEN_TO_USERS = [
  ...['credentials', 'createCredential', 'deleteCredential', 'apps', 'app', 'oauthUrl'],
  ...['integrations', 'integration', 'installations', 'installation'],
  ...['startInstallation', 'completeInstallation', 'upgradeInstallation', 'uninstall'],
  ...['deactivateInstallation', 'reactivateInstallation'],
  ...['deactivateWorkflow', 'reactivateWorkflow'],
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

test('the table is as it was decided', () => {
  const open = operations.filter(({ callers }) => callers.includes('user'))
  expect(open.map(({ name }) => name).sort()).toEqual([...OPEN_TO_USERS].sort())
  for (const { callers, name } of operations) expect(callers, name).toContain('key')
})

describe.each(faces)('over %s', (face) => {
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
    call = callOver(service, face)
    mine = await newUser(`mine over ${face}`)
    other = await newUser(`other over ${face}`)
  })

  test('a token is of one user of the environment', async () => {
    const stranger = await service.createTenant('production', [], `Stranger over ${face}`)
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
    '%s is closed to it',
    async (name) => {
      const { given } = operations.find((operation) => operation.name === name)?.example ?? {}
      const userId = given && 'userId' in given ? { userId: mine.userId } : {}
      expect(await call(mine.token, name, { ...given, ...userId })).toMatchObject({
        status: 403,
        code: 'FORBIDDEN',
        result: undefined,
      })
    },
  )

  test('its own userId may be left out, and another’s is as absent as none', async () => {
    const given = { app: 'sandbox', credential }
    const left = await call(mine.token, 'createCredential', given)
    expect(left).toMatchObject({ status: 200 })
    const named = { ...given, userId: mine.userId.toUpperCase() }
    expect(await call(mine.token, 'createCredential', named)).toMatchObject({ status: 200 })
    const { result } = await call(mine.token, 'credentials', { userId: mine.userId })
    expect(result).toHaveLength(2)
    const { result: installation } = await call(mine.token, 'startInstallation', { integrationId })
    expect(installation).toMatchObject({ userId: mine.userId })
    const foreign: readonly (readonly [string, Given])[] = [
      ['credentials', {}],
      ['createCredential', given],
      ['deleteCredential', { credentialId: left.result }],
      ['oauthUrl', { app: 'sandbox' }],
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

  test('integrations are shown as they stand with the user', async () => {
    await call(mine.token, 'createCredential', { app: 'sandbox', credential })
    const begun = await call(mine.token, 'startInstallation', { integrationId })
    const { installationId } = begun.result
    expect(await call(mine.token, 'completeInstallation', { installationId })).toMatchObject({
      status: 200,
    })
    const installed = async (token: string) =>
      (await call(token, 'integrations')).result.map((one: { installed: boolean }) => one.installed)
    expect(await installed(mine.token)).toEqual([true])
    expect(await installed(other.token)).toEqual([false])
  })

  test('another user’s installation and credential are as absent as none', async () => {
    const { result: credentialId } = await call(mine.token, 'createCredential', {
      ...{ app: 'sandbox', credential },
    })
    const { installationId } = (await call(mine.token, 'startInstallation', { integrationId }))
      .result
    const workflowId = '99999999-0000-4000-8000-000000000009'
    for (const name of [
      ...['installation', 'completeInstallation', 'upgradeInstallation', 'uninstall'],
      ...['deactivateInstallation', 'reactivateInstallation'],
      ...['deactivateWorkflow', 'reactivateWorkflow'],
    ]) {
      const given = name.endsWith('Workflow') ? { installationId, workflowId } : { installationId }
      expect(await call(other.token, name, given), name).toMatchObject({
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
    expect((await call(mine.token, 'installation', { installationId })).status).toBe(200)
  })
})
