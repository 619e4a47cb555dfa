/** Pages of another origin: they reach what user tokens open, and no other address answers them. */
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

const ask = (method: Method, url: string, headers = {}, at = service) =>
  at.server.inject({ method, url, headers: { origin: ORIGIN, ...headers } })

const preflight = (method: Method, url: string, at = service) =>
  ask('OPTIONS', url, { 'access-control-request-method': method }, at)

const crossOrigin = (headers: object): string[] =>
  Object.keys(headers).filter((name) => name.startsWith('access-control-'))

const urlOf = (path: string): string => path.replace(/:\w+/g, 'x')

const isForUsers = ({ callers }: (typeof operations)[number]): boolean => callers.includes('user')
const opened = operations.filter(isForUsers).map(({ rest }) => rest)

describe('an operation that user tokens open', () => {
  test.each(opened.map(({ method, path }) => [method, path] as const))(
    '%s %s lets a page ask, and read what it is told',
    async (method, path) => {
      const leave = await preflight(method, urlOf(path))
      expect([leave.statusCode, leave.body]).toEqual([204, ''])
      expect(leave.headers['access-control-allow-origin']).toBe('*')
      expect(String(leave.headers['access-control-allow-methods']).split(', ')).toContain(method)
      expect(leave.headers['access-control-allow-headers']).toContain('authorization')
      // Refused before anything else: the page can read why.
      const refused = await ask(method, urlOf(path))
      expect(refused.statusCode).toBe(401)
      expect(refused.headers['access-control-allow-origin']).toBe('*')
      expect(refused.headers['cross-origin-resource-policy']).toBe('cross-origin')
      expect(refused.headers['access-control-allow-credentials']).toBeUndefined()
    },
  )

  test('lets a page read a refusal of every kind', async () => {
    const limited = await startService({ requestsPerMinute: 3 })
    const { environmentId, userId } = await limited.createTenant('development', [])
    const { token } = await limited.tokens.issue({ environmentId, userId })
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const answers = [
      await ask('GET', '/2024-03/integrations/x', headers, limited),
      await ask('GET', '/2024-03/integrations?no=1', headers, limited),
      await limited.server.inject({
        url: '/2024-03/headless/startInstallation',
        method: 'POST',
        headers: { ...headers, origin: ORIGIN },
        payload: 'x'.repeat(2 * 1024 * 1024),
      }),
      await ask('GET', '/2024-03/integrations', headers, limited),
    ]
    await limited.stop()
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([404, 400, 413, 429])
    for (const answer of answers) {
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(answer.headers['access-control-expose-headers']).toContain('retry-after')
      // A refusal by the limit is as guarded as every other answer.
      expect(answer.headers['content-security-policy']).toContain("default-src 'none'")
    }
  })

  test('is asked for leave as often as a browser likes', async () => {
    const limited = await startService({ requestsPerMinute: 2 })
    for (let n = 0; n < 10; n++)
      expect((await preflight('GET', '/2024-03/integrations', limited)).statusCode).toBe(204)
    // Leave is not counted; what is then asked is.
    for (const status of [401, 401, 429])
      expect((await ask('GET', '/2024-03/integrations', {}, limited)).statusCode).toBe(status)
    await limited.stop()
  })
})

describe('no other address', () => {
  const closed: readonly (readonly [Method, string])[] = [
    ...operations
      .filter((operation) => !isForUsers(operation))
      .map(({ rest }) => [rest.method, urlOf(rest.path)] as const),
    ...catalogue.resources.flatMap(({ restPath }) =>
      ['', '/count', '/x'].map((rest) => ['GET', `/2024-03/one${restPath}${rest}`] as const),
    ),
    ...(['GET', 'POST', 'OPTIONS'] as const).map((method) => [method, '/graphql'] as const),
    ...['/health', '/ready', '/docs', '/openapi.json', '/none'].map((url) => ['GET', url] as const),
    ['PATCH', '/2024-03/integrations'],
  ]

  test.each(closed)('%s %s answers a page', async (method, url) => {
    for (const authorization of [undefined, `Bearer ${tenant.key}`]) {
      const answer = await ask(method, url, authorization && { authorization })
      expect(crossOrigin(answer.headers)).toEqual([])
      expect(answer.headers['cross-origin-resource-policy']).toBe('same-origin')
    }
    // Where another method of the address is open, leave is given for that one alone.
    const { headers } = await preflight(method, url)
    expect(String(headers['access-control-allow-methods']).split(', ')).not.toContain(method)
  })
})
