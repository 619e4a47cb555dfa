/** Guessing: keys that are not good are counted by address, whatever asks, and good ones are let in past it. */
import { once } from 'node:events'
import { afterEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { generateApiKey } from '../../src/api-key.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'eeeeeeee-0000-4000-8000-000000000001'
const LIMIT = 4
const RECORDS = `/2024-03/one/crm/accounts?credentialId=${CREDENTIAL}`

let service: TestService
let tenant: Tenant
const start = async (options: { trustedProxies?: number; requestsPerMinute?: number } = {}) => {
  service = await startService({ authFailuresPerMinute: LIMIT, ...options })
  tenant = await service.createTenant('development', [CREDENTIAL])
}
afterEach(() => service.stop())

const wrong = (): string => `Bearer ${generateApiKey('development')}`

interface Ask {
  readonly authorization?: string | undefined
  readonly forwarded?: string
  readonly from?: string
}

/** The status of a question for records. */
const ask = async ({ authorization = wrong(), forwarded, from = '192.0.2.1' }: Ask = {}) => {
  const { statusCode } = await service.server.inject({
    url: RECORDS,
    remoteAddress: from,
    headers: { authorization, ...(forwarded && { 'x-forwarded-for': forwarded }) },
  })
  return statusCode
}

/** As many as the address has, and one more. */
const exhaust = async (asks: (n: number) => Ask = () => ({})): Promise<readonly number[]> => {
  const statuses: number[] = []
  for (let n = 0; n <= LIMIT; n++) statuses.push(await ask(asks(n)))
  return statuses
}
const refusedAtLast = [...Array(LIMIT).fill(401), 429]
const neverRefused = Array(LIMIT + 1).fill(401)

test('past the limit a wrong key is answered 429, with when to try again; a good one is let in', async () => {
  await start()
  const first = await service.server.inject({
    url: RECORDS,
    headers: { authorization: wrong() },
  })
  expect(first.statusCode).toBe(401)
  expect(first.headers['ratelimit-policy']).toBe(`"authentication";q=${LIMIT};w=60`)
  expect(first.headers.ratelimit).toMatch(`"authentication";r=${LIMIT - 1};t=`)
  for (let n = 1; n < LIMIT; n++) await ask({ from: '127.0.0.1' })
  const refused = await service.server.inject({
    url: RECORDS,
    headers: { authorization: wrong() },
  })
  expect(refused.statusCode).toBe(429)
  expect(refused.json().error.code).toBe('RATE_LIMITED')
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.headers.ratelimit).toMatch('"authentication";r=0;t=')
  const good = await service.send(tenant.key, 'GET', RECORDS)
  expect(good.statusCode).toBe(200)
  expect(good.headers.ratelimit).toBeUndefined()
  // Another address has all of its own.
  expect(await ask({ from: '192.0.2.2' })).toBe(401)
})

test('every way in shares the count: REST, GraphQL, event streams, user tokens, no key at all', async () => {
  await start()
  const ways = [
    { url: RECORDS, headers: { authorization: 'Basic eDp5' } },
    { url: '/2023-12/users', method: 'POST' as const, headers: { authorization: 'Bearer a.b.c' } },
    { url: '/graphql', headers: {} },
    {
      url: '/graphql?query=subscription{changes{topic}}',
      headers: { authorization: wrong(), accept: 'text/event-stream' },
    },
  ]
  const statuses = async () =>
    Promise.all(ways.map(async (way) => (await service.server.inject(way)).statusCode))
  expect(await statuses()).toEqual([401, 401, 401, 401])
  expect(await statuses()).toEqual([429, 429, 429, 429])
  // What is open to all is not a way in.
  const health = await service.server.inject({
    url: '/health',
    headers: { authorization: wrong() },
  })
  expect(health.statusCode).toBe(200)
})

test('a user token that has expired is told so, past the limit too, and is no failure', async () => {
  await start()
  const { environmentId, userId } = tenant
  const { token } = await service.tokens.issue({ environmentId, userId })
  const expired = async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * 3_600_000 })
    try {
      return await ask({ authorization: `Bearer ${token}` })
    } finally {
      vi.useRealTimers()
    }
  }
  for (let n = 0; n <= LIMIT; n++) expect(await expired()).toBe(401)
  expect(await exhaust()).toEqual(refusedAtLast)
  expect(await expired()).toBe(401)
})

test('an invented key has no requests of its own: it shares those of its address', async () => {
  await start({ requestsPerMinute: 3 })
  expect([await ask(), await ask(), await ask(), await ask()]).toEqual([401, 401, 401, 429])
  const { statusCode } = await service.send(tenant.key, 'GET', RECORDS)
  expect(statusCode).toBe(200)
})

test('all tokens of one end user share one count', async () => {
  await start({ requestsPerMinute: 2 })
  const { environmentId, userId } = tenant
  const statuses: number[] = []
  for (let n = 0; n < 3; n++) {
    const { token } = await service.tokens.issue({ environmentId, userId })
    statuses.push((await service.send(token, 'GET', '/2024-03/integrations')).statusCode)
  }
  expect(statuses).toEqual([200, 200, 429])
})

test('an IPv6 address counts as its /64, and one that holds an IPv4 address as that', async () => {
  await start()
  expect(await exhaust((n) => ({ from: `2001:db8:1:2:${n}::1` }))).toEqual(refusedAtLast)
  expect(await exhaust((n) => ({ from: `2001:db8:1:${n + 3}::1` }))).toEqual(neverRefused)
  expect(await exhaust(() => ({ from: '::ffff:192.0.2.7' }))).toEqual(refusedAtLast)
  expect(await ask({ from: '192.0.2.7' })).toBe(429)
})

test('X-Forwarded-For counts for nothing unless proxies are trusted', async () => {
  await start()
  expect(await exhaust((n) => ({ forwarded: `198.51.100.${n}` }))).toEqual(refusedAtLast)
})

test('of X-Forwarded-For, what the trusted proxies have added counts, and not what stands before it', async () => {
  await start({ trustedProxies: 2 })
  const through = (invented: string, caller: string) => ({
    forwarded: `${invented}, ${caller}, 10.0.0.1`,
  })
  expect(await exhaust((n) => through(`203.0.113.${n}`, '198.51.100.1'))).toEqual(refusedAtLast)
  expect(await exhaust((n) => through('203.0.113.1', `198.51.100.${n + 2}`))).toEqual(neverRefused)
  // Past the proxies, or with what is no address: whoever opened the connection.
  expect(await exhaust((n) => ({ forwarded: `203.0.113.${n}` }))).toEqual(refusedAtLast)
  expect(await ask({ forwarded: 'unknown, unknown' })).toBe(429)
})

test('a socket that shows a wrong key is closed with 4401, then 4429; a good key is let in', async () => {
  await start()
  const address = await service.server.listen({ port: 0, host: '127.0.0.1' })
  const open = async (authorization: string) => {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    socket.send(JSON.stringify({ type: 'connection_init', payload: { authorization } }))
    const heard = await Promise.race([
      once(socket, 'message').then(([text]) => JSON.parse(String(text)).type),
      once(socket, 'close').then(([code, reason]) => `${code} ${reason}`),
    ])
    socket.terminate()
    return heard
  }
  for (let n = 0; n < LIMIT; n++) expect(await open(wrong())).toBe('4401 Unauthorized')
  expect(await open(wrong())).toBe('4429 Too many failed authentications')
  expect(await ask({ from: '127.0.0.1' })).toBe(429)
  expect(await open(`Bearer ${tenant.key}`)).toBe('connection_ack')
})
