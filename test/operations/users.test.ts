/** End users: created, listed and deleted with all of their objects, over both transports. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { recordId } from '../../src/definition/identity.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { purgeNext } from '../../src/store/sync/purges.ts'
import { type Call, callOver, transports } from '../support/operations.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const OTHER = 'bbbbbbbb-0000-4000-8000-000000000002'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const NEVER = '99999999-0000-4000-8000-000000000009'

let service: TestService
let tenant: Tenant
let otherTenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
  otherTenant = await service.createTenant('production', [OTHER])
})
afterAll(() => service.stop())

describe('the responses are exactly those of the contract', () => {
  test('creating a user returns only its id', async () => {
    const response = await service.send(tenant.key, 'POST', '/2023-12/users', { username: 'ada' })
    expect([response.statusCode, response.json()]).toEqual([
      200,
      { userId: expect.stringMatching(UUID) },
    ])
  })

  test('the list has three fields for each user, with and without a trailing slash', async () => {
    const key = (await service.createTenant('development', [], 'Contract')).key
    const created = await service.send(key, 'POST', '/2023-12/users', { username: 'grace' })
    const { userId } = created.json()
    for (const url of ['/2024-03/one/users', '/2024-03/one/users/']) {
      const result = await service.send(key, 'GET', url)
      expect([result.statusCode, result.json()]).toEqual([
        200,
        {
          data: [
            { userId: expect.stringMatching(UUID), fullName: 'User', username: 'user' },
            { userId, fullName: '', username: 'grace' },
          ],
        },
      ])
    }
  })
})

describe.each(transports)('over %s', (transport) => {
  let call: Call
  beforeAll(() => {
    call = callOver(service, transport)
  })

  test('a new user is found by its id, in upper or lower case', async () => {
    const input = { username: `found over ${transport}`, fullName: 'Élodie 🚢' }
    const created = await call(tenant.key, 'createUser', input)
    const { userId } = created.result
    for (const id of [userId, userId.toUpperCase()])
      expect(await call(tenant.key, 'user', { userId: id })).toMatchObject({
        status: 200,
        result: { userId, ...input },
      })
  })

  test('a username is unique in its environment and free in another', async () => {
    const values = { username: `taken over ${transport}` }
    expect((await call(tenant.key, 'createUser', values)).status).toBe(200)
    expect(await call(tenant.key, 'createUser', values)).toMatchObject({
      status: 400,
      code: 'USERNAME_TAKEN',
      fields: ['username'],
    })
    expect((await call(otherTenant.key, 'createUser', values)).status).toBe(200)
  })

  test('concurrent requests with one username create one user', async () => {
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () =>
        call(tenant.key, 'createUser', { username: `raced over ${transport}` }),
      ),
    )
    expect(outcomes.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(outcomes.filter(({ code }) => code === 'USERNAME_TAKEN')).toHaveLength(9)
  })

  test.each([
    ['an empty username', { username: ' ' }],
    ['a username that is too long', { username: 'x'.repeat(256) }],
    ['a username that cannot be stored', { username: 'a\0b' }],
  ])('%s is rejected with the name of the field', async (_what, input) => {
    expect(await call(tenant.key, 'createUser', input)).toMatchObject({
      status: 400,
      code: 'INVALID_PARAMETER',
      fields: ['username'],
    })
  })

  // The connections of GraphQL are in connections.test.ts.
  const restTest = transport === 'REST' ? test : () => {}
  restTest('a list can be paginated by number', async () => {
    const { key } = await service.createTenant('development', [], `Parts over ${transport}`)
    for (const username of ['one', 'two', 'three', 'four'])
      await call(key, 'createUser', { username })
    const listNames = async (input: object) => {
      const { result } = await call(key, 'users', { ...input })
      return result.map(({ username }: { username: string }) => username)
    }
    expect(await listNames({})).toEqual(['user', 'one', 'two', 'three', 'four'])
    expect(await listNames({ pageSize: 2 })).toEqual(['user', 'one'])
    expect(await listNames({ pageSize: 2, pageNumber: 3 })).toEqual(['four'])
    expect(await listNames({ pageSize: 2, pageNumber: 4 })).toEqual([])
    for (const [field, input] of [
      ['pageSize', { pageSize: 1001 }],
      ['pageSize', { pageSize: 0 }],
      ['pageNumber', { pageNumber: 0, pageSize: 1 }],
      ['pageNumber', { pageNumber: 2 }],
    ] as const)
      expect(await call(key, 'users', input)).toMatchObject({
        code: 'INVALID_PARAMETER',
        fields: [field],
      })
  })

  test('a user is found by username, exactly and only in the environment', async () => {
    const { key } = await service.createTenant('development', [], `Named over ${transport}`)
    const { userId } = (await call(key, 'createUser', { username: 'Ada 🚢' })).result
    expect((await call(key, 'users', { username: 'Ada 🚢' })).result).toEqual([
      { userId, username: 'Ada 🚢', fullName: '' },
    ])
    for (const username of ['ada 🚢', 'Ada', '', '%'])
      expect((await call(key, 'users', { username })).result, username).toEqual([])
    expect((await call(otherTenant.key, 'users', { username: 'Ada 🚢' })).result).toEqual([])
    if (transport === 'REST') {
      const paged = { username: 'Ada 🚢', pageSize: 1, pageNumber: 2 }
      expect((await call(key, 'users', paged)).result).toEqual([])
    }
    service.takeStatements()
    await call(key, 'users', { username: 'Ada 🚢' })
    expect(service.takeStatements()).toHaveLength(1)
  })

  test('a list of any length runs one statement', async () => {
    await call(tenant.key, 'users')
    service.takeStatements()
    await call(tenant.key, 'users')
    expect(service.takeStatements()).toHaveLength(1)
  })

  test('a deleted user and everything of the user are gone, and the change log reports each credential', async () => {
    const { prisma } = service.database
    const { environmentId, key } = tenant
    const { userId } = (await call(key, 'createUser', { username: `deleted over ${transport}` }))
      .result
    const route = transport === 'REST' ? 'cccccccc' : 'dddddddd'
    const credentialId = `${route}-0000-4000-8000-000000000003`
    await prisma.credential.create({
      data: {
        id: credentialId,
        route,
        environmentId,
        userId,
        app: 'test',
        values: {},
        syncStates: { create: { topic: 'crm/accounts' } },
      },
    })
    const accounts = catalogue.get('crm/accounts')
    const sampleRows = (credentialId: string) =>
      [1, 2].map((n) => sampleRecord(credentialId, accounts, n))
    await service.save(tenant, credentialId, accounts, sampleRows(credentialId))
    await service.save(tenant, CREDENTIAL, accounts, sampleRows(CREDENTIAL))
    await prisma.syncSeenRecord.create({
      data: {
        credentialId,
        topic: 'crm/accounts',
        recordId: recordId(credentialId, 'crm/accounts', '1'),
      },
    })
    const records = `/crm/accounts?credentialId=${credentialId}`
    expect((await service.rest(key, records)).json().accounts).toHaveLength(2)

    expect(await call(key, 'deleteUser', { userId })).toMatchObject({ status: 200, result: userId })

    const notFound = { status: 404, code: 'USER_NOT_FOUND' }
    expect(await call(key, 'user', { userId })).toMatchObject(notFound)
    expect(await call(key, 'deleteUser', { userId })).toMatchObject(notFound)
    expect((await service.rest(key, records)).json().error.code).toBe('CREDENTIAL_NOT_FOUND')
    expect(await prisma.syncState.count({ where: { credentialId } })).toBe(0)
    const log = await prisma.$queryRaw`
      SELECT topic, record FROM change_log.changes
      WHERE credential_id = ${credentialId}::uuid ORDER BY xid, sequence OFFSET 2`
    expect(log).toEqual([
      { topic: 'connection/deleted', record: { credentialId, userId, app: 'test' } },
    ])

    while (await purgeNext(service.database, catalogue, AbortSignal.timeout(10_000)));
    const [remaining] = await prisma.$queryRaw<object[]>`
      SELECT (SELECT count(*)::integer FROM crm_accounts
          WHERE credential_id = ${credentialId}::uuid) AS records,
        (SELECT count(*)::integer FROM sync_sightings
          WHERE credential_id = ${credentialId}::uuid) AS sightings,
        (SELECT count(*)::integer FROM crm_accounts
          WHERE credential_id = ${CREDENTIAL}::uuid) AS others`
    expect(remaining).toEqual({ records: 0, sightings: 0, others: 2 })
  })

  test('another environment’s user responds like one that never existed', async () => {
    for (const name of ['user', 'deleteUser']) {
      const { message: _, ...absent } = await call(otherTenant.key, name, { userId: NEVER })
      expect(absent).toMatchObject({ status: 404, code: 'USER_NOT_FOUND' })
      expect(await call(otherTenant.key, name, { userId: tenant.userId })).toMatchObject(absent)
      expect(await call(otherTenant.key, name, { userId: 'no uuid' })).toMatchObject(absent)
    }
    expect((await call(tenant.key, 'user', { userId: tenant.userId })).status).toBe(200)
  })
})

test('a purge ends only after the longest possible write that was in progress', async () => {
  const { prisma } = service.database
  const credentialId = 'eeeeeeee-0000-4000-8000-000000000005'
  const accounts = catalogue.get('crm/accounts')
  await prisma.purge.create({ data: { credentialId } })
  const purge = () => purgeNext(service.database, catalogue, AbortSignal.timeout(10_000))
  while (await purge());
  await service.save(tenant, credentialId, accounts, [sampleRecord(credentialId, accounts, 1)])
  expect(await purge()).toBe(false)
  await prisma.purge.update({
    where: { credentialId },
    data: { dueAt: new Date(0), deletedAt: new Date(0) },
  })
  expect(await purge()).toBe(true)
  expect(await prisma.purge.count({ where: { credentialId } })).toBe(0)
  const remaining = await prisma.$queryRaw`SELECT id FROM crm_accounts
    WHERE credential_id = ${credentialId}::uuid`
  expect(remaining).toEqual([])
})
