/** The log of a credential's requests to its app: stored in batches, bounded, and read over the API. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createAppRequestLog,
  listAppRequests,
  MAX_REQUESTS,
  purgeAppRequests,
} from '../../src/store/accounts/app-requests.ts'
import { createCredential, deleteCredential } from '../../src/store/accounts/credentials.ts'
import { callOver, transports } from '../support/operations.ts'
import { type Rolodex, startRolodex } from '../support/rolodex.ts'
import { defineRolodexConnector } from '../support/rolodex-connector.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

let rolodex: Rolodex
let service: TestService
let tenant: Tenant
let other: Tenant

beforeAll(async () => {
  rolodex = await startRolodex()
  const connector = defineRolodexConnector(rolodex.url)
  service = await startService({
    connectors: new Map([[connector.app, connector]]),
    allowPrivateAddresses: true,
  })
  tenant = await service.createTenant('development', [])
  other = await service.createTenant('development', [], 'Other')
})
afterAll(async () => {
  await service.stop()
  await rolodex.stop()
})

const connect = ({ environmentId, userId }: Tenant): Promise<string> =>
  createCredential(service.database, testVault, {
    environmentId,
    userId,
    connector: defineRolodexConnector(rolodex.url),
    values: {},
  })

const requestEntry = (credentialId: string, path: string) => ({
  credentialId,
  path,
  purpose: 'changes',
  method: 'GET',
  status: 500,
  tookMs: 12,
  error: 'APP_UNAVAILABLE: it answered 500',
  requestBody: null,
  responseBody: 'no',
})

/** Writes requests as a process does. */
const write = async (entries: readonly ReturnType<typeof requestEntry>[]): Promise<void> => {
  const log = createAppRequestLog({
    database: service.database,
    onFailure: (error) => {
      throw error
    },
  })
  for (const request of entries) log.note(request)
  log.start()
  await log.stop()
}

const pathsOf = async (credentialId: string): Promise<readonly string[]> =>
  (await listAppRequests(service.database, credentialId)).map(({ path }) => path)

describe('the log', () => {
  test('has the last 100 requests of each credential, newest first', async () => {
    const [busy, quiet] = [await connect(tenant), await connect(tenant)]
    await write([requestEntry(quiet, '/first')])
    for (let batch = 0; batch < 3; batch++)
      await write(
        Array.from({ length: 60 }, (_, index) => requestEntry(busy, `/${batch * 60 + index}`)),
      )
    const paths = await pathsOf(busy)
    expect(paths).toHaveLength(MAX_REQUESTS)
    expect(paths[0]).toBe('/179')
    expect(paths.at(-1)).toBe('/80')
    expect(await pathsOf(quiet)).toEqual(['/first'])
  })

  test('keeps no more requests of a credential in memory than it stores', async () => {
    const id = await connect(tenant)
    await write(
      Array.from({ length: MAX_REQUESTS + 20 }, (_, index) => requestEntry(id, `/${index}`)),
    )
    const paths = await pathsOf(id)
    expect(paths).toHaveLength(MAX_REQUESTS)
    expect(paths.at(-1)).toBe('/20')
  })

  test('drops requests of a deleted credential, stored or not', async () => {
    const [deleted, present] = [await connect(tenant), await connect(tenant)]
    await write([requestEntry(deleted, '/before')])
    const { environmentId, userId } = tenant
    await deleteCredential(service.database, environmentId, userId, deleted)
    await write([requestEntry(deleted, '/after'), requestEntry(present, '/present')])
    expect(await pathsOf(deleted)).toEqual([])
    expect(await pathsOf(present)).toEqual(['/present'])
  })

  test('is purged after a week', async () => {
    const id = await connect(tenant)
    await write([requestEntry(id, '/old'), requestEntry(id, '/new')])
    await service.database.prisma.$executeRaw`
      UPDATE app_requests SET at = at - interval '8 days' WHERE path = '/old'`
    await purgeAppRequests(service.database)
    expect(await pathsOf(id)).toEqual(['/new'])
  })
})

describe.each(transports)('over %s', (transport) => {
  const requestsOf = (key: string, userId: string, credentialId: string) =>
    callOver(service, transport)(key, 'credentialRequests', { userId, credentialId })

  test('a failed request of the service is listed', async () => {
    const credentialId = await connect(tenant)
    rolodex.requests.length = 0
    const passed = await service.send(
      tenant.key,
      'POST',
      `/2024-03/passthrough?credentialId=${credentialId}`,
      { method: 'GET', endpoint: '/people/none' },
    )
    expect(passed.statusCode).toBe(200)
    const listRequests = async () =>
      (await requestsOf(tenant.key, tenant.userId, credentialId)).result
    await expect.poll(listRequests).toEqual([
      {
        at: expect.stringMatching(/^20.*Z$/),
        purpose: 'write',
        method: 'GET',
        path: '/people/none',
        status: 404,
        durationMs: expect.any(Number),
        error: 'it answered 404',
        requestBody: null,
        responseBody: '{"reason":"no such card"}',
      },
    ])
  })

  test('requests of other environments are not found', async () => {
    const credentialId = await connect(tenant)
    await write([requestEntry(credentialId, '/own')])
    expect(await requestsOf(other.key, tenant.userId, credentialId)).toMatchObject({
      code: 'USER_NOT_FOUND',
    })
    expect(await requestsOf(other.key, other.userId, credentialId)).toMatchObject({
      code: 'CREDENTIAL_NOT_FOUND',
    })
  })
})
