/** A revoked key is rejected immediately in every process, even while processes receive no notifications. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  describe,
  expect,
  inject,
  test,
  vi,
} from 'vitest'
import { createAccess } from '../../src/store/accounts/access.ts'
import { hashApiKey } from '../../src/store/accounts/api-key.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { createKey, revokeKey } from '../support/keys.ts'
import { openServer, startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const DEADLINE = { timeout: 60_000, interval: 5 }

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(() => service.stop())

const createTenantKey = () => createKey(service.database, tenant.environmentId)

/** Requests a list from this server with this key. @returns the status */
const statusOf = async (
  server: FastifyInstance,
  key: string,
  credentialId = CREDENTIAL,
): Promise<number> => {
  const url = `/2024-03/one/crm/accounts?credentialId=${credentialId}`
  return (await server.inject({ url, headers: { authorization: `Bearer ${key}` } })).statusCode
}

describe('another process', () => {
  let other: Awaited<ReturnType<typeof openServer>>
  let key: string

  beforeEach(async () => {
    other = await openServer(service.url)
    key = await createTenantKey()
    // The second request is answered from the cache, without a statement.
    for (const _first of [true, false]) expect(await statusOf(other.server, key)).toBe(200)
    other.takeStatements()
    expect(await statusOf(other.server, key)).toBe(200)
    expect(other.takeStatements().join()).not.toContain('api_keys')
  })
  afterEach(() => other.stop())

  const readStatusThere = (): Promise<number> => statusOf(other.server, key)

  test('rejects a key that is revoked in this process', async () => {
    await revokeKey(service, key)
    await expect.poll(readStatusThere, DEADLINE).toBe(401)
    const response = await other.server.inject({
      url: '/graphql?query={__typename}',
      headers: { authorization: `Bearer ${key}` },
    })
    expect(response.statusCode).toBe(401)
  })

  test.each([
    ['revoked', 'UPDATE api_keys SET revoked_at = now() WHERE hash = $1'],
    ['deleted', 'DELETE FROM api_keys WHERE hash = $1'],
    ['replaced', "UPDATE api_keys SET hash = repeat('0', 64) WHERE hash = $1"],
  ])('rejects a key whose row is %s by hand', async (_how, sql) => {
    const hand = new pg.Client({ connectionString: service.url })
    await hand.connect()
    await hand.query(sql, [hashApiKey(key)])
    await hand.end()
    await expect.poll(readStatusThere, DEADLINE).toBe(401)
    await expect.poll(() => statusOf(service.server, key), DEADLINE).toBe(401)
  })

  test('forgets a credential that is deleted by hand', async () => {
    const id = 'dddddddd-0000-4000-8000-000000000004'
    await service.database.prisma.credential.create({
      data: {
        id,
        route: id.slice(0, 8),
        environmentId: tenant.environmentId,
        userId: tenant.userId,
        app: 'test',
        values: {},
      },
    })
    for (const { server } of [service, other]) expect(await statusOf(server, key, id)).toBe(200)
    await service.database.prisma.$executeRaw`DELETE FROM credentials WHERE id = ${id}::uuid`
    for (const { server } of [service, other])
      await expect.poll(() => statusOf(server, key, id), DEADLINE).toBe(404)
  })
})

