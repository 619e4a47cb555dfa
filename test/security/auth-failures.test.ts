/** Guessed keys: failures are counted by address over every way in; a valid key is accepted past the limit. */
import { once } from 'node:events'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { createKey } from '../support/keys.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'eeeeeeee-0000-4000-8000-000000000001'
const MAX_FAILURES = 4
const RECORDS = `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`

let service: TestService
let tenant: Tenant
const start = async (options: { trustedProxies?: number; requestsPerMinute?: number } = {}) => {
  service = await startService({ authFailuresPerMinute: MAX_FAILURES, ...options })
  tenant = await service.createTenant('development', [CREDENTIAL])
}
afterEach(() => service.stop())

const createWrongBearer = (): string => `Bearer ${generateApiKey('development')}`

interface Attempt {
  readonly authorization?: string | undefined
  readonly forwarded?: string
  readonly from?: string
}

/** Requests a list of records. @returns the status */
const requestRecords = async ({
  authorization = createWrongBearer(),
  forwarded,
  from = '192.0.2.1',
}: Attempt = {}) => {
  const { statusCode } = await service.server.inject({
    url: RECORDS,
    remoteAddress: from,
    headers: { authorization, ...(forwarded && { 'x-forwarded-for': forwarded }) },
  })
  return statusCode
}

/** Sends as many requests as the limit of the address allows, and one more. */
const exceedLimit = async (
  attempt: (n: number) => Attempt = () => ({}),
): Promise<readonly number[]> => {
  const statuses: number[] = []
  for (let n = 0; n <= MAX_FAILURES; n++) statuses.push(await requestRecords(attempt(n)))
  return statuses
}
const refusedAtLast = [...Array(MAX_FAILURES).fill(401), 429]
const neverRefused = Array(MAX_FAILURES + 1).fill(401)

test('past the limit a wrong key gets 429 with Retry-After; a valid key is accepted', async () => {
  await start()
  const first = await service.server.inject({
    url: RECORDS,
    headers: { authorization: createWrongBearer() },
  })
  expect(first.statusCode).toBe(401)
  expect(first.headers['ratelimit-policy']).toBe(`"authentication";q=${MAX_FAILURES};w=60`)
  expect(first.headers.ratelimit).toMatch(`"authentication";r=${MAX_FAILURES - 1};t=`)
  for (let n = 1; n < MAX_FAILURES; n++) await requestRecords({ from: '127.0.0.1' })
  const refused = await service.server.inject({
    url: RECORDS,
    headers: { authorization: createWrongBearer() },
  })
  expect(refused.statusCode).toBe(429)
  expect(refused.json().error.code).toBe('RATE_LIMITED')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers.ratelimit).toMatch('"authentication";r=0;t=')
  const good = await service.send(tenant.key, 'GET', RECORDS)
  expect(good.statusCode).toBe(200)
  expect(good.headers.ratelimit).toBeUndefined()
  // Another address has a limit of its own.
  expect(await requestRecords({ from: '192.0.2.2' })).toBe(401)
})

test('REST, GraphQL, event streams, user tokens and missing keys share one count', async () => {
  await start()
  const entries = [
    { url: RECORDS, headers: { authorization: 'Basic eDp5' } },
    { url: '/2023-12/users', method: 'POST' as const, headers: { authorization: 'Bearer a.b.c' } },
    { url: '/graphql', headers: {} },
    {
      url: '/graphql?query=subscription{changes{topic}}',
      headers: { authorization: createWrongBearer(), accept: 'text/event-stream' },
    },
  ]
  const listStatuses = async () =>
    Promise.all(entries.map(async (entry) => (await service.server.inject(entry)).statusCode))
  expect(await listStatuses()).toEqual([401, 401, 401, 401])
  expect(await listStatuses()).toEqual([429, 429, 429, 429])
  // Public addresses are not counted.
  const health = await service.server.inject({
    url: '/health',
    headers: { authorization: createWrongBearer() },
  })
  expect(health.statusCode).toBe(200)
})

test('an expired user token is reported as expired, past the limit too, and does not count as a failure', async () => {
  await start()
  const { environmentId, userId } = tenant
  const { token } = await service.tokens.issue({ environmentId, userId })
  const laterMs = service.clock.nowMs() + 2 * 3_600_000
  const createExpiredToken = async () => {
    const clock = vi.spyOn(service.clock, 'nowMs').mockReturnValue(laterMs)
    try {
      return await requestRecords({ authorization: `Bearer ${token}` })
    } finally {
      clock.mockRestore()
    }
  }
  for (let n = 0; n <= MAX_FAILURES; n++) expect(await createExpiredToken()).toBe(401)
  expect(await exceedLimit()).toEqual(refusedAtLast)
  expect(await createExpiredToken()).toBe(401)
})

test('an invented key has no request limit of its own: it shares that of its address', async () => {
  await start({ requestsPerMinute: 3 })
  expect([
    await requestRecords(),
    await requestRecords(),
    await requestRecords(),
    await requestRecords(),
  ]).toEqual([401, 401, 401, 429])
  const { statusCode } = await service.send(tenant.key, 'GET', RECORDS)
  expect(statusCode).toBe(200)
})

