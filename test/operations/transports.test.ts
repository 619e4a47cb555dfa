/** Rules of every operation over both transports: authentication and strict input. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  fieldsAt,
  type InputLocation,
  isMandatory,
  isRead,
  type Operation,
} from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { expectError } from '../support/expected-error.ts'
import { type Call, callOver, restRequest, transports } from '../support/operations.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { defineWorkflow } from '../support/workflow.ts'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

/** The matching operations, each after its name. */
const listOperations = (isOne: (operation: Operation) => boolean) =>
  operations.filter(isOne).map((operation) => [operation.name, operation] as const)

const hasFields = (place: InputLocation) => (operation: Operation) =>
  Object.keys(fieldsAt(operation, place)).length > 0

const authorizationHeader = () => ({ authorization: `Bearer ${tenant.key}` })

/** The REST request of the operation's documented example. */
const exampleOf = (operation: Operation) => restRequest(operation, operation.example.input)

describe.each(listOperations(() => true))('%s', (name, operation) => {
  test('requires a key', async () => {
    const { method, url } = exampleOf(operation)
    // Authentication comes first: neither the body nor a parameter has been read.
    const response = await service.send(undefined, method, `${url}?wrong=1`)
    expectError(response, { code: 'UNAUTHENTICATED' })
    const graph = await callOver(service, 'GraphQL')(undefined, name, operation.example.input)
    expect(graph).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  })

  test('rejects an unknown parameter by name', async () => {
    const { method, url, body: example } = exampleOf(operation)
    const [path] = url.split('?')
    const result = await service.send(tenant.key, method, `${path}?wrong=1`, example)
    expectError(result, { code: 'INVALID_PARAMETER', field: 'wrong' })
  })
})

describe.each(listOperations(hasFields('query')))('%s, with parameters', (_name, operation) => {
  test('rejects a repeated parameter', async () => {
    const { method, url, body: example } = exampleOf(operation)
    for (const parameter of Object.keys(fieldsAt(operation, 'query'))) {
      const twice = `${url.split('?', 1)[0]}?${parameter}=1&${parameter}=1`
      const response = await service.send(tenant.key, method, twice, example)
      expectError(response, { code: 'INVALID_PARAMETER', field: parameter })
    }
  })
})

describe.each(listOperations((operation) => !isRead(operation)))(
  '%s, a write',
  (_name, operation) => {
    test('rejects a body of another form', async () => {
      const { method, url, body: example } = exampleOf(operation)
      const wrong = await service.send(tenant.key, method, url, { ...example, wrong: 1 })
      expectError(wrong, { code: 'INVALID_PARAMETER', field: 'wrong' })
      for (const list of [[], ['text']]) {
        const response = await service.send(tenant.key, method, url, list)
        expectError(response, { code: 'INVALID_PARAMETER', field: 'body' })
      }
      const plain = await service.server.inject({
        method,
        url,
        payload: '{}',
        headers: { ...authorizationHeader(), 'content-type': 'text/plain' },
      })
      expectError(plain, { code: 'UNSUPPORTED_MEDIA_TYPE' })
      const broken = await service.server.inject({
        method,
        url,
        payload: '{"a":',
        headers: { ...authorizationHeader(), 'content-type': 'application/json' },
      })
      expectError(broken, { code: 'MALFORMED_BODY' })
    })
  },
)

describe.each(listOperations(hasFields('body')))('%s, with a body', (name, operation) => {
  const body = fieldsAt(operation, 'body')
  const mandatory = Object.entries(body).filter(([field, definition]) =>
    isMandatory(operation, field, definition),
  )

  test('names each field that is missing or null', async () => {
    const { method, url, body: example = {} } = exampleOf(operation)
    for (const [field] of mandatory)
      for (const value of [undefined, null]) {
        const response = await service.send(tenant.key, method, url, { ...example, [field]: value })
        expectError(response, { code: 'INVALID_PARAMETER', field })
        const graph = await callOver(service, 'GraphQL')(tenant.key, name, {
          ...operation.example.input,
          [field]: value,
        })
        // GraphQL's own types reject it before the operation reads it.
        expect(graph).toMatchObject({ code: 'BAD_REQUEST', result: undefined })
        expect(graph.message).toContain(field)
      }
  })

  test('names a field of the wrong type', async () => {
    const { method, url, body: example = {} } = exampleOf(operation)
    for (const [field, { kind }] of Object.entries(body)) {
      if (kind.isFree) continue
      const wrong = { [field]: { of: 'another kind' } }
      const result = await service.send(tenant.key, method, url, { ...example, ...wrong })
      expectError(result, { code: 'INVALID_PARAMETER', field }, field)
    }
  })
})

describe.each(listOperations(hasFields('path')))(
  '%s, with an id in its path',
  (name, operation) => {
    test('finds nothing for an id that does not exist, whatever its characters', async () => {
      const ids = ['99999999-0000-4000-8000-000000000009', 'x'.repeat(500), "' OR 1=1 --", 'é🚢']
      for (const id of ids) {
        const path = Object.fromEntries(
          Object.keys(fieldsAt(operation, 'path')).map((field) => [field, id]),
        )
        const input = { ...operation.example.input, ...path }
        const outcomes = await Promise.all(
          transports.map((transport) => callOver(service, transport)(tenant.key, name, input)),
        )
        for (const { status, code } of outcomes) {
          expect(status, id).toBe(404)
          expect(code).toMatch(/NOT_FOUND$/)
        }
        expect(outcomes[0]?.code).toBe(outcomes[1]?.code)
        expect(outcomes[0]?.message).toBe(outcomes[1]?.message)
      }
    })
  },
)

