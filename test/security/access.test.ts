/** Keys: who is let in, who is not, and how soon a key that is revoked is refused, everywhere. */
import { Writable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import pg from 'pg'
import pino from 'pino'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, inject, test } from 'vitest'
import { generateApiKey, hashApiKey } from '../../src/api-key.ts'
import { createAccess } from '../../src/store/access.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { createNotices } from '../../src/store/notices.ts'
import { openServer, startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const DEADLINE = { timeout: 10_000, interval: 5 }

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(() => service.stop())

const newKey = async (): Promise<string> => {
  const key = generateApiKey('development')
  await saveApiKey(service.database, tenant.environmentId, key)
  return key
}

const questions = {
  REST: {
    method: 'GET',
    url: `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`,
  },
  GraphQL: {
    method: 'POST',
    url: '/graphql',
    payload: { query: `{ crmAccounts(credentialId: "${CREDENTIAL}") { nodes { id } } }` },
  },
  'GraphQL in the address': {
    method: 'GET',
    url: `/graphql?query=${encodeURIComponent('{ __typename }')}`,
  },
} as const

/** The status of a question with this header, and the code where it is refused. */
const ask = async (
  question: keyof typeof questions,
  authorization: string | undefined,
  server: FastifyInstance = service.server,
) => {
  const answer = await server.inject({
    ...questions[question],
    headers: authorization === undefined ? {} : { authorization },
  })
  const { error, errors, data } = answer.json()
  return {
    status: answer.statusCode,
    code: error?.code ?? errors?.[0]?.extensions.code,
    requestIds: [
      answer.headers['x-request-id'],
      error?.requestId ?? errors?.[0]?.extensions.requestId,
    ],
    challenge: answer.headers['www-authenticate'],
    data,
  }
}

const REFUSED = { status: 401, code: 'UNAUTHENTICATED' }

describe.each(Object.keys(questions) as (keyof typeof questions)[])('%s', (question) => {
  test.each(['Bearer', 'bearer', 'BEARER', 'bEaReR'])('lets in a key after %s', async (scheme) => {
    expect(await ask(question, `${scheme} ${tenant.key}`)).toMatchObject({ status: 200 })
    expect(await ask(question, `${scheme}   ${tenant.key} `)).toMatchObject({ status: 200 })
  })

  test('refuses without a key, and says how to send one', async () => {
    const answer = await ask(question, undefined)
    expect(answer).toMatchObject({ ...REFUSED, challenge: 'Bearer', data: undefined })
    expect(answer.requestIds[0]).toMatch(/^[0-9a-f-]{36}$/)
    expect(answer.requestIds[1]).toBe(answer.requestIds[0])
  })

  test('refuses every header that is not the key of an environment', async () => {
    const { key } = tenant
    const digits = key.slice('tl_dev_'.length)
    const headers = [
      '',
      'Bearer',
      'Bearer ',
      key,
      `Basic ${key}`,
      `Basic ${Buffer.from(`${key}:`).toString('base64')}`,
      `Token ${key}`,
      `Bearer${key}`,
      `Bearer:${key}`,
      `Bearer ${key} ${key}`,
      `Bearer ${key}, Bearer ${key}`,
      `Bearer "${key}"`,
      `Bearer ${key.slice(0, -1)}`,
      `Bearer ${key}0`,
      `Bearer ${key.toUpperCase()}`,
      `Bearer tl_prod_${digits}`,
      `Bearer ${digits}`,
      `Bearer ${key.slice(0, 16)}`,
      `Bearer ${hashApiKey(key)}`,
      `Bearer tl_dev_${hashApiKey(key).slice(0, 48)}`,
      `Bearer ${generateApiKey('development')}`,
      `Bearer ${generateApiKey('production')}`,
      `Bearer ' OR '1'='1`,
      'Bearer null',
      'Bearer undefined',
      `Bearer ${'a'.repeat(8000)}`,
      'Bearer \u00e9\u00ff',
    ]
    for (const header of headers)
      expect(await ask(question, header), header).toMatchObject({ ...REFUSED, data: undefined })
  })

  test('refuses a key from the moment that it is revoked', async () => {
    for (let round = 0; round < 20; round++) {
      const key = await newKey()
      expect(await ask(question, `Bearer ${key}`)).toMatchObject({ status: 200 })
      expect(await service.access.revokeKey(key)).toBe(true)
      expect(await ask(question, `Bearer ${key}`), `round ${round}`).toMatchObject(REFUSED)
      expect(await service.access.revokeKey(key)).toBe(false)
    }
    expect(await ask(question, `Bearer ${tenant.key}`)).toMatchObject({ status: 200 })
  })
})

describe('another process', () => {
  let other: Awaited<ReturnType<typeof openServer>>
  let key: string

  beforeEach(async () => {
    other = await openServer(service.url)
    key = await newKey()
    // Asked twice, it remembers: the answer does not come from the database.
    for (const _first of [true, false])
      expect(await ask('REST', `Bearer ${key}`, other.server)).toMatchObject({ status: 200 })
    other.takeStatements()
    expect(await ask('REST', `Bearer ${key}`, other.server)).toMatchObject({ status: 200 })
    expect(other.takeStatements().join()).not.toContain('api_keys')
  })
  afterEach(() => other.stop())

  const statusThere = async (): Promise<number> =>
    (await ask('REST', `Bearer ${key}`, other.server)).status

  test('refuses a key that is revoked here', async () => {
    await service.access.revokeKey(key)
    await expect.poll(statusThere, DEADLINE).toBe(401)
    expect(await ask('GraphQL', `Bearer ${key}`, other.server)).toMatchObject(REFUSED)
  })

  test.each([
    ['revoked', 'UPDATE api_keys SET revoked_at = now() WHERE hash = $1'],
    ['deleted', 'DELETE FROM api_keys WHERE hash = $1'],
    ['replaced', "UPDATE api_keys SET hash = repeat('0', 64) WHERE hash = $1"],
  ])('refuses a key whose row is %s by hand', async (_how, sql) => {
    const hand = new pg.Client({ connectionString: service.url })
    await hand.connect()
    await hand.query(sql, [hashApiKey(key)])
    await hand.end()
    await expect.poll(statusThere, DEADLINE).toBe(401)
    await expect.poll(async () => (await ask('REST', `Bearer ${key}`)).status, DEADLINE).toBe(401)
  })

  test('forgets a credential that is deleted by hand', async () => {
    const id = 'dddddddd-0000-4000-8000-000000000004'
    const url = `/2024-03/one/crm/accounts?credentialId=${id}`
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
    const status = async (server: FastifyInstance): Promise<number> =>
      (await server.inject({ url, headers: { authorization: `Bearer ${key}` } })).statusCode
    for (const { server } of [service, other]) expect(await status(server)).toBe(200)
    await service.database.prisma.$executeRaw`DELETE FROM credentials WHERE id = ${id}::uuid`
    for (const { server } of [service, other])
      await expect.poll(() => status(server), DEADLINE).toBe(404)
  })
})

describe('while announcements are not heard', () => {
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

  test('nothing is remembered: a revoked key is refused, and is when they are heard again', async () => {
    const revoked = await newKey()
    const kept = await newKey()
    const ofOther = (key: string) => ask('REST', `Bearer ${key}`, other.server)
    for (const key of [revoked, kept]) expect((await ofOther(key)).status).toBe(200)

    // Neither server can dial again; what both have open stays open.
    await control.query(`ALTER DATABASE "${name()}" ALLOW_CONNECTIONS false`)
    const { rows } = await control.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'LISTEN%'`,
      [name()],
    )
    expect(rows).toHaveLength(2)
    await service.database.prisma
      .$executeRaw`UPDATE api_keys SET revoked_at = now() WHERE hash = ${hashApiKey(revoked)}`
    await expect.poll(async () => (await ofOther(revoked)).status, DEADLINE).toBe(401)

    other.takeStatements()
    for (const _again of [1, 2, 3]) expect((await ofOther(kept)).status).toBe(200)
    const lookups = other.takeStatements().filter((statement) => statement.includes('api_keys'))
    expect(lookups).toHaveLength(3)

    await control.query(`ALTER DATABASE "${name()}" ALLOW_CONNECTIONS true`)
    const asksNoMore = async (): Promise<boolean> => {
      other.takeStatements()
      expect((await ofOther(kept)).status).toBe(200)
      return !other.takeStatements().join().includes('api_keys')
    }
    await expect.poll(asksNoMore, DEADLINE).toBe(true)
    expect((await ofOther(revoked)).status).toBe(401)
    await service.access.revokeKey(kept)
    await expect.poll(async () => (await ofOther(kept)).status, DEADLINE).toBe(401)
  })

  test('an answer that was under way is not remembered once they are heard', async () => {
    const key = await newKey()
    const read = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const { prisma } = service.database
    const slow = {
      ...service.database,
      // The one method that keyOwner calls, held up between the row and the answer.
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
    const notices = createNotices(service.url)
    const access = createAccess(slow, notices)
    const underWay = access.keyOwner(key)
    await read.promise
    await service.access.revokeKey(key)
    await notices.start()
    release.resolve()
    expect(await underWay).toMatchObject({ environmentId: tenant.environmentId })
    expect(await access.keyOwner(key)).toBe(undefined)
    await notices.stop()
  })
})

test('of a key the database holds a hash and the first letters, nowhere the key', async () => {
  await service.rest(tenant.key, `/crm/accounts?credentialId=${CREDENTIAL}`)
  const { prisma } = service.database
  const tables = await prisma.$queryRaw<{ place: string }[]>`
    SELECT format('%I.%I', table_schema, table_name) AS place FROM information_schema.tables
    WHERE table_schema NOT IN ('pg_catalog', 'information_schema') AND table_type = 'BASE TABLE'`
  expect(tables.map(({ place }) => place)).toContain('public.api_keys')
  expect(tables.map(({ place }) => place)).toContain('change_log.changes')
  let dump = ''
  for (const { place } of tables) {
    const rows = await prisma.$queryRawUnsafe<{ text: string }[]>(
      `SELECT t::text AS text FROM ${place} t`,
    )
    dump += rows.map(({ text }) => text).join('\n')
  }
  expect(dump).toContain(hashApiKey(tenant.key))
  expect(dump).toContain(tenant.key.slice(0, 16))
  expect(dump).not.toContain(tenant.key.slice(0, 17))
  expect(dump).not.toContain(tenant.key.slice(16, 32))
})

test('no key is logged, right or wrong, whatever the failure', async () => {
  const lines: string[] = []
  const log = pino(
    { level: 'trace' },
    new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk))
        done()
      },
    }),
  )
  const logged = await openServer(service.url, { log })
  const wrong = generateApiKey('development')
  for (const key of [tenant.key, wrong]) {
    const headers = { authorization: `Bearer ${key}` }
    for (const url of [
      `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`,
      '/2024-03/one/crm/accounts?credentialId=none',
      `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}&key=${key}`,
      '/nowhere',
      '/%ff',
      '/graphql?query={x}',
    ])
      await logged.server.inject({ url, headers })
    await logged.server.inject({ url: '/graphql', method: 'POST', headers, payload: '{' })
  }
  // An unexpected failure is logged with its error: the table is gone.
  const rename = (from: string, to: string) =>
    service.database.prisma.$executeRawUnsafe(`ALTER TABLE ${from} RENAME TO ${to}`)
  await rename('api_keys', 'api_keys_away')
  const failed = await logged.server.inject({
    url: `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`,
    headers: { authorization: `Bearer ${wrong}` },
  })
  await rename('api_keys_away', 'api_keys')
  await logged.stop()
  expect(failed.statusCode).toBe(500)
  const text = lines.join('')
  expect(text).toContain(String(failed.headers['x-request-id']))
  expect(lines.length).toBeGreaterThan(10)
  for (const key of [tenant.key, wrong]) {
    expect(text).not.toContain(key.slice(7))
    expect(text).not.toContain(hashApiKey(key))
  }
})

describe('with GraphiQL', () => {
  let open: TestService
  beforeAll(async () => {
    open = await startService({ graphiql: true })
  })
  afterAll(() => open.stop())

  test('the schema can be read without a key, and nothing else', async () => {
    const schema = await open.graphql(undefined, '{ __schema { queryType { name } } }')
    expect(schema).toMatchObject({
      status: 200,
      data: { __schema: { queryType: { name: 'Query' } } },
    })
    for (const query of [
      `{ crmAccounts(credentialId: "${CREDENTIAL}") { nodes { id } } }`,
      `{ __schema { queryType { name } } crmAccounts(credentialId: "${CREDENTIAL}") { nodes { id } } }`,
      `{ __typename node(id: "${CREDENTIAL}") { id } }`,
      `query A { __typename } query B { node(id: "${CREDENTIAL}") { id } }`,
      `fragment F on Query { node(id: "${CREDENTIAL}") { id } } { ...F }`,
      `{ ... { node(id: "${CREDENTIAL}") { id } } }`,
      `{ __alias: node(id: "${CREDENTIAL}") { id } }`,
    ]) {
      const answer = await open.graphql(undefined, query)
      expect(answer.data ?? undefined, query).toBe(undefined)
      expect(answer.status, query).toBeGreaterThanOrEqual(400)
    }
  })

  test('a wrong key is refused even for the schema', async () => {
    const { status, errors } = await open.graphql(
      generateApiKey('development'),
      '{ __schema { queryType { name } } }',
    )
    expect([status, errors[0]?.extensions.code]).toEqual([401, 'UNAUTHENTICATED'])
  })

  test('without it nothing is shown to who has no key', async () => {
    const { status, data } = await service.graphql(undefined, '{ __schema { queryType { name } } }')
    expect([status, data]).toEqual([401, undefined])
  })
})
