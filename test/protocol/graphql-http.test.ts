/** GraphQL over HTTP, by the audits of the specification's own suite, on a socket that listens. */
import { auditServer, serverAudits } from 'graphql-http'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
let url: string
let authorization: string

beforeAll(async () => {
  service = await startService()
  const tenant = await service.createTenant('development', [])
  authorization = `Bearer ${tenant.key}`
  url = `${await service.server.listen({ port: 0, host: '127.0.0.1' })}/graphql`
})
afterAll(() => service.stop())

const fetchFn = (address: string, init: RequestInit = {}) =>
  fetch(address, { ...init, headers: { ...init.headers, authorization } })

// Made twice: the names are needed before there is a server to ask.
const names = serverAudits({ url: 'http://localhost/graphql' }).map(
  ({ id, name }) => [id, name] as const,
)

test('the suite is the whole one', () => {
  expect(names.length).toBeGreaterThan(60)
})

test.each(names)('%s %s', async (id) => {
  const audit = serverAudits({ url, fetchFn }).find((one) => one.id === id)
  // Not a notice or a warning either: what the specification recommends is done.
  expect(await audit?.fn()).toMatchObject({ status: 'ok' })
})

test('a server that is none fails them', async () => {
  const results = await auditServer({ url: url.replace('/graphql', '/nope'), fetchFn })
  expect(results.filter(({ status }) => status === 'error').length).toBeGreaterThan(0)
})