test('all tokens of one end user share one request limit', async () => {
  await start({ requestsPerMinute: 2 })
  const { environmentId, userId } = tenant
  const statuses: number[] = []
  for (let n = 0; n < 3; n++) {
    const { token } = await service.tokens.issue({ environmentId, userId })
    statuses.push((await service.send(token, 'GET', '/2024-03/integrations')).statusCode)
  }
  expect(statuses).toEqual([200, 200, 429])
})

test('an IPv6 address counts as its /64, and an IPv4-mapped address as the IPv4 address', async () => {
  await start()
  expect(await exceedLimit((n) => ({ from: `2001:db8:1:2:${n}::1` }))).toEqual(refusedAtLast)
  expect(await exceedLimit((n) => ({ from: `2001:db8:1:${n + 3}::1` }))).toEqual(neverRefused)
  expect(await exceedLimit(() => ({ from: '::ffff:192.0.2.7' }))).toEqual(refusedAtLast)
  expect(await requestRecords({ from: '192.0.2.7' })).toBe(429)
})

test('X-Forwarded-For is ignored unless proxies are trusted', async () => {
  await start()
  expect(await exceedLimit((n) => ({ forwarded: `198.51.100.${n}` }))).toEqual(refusedAtLast)
})

test('only the entries of X-Forwarded-For that trusted proxies added count', async () => {
  await start({ trustedProxies: 2 })
  const forwardedBy = (invented: string, caller: string) => ({
    forwarded: `${invented}, ${caller}, 10.0.0.1`,
  })
  expect(await exceedLimit((n) => forwardedBy(`203.0.113.${n}`, '198.51.100.1'))).toEqual(
    refusedAtLast,
  )
  expect(await exceedLimit((n) => forwardedBy('203.0.113.1', `198.51.100.${n + 2}`))).toEqual(
    neverRefused,
  )
  // With fewer entries than proxies, or with an invalid address, the peer's address counts.
  expect(await exceedLimit((n) => ({ forwarded: `203.0.113.${n}` }))).toEqual(refusedAtLast)
  expect(await requestRecords({ forwarded: 'unknown, unknown' })).toBe(429)
})

test('a socket with a wrong key is closed with 4401, past the limit with 4429; a valid key is accepted', async () => {
  await start()
  const address = await service.server.listen({ port: 0, host: '127.0.0.1' })
  const open = async (authorization: string) => {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }))
    const closed = await Promise.race([
      once(socket, 'message').then(([text]) => JSON.parse(String(text)).type),
      once(socket, 'close').then(([code, reason]) => `${code} ${reason}`),
    ])
    socket.terminate()
    return closed
  }
  for (let n = 0; n < MAX_FAILURES; n++)
    expect(await open(createWrongBearer())).toBe('4401 Unauthorized')
  expect(await open(createWrongBearer())).toBe('4429 Too many failed authentications')
  expect(await requestRecords({ from: '127.0.0.1' })).toBe(429)
  expect(await open(`Bearer ${tenant.key}`)).toBe('connection_ack')
})

describe('past the limit', () => {
  /** Counts the statements on keys and users during `run`, and measures its seconds. */
  const countLookups = async (run: () => Promise<unknown>) => {
    service.takeStatements()
    const startedMs = performance.now()
    await run()
    const statements = service.takeStatements().filter((sql) => /api_keys|end_users/.test(sql))
    return { count: statements.length, seconds: (performance.now() - startedMs) / 1000 }
  }

  test('unknown keys are not looked up one by one', async () => {
    await start()
    expect(await exceedLimit()).toEqual(refusedAtLast)
    const { count, seconds } = await countLookups(async () => {
      for (let n = 0; n < 200; n++) expect(await requestRecords()).toBe(429)
    })
    // All keys are read at most once a second.
    expect(count).toBeLessThanOrEqual(1 + Math.ceil(seconds))
  })

  test('a valid key that this process has never seen is accepted, a revoked one is not', async () => {
    await start()
    expect(await exceedLimit()).toEqual(refusedAtLast)
    const authorization = `Bearer ${tenant.key}`
    expect(await requestRecords({ authorization })).toBe(200)
    const later = await createKey(service.database, tenant.environmentId)
    // All keys are read at most once a second.
    await expect.poll(() => requestRecords({ authorization: `Bearer ${later}` })).toBe(200)
    await service.database.prisma.apiKey.updateMany({ data: { revokedAt: new Date() } })
    await expect.poll(() => requestRecords({ authorization })).toBe(429)
  })

  test('the token of a deleted user is looked up once', async () => {
    await start()
    const { environmentId, userId } = tenant
    const { token } = await service.tokens.issue({ environmentId, userId })
    await service.database.prisma.credential.deleteMany()
    await service.database.prisma.endUser.deleteMany()
    const authorization = `Bearer ${token}`
    const { count } = await countLookups(async () => {
      for (let n = 0; n < 50; n++) await requestRecords({ authorization })
    })
    expect(count).toBe(1)
  })
})

test('a wrong key also counts on a route that needs no key', async () => {
  await start()
  for (let n = 0; n < MAX_FAILURES; n++) {
    const open = {
      url: '/health',
      remoteAddress: '192.0.2.1',
      headers: { authorization: createWrongBearer() },
    }
    expect((await service.server.inject(open)).statusCode).toBe(200)
  }
  expect(await requestRecords()).toBe(429)
})
