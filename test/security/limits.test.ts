/** Rate limits, browser security headers, and the methods of each address. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'eeeeeeee-0000-4000-8000-000000000001'
const REQUESTS_PER_MINUTE = 5

let addresses = 0
/** Each call returns an address that has not sent a request yet. */
const nextAddress = (): string => `192.0.2.${++addresses}`

let limited: TestService
let tenant: Tenant

beforeAll(async () => {
  limited = await startService({ requestsPerMinute: REQUESTS_PER_MINUTE })
  tenant = await limited.createTenant('development', [CREDENTIAL])
})
afterAll(() => limited.stop())

test('a caller’s requests are counted over both transports together and then rejected', async () => {
  const path = `/crm/accounts?credentialId=${CREDENTIAL}`
  for (let remaining = REQUESTS_PER_MINUTE - 1; remaining > 0; remaining--) {
    const response = await limited.rest(tenant.key, path)
    expect(response.statusCode).toBe(200)
    expect(response.headers['ratelimit-policy']).toBe(`"caller";q=${REQUESTS_PER_MINUTE};w=60`)
    expect(response.headers.ratelimit).toMatch(new RegExp(`^"caller";r=${remaining};t=\\d+$`))
  }
  expect((await limited.graphql(tenant.key, '{ __typename }')).status).toBe(200)
  const refused = await limited.rest(tenant.key, path)
  expect(refused.statusCode).toBe(429)
  expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
  expect(refused.json().error.code).toBe('RATE_LIMITED')
  const graph = await limited.graphql(tenant.key, '{ __typename }')
  expect(graph.status).toBe(429)
  expect(graph.errors[0]?.extensions.code).toBe('RATE_LIMITED')
  // The requests of another caller are counted separately.
  const other = await limited.createTenant('production', [])
  expect((await limited.graphql(other.key, '{ __typename }')).status).toBe(200)
})

describe('every response', () => {
  test.each(['/health', '/openapi.json', '/2024-03/one/crm/accounts', '/none', '/graphql'])(
    '%s has the headers that keep a browser from interpreting it',
    async (url) => {
      const { headers } = await limited.server.inject({
        url,
        remoteAddress: nextAddress(),
      })
      expect(headers['x-content-type-options']).toBe('nosniff')
      expect(headers['content-security-policy']).toContain("default-src 'none'")
      expect(headers['referrer-policy']).toBe('no-referrer')
      expect(headers['access-control-allow-origin']).toBeUndefined()
    },
  )
})

test.each([
  ['PATCH', '/2024-03/one/crm/accounts', 'GET, HEAD, POST'],
  ['POST', '/2024-03/one/crm/accounts/1', 'DELETE, GET, HEAD, PATCH, PUT'],
  ['PUT', '/2024-03/one/accounting/tax-rates/1', 'GET, HEAD'],
  ['POST', '/health', 'GET, HEAD'],
  ['OPTIONS', '/2024-03/one/crm/accounts', 'GET, HEAD, POST'],
  ['TRACE', '/2024-03/one/crm/accounts/1', 'DELETE, GET, HEAD, PATCH, PUT'],
  ['TRACE', '/2024-03/integrations', 'GET, HEAD, OPTIONS, PUT'],
])('%s %s is a 405 that names the allowed methods', async (method, url, allow) => {
  const response = await limited.server.inject({
    method: method as 'PUT',
    url,
    payload: '{',
    remoteAddress: nextAddress(),
  })
  expect(response.statusCode).toBe(405)
  expect(response.headers.allow).toBe(allow)
  expect(response.json().error.code).toBe('METHOD_NOT_ALLOWED')
})
