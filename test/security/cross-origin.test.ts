/** Pages of another origin: allowed where user tokens are, and at no other address. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const ORIGIN = 'https://app.example.com'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService({ graphiql: true })
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS'

const send = (method: Method, url: string, headers = {}, at = service) =>
  at.server.inject({ method, url, headers: { origin: ORIGIN, ...headers } })

const sendPreflight = (method: Method, url: string, at = service) =>
  send('OPTIONS', url, { 'access-control-request-method': method }, at)

const corsHeadersIn = (headers: object): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

const urlOf = (path: string): string => path.replace(/:\w+/g, 'x')

const isForUsers = ({ callers }: (typeof operations)[number]): boolean => callers.includes('user')
const userRoutes = operations.filter(isForUsers).map(({ rest }) => rest)

describe('an operation that accepts user tokens', () => {
  test.each(userRoutes.map(({ method, path }) => [method, path] as const))(
    '%s %s lets a page send requests and read the responses',
    async (method, path) => {
      const allowed = await sendPreflight(method, urlOf(path))
      expect([allowed.statusCode, allowed.body]).toEqual([204, ''])
      expect(allowed.headers['access-control-allow-origin']).toBe('*')
      expect(String(allowed.headers['access-control-allow-methods']).split(', ')).toContain(method)
      expect(allowed.headers['access-control-allow-headers']).toMatch(
        /^authorization,.*traceparent/,
      )
      // The request is rejected before any work, and the page can read the reason.
      const refused = await send(method, urlOf(path))
      expect(refused.statusCode).toBe(401)
      expect(refused.headers['access-control-allow-origin']).toBe('*')
      expect(refused.headers['cross-origin-resource-policy']).toBe('cross-origin')
      expect(refused.headers['access-control-allow-credentials']).toBeUndefined()
    },
  )

  test('lets a page read every kind of error', async () => {
    const limited = await startService({ requestsPerMinute: 3 })
    const { environmentId, userId } = await limited.createTenant('development', [])
    const { token } = await limited.tokens.issue({ environmentId, userId })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const responses = [
      await send('GET', '/2024-03/integrations/x', headers, limited),
      await send('GET', '/2024-03/integrations?no=1', headers, limited),
      await limited.server.inject({
        url: '/2024-03/headless/startInstallation',
        method: 'POST',
        headers: { ...headers, origin: ORIGIN },
        payload: 'x'.repeat(2 * 1024 * 1024),
      }),
      await send('GET', '/2024-03/integrations', headers, limited),
    ]
    await limited.stop()
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([404, 400, 413, 429])
    for (const response of responses) {
      expect(response.headers['access-control-allow-origin']).toBe('*')
      expect(response.headers['access-control-expose-headers']).toContain('retry-after')
      // A rate limit error has the same headers as every other response.
      expect(response.headers['content-security-policy']).toContain("default-src 'none'")
    }
  })

  test('answers any number of preflight requests', async () => {
    const limited = await startService({ requestsPerMinute: 2 })
    for (let n = 0; n < 10; n++)
      expect((await sendPreflight('GET', '/2024-03/integrations', limited)).statusCode).toBe(204)
    // Preflight requests are not counted; the requests after them are.
    for (const status of [401, 401, 429])
      expect((await send('GET', '/2024-03/integrations', {}, limited)).statusCode).toBe(status)
    await limited.stop()
  })
})

describe('any other address', () => {
  const otherRoutes: readonly (readonly [Method, string])[] = [
    ...operations
      .filter((operation) => !isForUsers(operation))
      .map(({ rest }) => [rest.method, urlOf(rest.path)] as const),
    ...catalogue.resources.flatMap(({ restPath }) =>
      ['', '/count', '/aggregate', '/x'].map(
        (rest) => ['GET', `/2024-03/one${restPath}${rest}`] as const,
      ),
    ),
    ...(['GET', 'POST', 'OPTIONS'] as const).map((method) => [method, '/graphql'] as const),
    ...['/health', '/ready', '/docs', '/openapi.json', '/none'].map((url) => ['GET', url] as const),
    ['PATCH', '/2024-03/integrations'],
  ]

  test.each(otherRoutes)('%s %s sends no CORS headers', async (method, url) => {
    for (const authorization of [undefined, `Bearer ${tenant.key}`]) {
      const response = await send(method, url, authorization && { authorization })
      expect(corsHeadersIn(response.headers)).toEqual([])
      expect(response.headers['cross-origin-resource-policy']).toBe('same-origin')
    }
    // Where another method of the address is open, only that method is allowed.
    const { headers } = await sendPreflight(method, url)
    expect(String(headers['access-control-allow-methods']).split(', ')).not.toContain(method)
  })
})
