/** The app's own API with the stored credential: as it is asked, as it answers, and nothing of the credential. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Connector } from '../../src/definition/connector.ts'
import { createCredential } from '../../src/store/credentials.ts'
import { type Call, callOver, faces } from '../support/operations.ts'
import { type Rolodex, startRolodex } from '../support/rolodex.ts'
import { rolodexConnector } from '../support/rolodex-connector.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

const SECRET = 'canary-of-the-credential'

let rolodex: Rolodex
let service: TestService
let tenant: Tenant
let credentialId: string
/** A credential of an app that repeats all that it is sent. */
let echoId: string
const echo = createServer(async (request, response) => {
  let body = ''
  for await (const chunk of request) body += chunk
  const { method, url, headers } = request
  response.writeHead(418, { 'content-type': 'application/json', 'x-seen': headers['x-key'] })
  response.end(JSON.stringify({ method, url, headers, body }))
})

beforeAll(async () => {
  rolodex = await startRolodex()
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve))
  const { port } = echo.address() as AddressInfo
  const base = rolodexConnector(rolodex.url)
  const echoing: Connector = {
    ...base,
    app: 'echo',
    credential: { key: { doc: 'Its key.', secret: true } },
    baseUrl: () => `http://127.0.0.1:${port}/base`,
    authorize: ({ key = '' }) => ({ 'x-key': key }),
  }
  const connectors = new Map([
    ['test', base],
    ['echo', echoing],
  ])
  service = await startService({ connectors })
  tenant = await service.createTenant('development', [])
  const owner = { environmentId: tenant.environmentId, userId: tenant.userId }
  const { database } = service
  credentialId = await createCredential(database, testVault, {
    ...{ ...owner, connector: base, values: {} },
  })
  echoId = await createCredential(database, testVault, {
    ...{ ...owner, connector: echoing, values: { key: SECRET } },
  })
})
afterAll(async () => {
  await service.stop()
  await rolodex.stop()
  echo.closeAllConnections()
  echo.close()
})

describe.each(faces)('over %s', (face) => {
  let call: Call
  beforeAll(() => {
    call = callOver(service, face)
  })
  beforeEach(() => {
    rolodex.faults.length = 0
  })
  const pass = (given: object) => call(tenant.key, 'passthrough', { credentialId, ...given })

  test('what the app answers is passed on, be it a refusal', async () => {
    const made = await pass({ method: 'POST', endpoint: '/people', body: { last: 'Curie' } })
    expect(made).toMatchObject({ status: 200, result: { status: 200, body: { last: 'Curie' } } })
    const { id } = made.result.body
    const found = await pass({ method: 'GET', endpoint: `/people/${id}` })
    expect(found.result).toMatchObject({ status: 200, body: { id } })
    const none = await pass({ method: 'GET', endpoint: '/people/none' })
    expect(none).toMatchObject({ status: 200, result: { status: 404 } })
  })

  test('method, path, query, headers and body reach the app below its address', async () => {
    const { result } = await pass({
      credentialId: echoId,
      ...{ method: 'PATCH', endpoint: '/v1/x?a=1', query: { b: [2, 'c d'] } },
      ...{ headers: { 'X-Trace': 't' }, body: { n: 1 } },
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

  test('of the credential nothing comes back', async () => {
    const answer = await pass({ credentialId: echoId, method: 'GET', endpoint: '/v1' })
    expect(answer.result.body.headers['x-key']).toBe('[redacted]')
    expect(JSON.stringify(answer)).not.toContain(SECRET)
  })

  test.each([
    ['a method that is none', { method: 'TRACE' }, 'method'],
    ['a path without a slash', { endpoint: 'v1' }, 'endpoint'],
    ['another host', { endpoint: '//example.com/' }, 'endpoint'],
    ['a fragment', { endpoint: '/v1#x' }, 'endpoint'],
    ['a query that is no object', { query: [1] }, 'query'],
    ['a nested query', { query: { a: { b: 1 } } }, 'query.a'],
    ['a header that is the credential’s', { headers: { Authorization: 'x' } }, 'headers'],
    ['a header of the connection', { headers: { 'Keep-Alive': '1' } }, 'headers'],
    ['a body of what has none', { body: { a: 1 } }, 'body'],
    ['a header with a line break', { headers: { 'x-a': 'b\r\nc: d' } }, 'headers.x-a'],
  ])('%s is refused by name', async (_what, wrong, field) => {
    const refused = await pass({ method: 'GET', endpoint: '/people', ...wrong })
    // A word that is none is refused by GraphQL's own types.
    if (field === 'method' && face === 'GraphQL') expect(refused.code).toBe('BAD_REQUEST')
    else expect(refused).toMatchObject({ status: 400, fields: [field] })
  })

  test('a path that climbs out of the address is not dialled', async () => {
    const refused = await pass({
      credentialId: echoId,
      ...{ method: 'GET', endpoint: '/../../etc' },
    })
    expect(refused).toMatchObject({ status: 400, code: 'APP_ADDRESS' })
  })

  test('another environment’s credential is as absent as one that never was', async () => {
    const stranger = await service.createTenant('production', [], `Stranger ${face}`)
    const refused = await call(stranger.key, 'passthrough', {
      ...{ credentialId, method: 'GET', endpoint: '/people' },
    })
    expect(refused).toMatchObject({ status: 404, code: 'CREDENTIAL_NOT_FOUND' })
  })
})

test('a write whose answer is lost is said to be unknown, and never sent again with its key', async () => {
  const ask = () =>
    service.send(
      tenant.key,
      'POST',
      `/2024-03/passthrough?credentialId=${credentialId}`,
      { method: 'POST', endpoint: '/people', body: { last: 'Once' } },
      { 'idempotency-key': 'lost' },
    )
  rolodex.faults.push('lost')
  expect((await ask()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  expect((await ask()).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  const once = [...rolodex.cards.values()].filter(({ values }) => values.last === 'Once')
  expect(once).toHaveLength(1)
})