describe('both transports respond alike', () => {
  test('each reads what was created over the other', async () => {
    const [rest, graph] = transports.map((transport) => callOver(service, transport)) as [
      Call,
      Call,
    ]
    const { key, userId } = tenant
    const create = async (call: Call, name: string, input = {}) =>
      (await call(key, name, input)).result
    const { credentialId } = await create(graph, 'createCredential', {
      userId,
      app: 'sandbox',
      credential: { tenant: 'acme', token: 't' },
    })
    const workflows = [{ slug: 'one', name: 'One', definition: defineWorkflow(1) }]
    const { integrationId, workflows: shown } = await create(rest, 'defineIntegration', {
      slug: 'shop',
      name: 'Shop',
      app: 'sandbox',
      workflows,
    })
    const { installationId } = await create(graph, 'startInstallation', {
      userId,
      integrationId,
      credentialIds: [credentialId],
    })
    await create(rest, 'completeInstallation', { installationId, data: { a: [1] } })
    const { subscriptionId } = await create(graph, 'createWebhook', {
      address: 'https://hooks.example.com/',
      topic: ['crm/leads'],
    })
    const client = { app: 'sandbox', clientId: 'example', clientSecret: 'example' }
    await create(graph, 'setOAuthClient', client)
    const { authorizationId } = await create(rest, 'createAuthorization', {
      userId,
      app: 'sandbox',
    })
    const { reconciliationId } = await create(graph, 'startReconciliation', {
      userId,
      credentialId,
      resource: 'crm/leads',
    })
    const ids = {
      authorizationId,
      reconciliationId,
      userId,
      credentialId,
      integrationId,
      installationId,
      subscriptionId,
      workflowId: shown[0].workflowId,
      resource: 'crm/contacts',
      app: 'sandbox',
    }
    for (const operation of operations.filter(isRead)) {
      // A token and a URL differ each time.
      if (operation.name === 'userToken' || operation.name === 'oauthUrl') continue
      // This environment has no records: changes.test.ts covers them.
      if (operation.name === 'recordHistory' || operation.name === 'recordsAsOf') continue
      const needs = { ...fieldsAt(operation, 'path'), ...fieldsAt(operation, 'query') }
      const values = Object.fromEntries(
        Object.entries(ids).filter(([field]) => Object.hasOwn(needs, field)),
      )
      const response = await rest(key, operation.name, values)
      expect(response, operation.name).toMatchObject({ status: 200 })
      const other = await graph(key, operation.name, values)
      // The end of the log moves with every transaction.
      if (operation.name === 'changes') other.result.nextCursor = response.result.nextCursor
      expect(other, operation.name).toEqual(response)
    }
  })
})

describe('a request that is repeated with its Idempotency-Key', () => {
  const post = (username: string, idempotencyKey: string) =>
    service.server.inject({
      method: 'POST',
      url: '/2023-12/users',
      payload: { username },
      headers: { ...authorizationHeader(), 'idempotency-key': idempotencyKey },
    })

  test('runs once over REST and gets the first response again', async () => {
    const responses = [await post('repeated', 'a'), await post('repeated', 'a')]
    expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect(responses[1]?.json()).toEqual(responses[0]?.json())
    expect(responses.map(({ headers }) => headers['idempotency-replayed'])).toEqual([
      undefined,
      'true',
    ])
    expect((await post('repeated', 'b')).json().error.code).toBe('USERNAME_TAKEN')
    expectError(await post('another', 'a'), { code: 'IDEMPOTENCY_KEY_REUSED' })
  })

  test('runs once over GraphQL', async () => {
    const send = async (username: string) => {
      const response = await service.server.inject({
        method: 'POST',
        url: '/graphql',
        headers: { ...authorizationHeader(), 'idempotency-key': 'g' },
        payload: {
          query:
            'mutation ($input: CreateUserInput!) { createUser(input: $input) { user { userId username } userErrors { code } } }',
          variables: { input: { username } },
        },
      })
      return response.json()
    }
    const first = await send('repeated over GraphQL')
    expect(first.data.createUser).toEqual({
      user: { userId: expect.any(String), username: 'repeated over GraphQL' },
      userErrors: [],
    })
    expect((await send('repeated over GraphQL')).data).toEqual(first.data)
    expect((await send('another')).errors[0].extensions.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })
})

test('pages of any origin may call the operations that accept a user token, and no others', async () => {
  const sendPreflight = (url: string) =>
    service.server.inject({
      method: 'OPTIONS',
      url,
      headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
    })
  for (const operation of operations) {
    const response = await sendPreflight(exampleOf(operation).url)
    const others = operations.filter(({ rest }) => rest.path === operation.rest.path)
    const isOpen = others.some(({ callers }) => callers.includes('user'))
    expect(response.headers['access-control-allow-origin'], operation.name).toBe(
      isOpen ? '*' : undefined,
    )
    if (operation.callers.includes('user'))
      expect(response.headers['access-control-allow-methods']).toContain(operation.rest.method)
    else
      expect(response.headers['access-control-allow-methods'] ?? '').not.toContain(
        operation.rest.method,
      )
  }
})
