/** GraphQL over HTTP: the audits of the specification's own suite, on a listening socket. */
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

// Created twice: the names are needed before the server has an address.
const names = serverAudits({ url: 'http://localhost/graphql' }).map(
  ({ id, name }) => [id, name] as const,
)

test('the suite contains every audit of the specification', () => {
  expect(names.length).toBeGreaterThan(60)
})

test.each(names)('%s %s', async (id) => {
  const audit = serverAudits({ url, fetchFn }).find((audit) => audit.id === id)
  // Neither a notice nor a warning: recommendations of the specification are followed too.
  expect(await audit?.fn()).toMatchObject({ status: 'ok' })
})

test('an address without GraphQL fails the audits', async () => {
  const results = await auditServer({ url: url.replace('/graphql', '/nope'), fetchFn })
  expect(results.filter(({ status }) => status === 'error').length).toBeGreaterThan(0)
})