describe('while no notifications arrive', () => {
  let other: Awaited<ReturnType<typeof openServer>>
  let control: pg.Client
  const name = (): string => new URL(service.url).pathname.slice(1)

  beforeEach(async () => {
    other = await openServer(service.url)
    control = new pg.Client({ connectionString: inject('testDatabases').serverUrl })
    await control.connect()
  })
  afterEach(async () => {
    await control.query(`ALTER DATABASE "${name()}" ALLOW_CONNECTIONS true`)
    await control.end()
    await other.stop()
  })

  test('nothing is cached: a revoked key is rejected, and still is when notifications arrive again', async () => {
    const revoked = await createTenantKey()
    const valid = await createTenantKey()
    const statusOfOther = (key: string) => statusOf(other.server, key)
    for (const key of [revoked, valid]) expect(await statusOfOther(key)).toBe(200)

    // Neither server can reconnect; their open connections stay open.
    await control.query(`ALTER DATABASE "${name()}" ALLOW_CONNECTIONS false`)
    const { rows } = await control.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'trunkline listener'`,
      [name()],
    )
    expect(rows).toHaveLength(2)
    await service.database.prisma
      .$executeRaw`UPDATE api_keys SET revoked_at = now() WHERE hash = ${hashApiKey(revoked)}`
    await expect.poll(() => statusOfOther(revoked), DEADLINE).toBe(401)

    other.takeStatements()
    for (const _again of [1, 2, 3]) expect(await statusOfOther(valid)).toBe(200)
    const lookups = other.takeStatements().filter((statement) => statement.includes('api_keys'))
    expect(lookups).toHaveLength(3)

    await control.query(`ALTER DATABASE "${name()}" ALLOW_CONNECTIONS true`)
    const isOwnerCached = async (): Promise<boolean> => {
      other.takeStatements()
      expect(await statusOfOther(valid)).toBe(200)
      return !other.takeStatements().join().includes('api_keys')
    }
    await expect.poll(isOwnerCached, DEADLINE).toBe(true)
    expect(await statusOfOther(revoked)).toBe(401)
    await revokeKey(service, valid)
    await expect.poll(() => statusOfOther(valid), DEADLINE).toBe(401)
  })

  test('a lookup that was in progress is not cached when notifications arrive again', async () => {
    const key = await createTenantKey()
    const read = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const { prisma } = service.database
    const slow = {
      ...service.database,
      // The one method that keyOwner calls, paused between the row and the result.
      prisma: {
        apiKey: {
          findFirst: async (query: object) => {
            const row = await prisma.apiKey.findFirst(query)
            read.resolve()
            await release.promise
            return row
          },
        },
      } as unknown as typeof prisma,
    }
    const pgListener = createPgListener(service.url)
    const access = createAccess(slow, pgListener)
    const inProgress = access.keyOwner(key)
    await read.promise
    await revokeKey(service, key)
    await pgListener.start()
    release.resolve()
    expect(await inProgress).toMatchObject({ environmentId: tenant.environmentId })
    expect(await access.keyOwner(key)).toBe(undefined)
    await pgListener.stop()
  })
})

describe('a request whose body is still arriving when its key is revoked', () => {
  let port: number
  beforeAll(async () => {
    port = Number(new URL(await service.server.listen({ port: 0, host: '127.0.0.1' })).port)
  })

  test.each([
    ['/2024-03/api-keys', '{}'],
    ['/2024-03/api-keys/regenerate', '{}'],
    ['/2024-03/one/crm/accounts?credentialId=', '{"accountName":"Late"}'],
    ['/graphql', '{"query":"mutation { generateApiKey { apiKey { key } } }"}'],
  ])('to %s is rejected once it is complete', async (path, body) => {
    const key = await createTenantKey()
    const owner = vi.spyOn(service.access, 'keyOwner')
    const socket = connect(port, '127.0.0.1')
    const head = [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Connection: close',
      'Content-Type: application/json',
      `Authorization: Bearer ${key}`,
      `Content-Length: ${body.length}`,
      '',
      body[0],
    ]
    socket.write(head.join('\r\n'))
    await expect.poll(() => owner.mock.results.length, DEADLINE).toBe(1)
    expect(await owner.mock.results[0]?.value).toBeDefined()
    owner.mockRestore()
    await revokeKey(service, key)
    const keys = await service.database.prisma.apiKey.count()
    socket.write(body.slice(1))
    expect(await text(socket)).toMatch(/^HTTP\/1.1 401 /)
    expect(await service.database.prisma.apiKey.count()).toBe(keys)
    expect(await statusOf(service.server, tenant.key)).toBe(200)
  })
})
