/** Passthrough: requests and responses of the app's own API are unchanged, without the credential's secrets. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Connector } from '../../src/definition/connector.ts'
import { MAX_JSON_LEVELS } from '../../src/definition/json-depth.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { type Call, callOver, transports } from '../support/operations.ts'
import { type Rolodex, startRolodex } from '../support/rolodex.ts'
import { defineRolodexConnector } from '../support/rolodex-connector.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

const SECRET = 'canary-of-the-credential'

let rolodex: Rolodex
let service: TestService
let tenant: Tenant
let credentialId: string
/** A credential of an app that echoes each request. */
let echoId: string
const echo = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { method, url, headers } = request
  const [, levels] = /\/deep\/(\d+)$/.exec(url ?? '') ?? []
  if (levels !== undefined)
    return void response.end('['.repeat(Number(levels)) + ']'.repeat(Number(levels)))
  response.writeHead(418, { 'content-type': 'application/json', 'x-seen': headers['x-key'] })
  response.end(JSON.stringify({ method, url, headers, body }))
})

beforeAll(async () => {
  rolodex = await startRolodex()
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  const { port } = echo.address() as AddressInfo
  const base = defineRolodexConnector(rolodex.url)
  const echoing: Connector = {
    ...base,
    app: 'echo',
    auth: {
      key: {
        type: 'apiKey',
        fields: { key: { doc: 'Its key.', secret: true } },
        baseUrl: `http://127.0.0.1:${port}/base`,
        request: { headers: { 'x-key': '{key}' } },
      },
    },
  }
  const connectors = new Map([
    ['test', base],
    ['echo', echoing],
  ])
  service = await startService({ connectors, allowPrivateAddresses: true })
  tenant = await service.createTenant('development', [])
  const owner = { environmentId: tenant.environmentId, userId: tenant.userId }
  const { database } = service
  credentialId = await createCredential(database, testVault, {
    ...owner,
    connector: base,
    values: {},
  })
  echoId = await createCredential(database, testVault, {
    ...owner,
    connector: echoing,
    values: { key: SECRET },
  })
})
afterAll(async () => {
  await service.stop()
  await rolodex.stop()
  echo.closeAllConnections()
  echo.close()
})

describe.each(transports)('over %s', (transport) => {
  let call: Call
  beforeAll(() => {
    call = callOver(service, transport)
  })
  beforeEach(() => {
    rolodex.faults.length = 0
  })
  const pass = (input: object) => call(tenant.key, 'passthrough', { credentialId, ...input })

  test('the app’s response is passed on, errors included', async () => {
    const created = await pass({ method: 'POST', endpoint: '/people', body: { last: 'Curie' } })
    expect(created).toMatchObject({ status: 200, result: { status: 200, body: { last: 'Curie' } } })
    const { id } = created.result.body
    const found = await pass({ method: 'GET', endpoint: `/people/${id}` })
    expect(found.result).toMatchObject({ status: 200, body: { id } })
    const none = await pass({ method: 'GET', endpoint: '/people/none' })
    expect(none).toMatchObject({ status: 200, result: { status: 404 } })
  })

  test('method, path, query, headers and body reach the app below its base address', async () => {
    const { result } = await pass({
      credentialId: echoId,
      method: 'PATCH',
      endpoint: '/v1/x?a=1',
      query: { b: [2, 'c d'] },
      headers: { 'X-Trace': 't' },
      body: { n: 1 },
    })
    expect(result).toMatchObject({
      status: 418,
      body: { method: 'PATCH', url: '/base/v1/x?a=1&b=2&b=c+d', body: '{"n":1}' },
    })
    expect(result.body.headers).toMatchObject({
      'x-trace': 't',
      'content-type': 'application/json',
    })
  })

  test('the response contains none of the credential’s secrets', async () => {
    const response = await pass({ credentialId: echoId, method: 'GET', endpoint: '/v1' })
    expect(response.result.body.headers['x-key']).toBe('[redacted]')
    expect(JSON.stringify(response)).not.toContain(SECRET)
  })

  test.each([
    ['an unknown method', { method: 'TRACE' }, 'method'],
    ['a path without a slash', { endpoint: 'v1' }, 'endpoint'],
    ['another host', { endpoint: '//example.com/' }, 'endpoint'],
    ['a fragment', { endpoint: '/v1#x' }, 'endpoint'],
    ['a query that is not an object', { query: [1] }, 'query'],
    ['a nested query', { query: { a: { b: 1 } } }, 'query.a'],
    [
      'a header that the credential sets',
      { headers: { Authorization: 'x' } },
      'headers.authorization',
    ],
    ['a hop-by-hop header', { headers: { 'Keep-Alive': '1' } }, 'headers.keep-alive'],
    ['a body for a method without one', { body: { a: 1 } }, 'body'],
    ['a header with a line break', { headers: { 'x-a': 'b\r\nc: d' } }, 'headers.x-a'],
  ])('%s is rejected with the name of the field', async (_what, wrong, field) => {
    const refused = await pass({ method: 'GET', endpoint: '/people', ...wrong })
    // An unknown method is rejected by GraphQL's enum type.
    if (field === 'method' && transport === 'GraphQL') expect(refused.code).toBe('BAD_REQUEST')
    else expect(refused).toMatchObject({ status: 400, fields: [field] })
  })

  test('a response that is nested too deeply is rejected as unusable', async () => {
    const passDeepResponse = (method: string, levels: number) =>
      pass({ credentialId: echoId, method, endpoint: `/deep/${levels}` })
    expect((await passDeepResponse('GET', MAX_JSON_LEVELS)).status).toBe(200)
    for (const levels of [MAX_JSON_LEVELS + 1, 3000, 100_000]) {
      expect(await passDeepResponse('GET', levels)).toMatchObject({
        status: 502,
        code: 'APP_UNAVAILABLE',
      })
      expect(await passDeepResponse('PUT', levels)).toMatchObject({ code: 'WRITE_OUTCOME_UNKNOWN' })
    }
  })

  test('a path that leaves the base address is not requested', async () => {
    const refused = await pass({
      credentialId: echoId,
      method: 'GET',
      endpoint: '/../../etc',
    })
    expect(refused).toMatchObject({ status: 400, code: 'APP_ADDRESS' })
  })

  test('another environment’s credential responds like one that never existed', async () => {
    const otherTenant = await service.createTenant('production', [], `Stranger ${transport}`)
    const refused = await call(otherTenant.key, 'passthrough', {
      credentialId,
      method: 'GET',
      endpoint: '/people',
    })
    expect(refused).toMatchObject({ status: 404, code: 'CREDENTIAL_NOT_FOUND' })
  })
})

test('a write whose response is lost has an unknown outcome, and is never sent again with its key', async () => {
  const send = () =>
    service.send(
      tenant.key,
      'POST',
      `/2024-03/passthrough?credentialId=${credentialId}`,
      { method: 'POST', endpoint: '/people', body: { last: 'Once' } },
      { 'idempotency-key': 'lost' },
    )
  rolodex.faults.push('lost')
  expect((await send()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  expect((await send()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  const once = [...rolodex.cards.values()].filter(({ values }) => values.last === 'Once')
  expect(once).toHaveLength(1)
})
