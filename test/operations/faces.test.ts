/** What both faces promise of every operation: who is let in, and that nothing is read loosely. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  fieldsAt,
  type InputPlace,
  isMandatory,
  isRead,
  type Operation,
} from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { type Call, callOver, faces, restRequest } from '../support/operations.ts'
import { expectRefusal } from '../support/refusal.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { workflowNumber } from '../support/workflow.ts'

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

/** The operations of which something is true, by name. */
const those = (isOne: (operation: Operation) => boolean) =>
  operations.filter(isOne).map((operation) => [operation.name, operation] as const)

const hasFields = (place: InputPlace) => (operation: Operation) =>
  Object.keys(fieldsAt(operation, place)).length > 0

const bearer = () => ({ authorization: `Bearer ${tenant.key}` })

/** The request of the operation's own example. */
const exampleOf = (operation: Operation) => restRequest(operation, operation.example.given)

describe.each(those(() => true))('%s', (name, operation) => {
  test('is closed to who has no key', async () => {
    const { method, url } = exampleOf(operation)
    // Before anything is read: neither the body nor a parameter is looked at.
    const answer = await service.send(undefined, method, `${url}?wrong=1`)
    expectRefusal(answer, { code: 'UNAUTHENTICATED' })
    const graph = await callOver(service, 'GraphQL')(undefined, name, operation.example.given)
    expect(graph).toMatchObject({ status: 401, code: 'UNAUTHENTICATED' })
  })

  test('refuses an unknown parameter by name', async () => {
    const { method, url, body: given } = exampleOf(operation)
    const [path] = url.split('?')
    const answer = await service.send(tenant.key, method, `${path}?wrong=1`, given)
    expectRefusal(answer, { code: 'INVALID_PARAMETER', field: 'wrong' })
  })
})

describe.each(those(hasFields('query')))('%s, with parameters', (_name, operation) => {
  test('refuses one that is given twice', async () => {
    const { method, url, body: given } = exampleOf(operation)
    for (const parameter of Object.keys(fieldsAt(operation, 'query'))) {
      const twice = `${url.split('?', 1)[0]}?${parameter}=1&${parameter}=1`
      const answer = await service.send(tenant.key, method, twice, given)
      expectRefusal(answer, { code: 'INVALID_PARAMETER', field: parameter })
    }
  })
})

describe.each(those((operation) => !isRead(operation)))('%s, a change', (_name, operation) => {
  test('refuses a body that is not its own', async () => {
    const { method, url, body: given } = exampleOf(operation)
    const wrong = await service.send(tenant.key, method, url, { ...given, wrong: 1 })
    expectRefusal(wrong, { code: 'INVALID_PARAMETER', field: 'wrong' })
    for (const list of [[], ['text']]) {
      const answer = await service.send(tenant.key, method, url, list)
      expectRefusal(answer, { code: 'INVALID_PARAMETER', field: 'body' })
    }
    const plain = await service.server.inject({
      ...{ method, url, payload: '{}' },
      headers: { ...bearer(), 'content-type': 'text/plain' },
    })
    expectRefusal(plain, { code: 'UNSUPPORTED_MEDIA_TYPE' })
    const broken = await service.server.inject({
      ...{ method, url, payload: '{"a":' },
      headers: { ...bearer(), 'content-type': 'application/json' },
    })
    expectRefusal(broken, { code: 'MALFORMED_BODY' })
  })
})

describe.each(those(hasFields('body')))('%s, with a body', (name, operation) => {
  const body = fieldsAt(operation, 'body')
  const mandatory = Object.entries(body).filter(([field, definition]) =>
    isMandatory(operation, field, definition),
  )

  test('names each field that is missing, or is null', async () => {
    const { method, url, body: given = {} } = exampleOf(operation)
    for (const [field] of mandatory)
      for (const value of [undefined, null]) {
        const answer = await service.send(tenant.key, method, url, { ...given, [field]: value })
        expectRefusal(answer, { code: 'INVALID_PARAMETER', field })
        const graph = await callOver(service, 'GraphQL')(tenant.key, name, {
          ...operation.example.given,
          [field]: value,
        })
        // GraphQL's own types refuse it before it is read.
        expect(graph).toMatchObject({ code: 'BAD_REQUEST', result: undefined })
        expect(graph.message).toContain(field)
      }
  })

  test('names a field of another kind', async () => {
    const { method, url, body: given = {} } = exampleOf(operation)
    for (const [field, { kind }] of Object.entries(body)) {
      if (kind === 'json') continue
      const wrong = { [field]: { of: 'another kind' } }
      const answer = await service.send(tenant.key, method, url, { ...given, ...wrong })
      expectRefusal(answer, { code: 'INVALID_PARAMETER', field }, field)
    }
  })
})

describe.each(those(hasFields('path')))('%s, with an id in its path', (name, operation) => {
  test('knows no record of an id that no one has, whatever its characters', async () => {
    const ids = ['99999999-0000-4000-8000-000000000009', 'x'.repeat(500), "' OR 1=1 --", 'é🚢']
    for (const id of ids) {
      const path = Object.fromEntries(
        Object.keys(fieldsAt(operation, 'path')).map((field) => [field, id]),
      )
      const given = { ...operation.example.given, ...path }
      const outcomes = await Promise.all(
        faces.map((face) => callOver(service, face)(tenant.key, name, given)),
      )
      for (const { status, code } of outcomes) {
        expect(status, id).toBe(404)
        expect(code).toMatch(/NOT_FOUND$/)
      }
      expect(outcomes[0]?.code).toBe(outcomes[1]?.code)
      expect(outcomes[0]?.message).toBe(outcomes[1]?.message)
    }
  })
})

describe('both faces answer alike', () => {
  test('each read of what was made over the other', async () => {
    const [rest, graph] = faces.map((face) => callOver(service, face)) as [Call, Call]
    const { key, userId } = tenant
    const made = async (call: Call, name: string, given = {}) =>
      (await call(key, name, given)).result
    const credentialId = await made(graph, 'createCredential', {
      ...{ userId, app: 'sandbox', credential: { tenant: 'acme', token: 't' } },
    })
    const workflows = [{ slug: 'one', name: 'One', definition: workflowNumber(1) }]
    const { integrationId, workflows: shown } = await made(rest, 'defineIntegration', {
      ...{ slug: 'shop', name: 'Shop', app: 'sandbox', workflows },
    })
    const { installationId } = await made(graph, 'startInstallation', {
      ...{ userId, integrationId, credentialIds: [credentialId] },
    })
    await made(rest, 'completeInstallation', { installationId, data: { a: [1] } })
    const { subscriptionId } = await made(graph, 'createWebhook', {
      ...{ address: 'https://hooks.example.com/', topic: ['crm/leads'] },
    })
    const ids = {
      ...{ userId, credentialId, integrationId, installationId, subscriptionId },
      ...{ workflowId: shown[0].workflowId, app: 'sandbox' },
    }
    for (const operation of operations.filter(isRead)) {
      // A token is another each time; no app uses OAuth.
      if (operation.name === 'userToken' || operation.name === 'oauthUrl') continue
      // Of records there are none: see changes.test.ts.
      if (operation.name === 'recordHistory' || operation.name === 'recordsAsOf') continue
      const needs = { ...fieldsAt(operation, 'path'), ...fieldsAt(operation, 'query') }
      const given = Object.fromEntries(
        Object.entries(ids).filter(([field]) => Object.hasOwn(needs, field)),
      )
      const answer = await rest(key, operation.name, given)
      expect(answer, operation.name).toMatchObject({ status: 200 })
      const other = await graph(key, operation.name, given)
      // The end of the log moves with every transaction.
      if (operation.name === 'changes') other.result.nextCursor = answer.result.nextCursor
      expect(other, operation.name).toEqual(answer)
    }
  })
})

describe('a request that is repeated with its Idempotency-Key', () => {
  const post = (username: string, idempotencyKey: string) =>
    service.server.inject({
      ...{ method: 'POST', url: '/2023-12/users', payload: { username } },
      headers: { ...bearer(), 'idempotency-key': idempotencyKey },
    })

  test('is done once over REST, and answered as before', async () => {
    const answers = [await post('repeated', 'a'), await post('repeated', 'a')]
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([200, 200])
    expect(answers[1]?.json()).toEqual(answers[0]?.json())
    expect(answers.map(({ headers }) => headers['idempotency-replayed'])).toEqual([
      undefined,
      'true',
    ])
    expect((await post('repeated', 'b')).json().error.code).toBe('USERNAME_TAKEN')
    expectRefusal(await post('another', 'a'), { code: 'IDEMPOTENCY_KEY_REUSED' })
  })

  test('is done once over GraphQL', async () => {
    const send = async (username: string) => {
      const answer = await service.server.inject({
        ...{ method: 'POST', url: '/graphql' },
        headers: { ...bearer(), 'idempotency-key': 'g' },
        payload: {
          query:
            'mutation ($input: CreateUserInput!) { createUser(input: $input) { userId username } }',
          variables: { input: { username } },
        },
      })
      return answer.json()
    }
    const first = await send('repeated over GraphQL')
    expect(first.data.createUser).toMatchObject({ username: 'repeated over GraphQL' })
    expect((await send('repeated over GraphQL')).data).toEqual(first.data)
    expect((await send('another')).errors[0].extensions.code).toBe('IDEMPOTENCY_KEY_REUSED')
  })
})

test('pages of any origin may ask what a user’s token opens, and nothing else', async () => {
  const preflight = (url: string) =>
    service.server.inject({
      ...{ method: 'OPTIONS', url },
      headers: { origin: 'https://page.example', 'access-control-request-method': 'GET' },
    })
  for (const operation of operations) {
    const answer = await preflight(exampleOf(operation).url)
    const others = operations.filter(({ rest }) => rest.path === operation.rest.path)
    const isOpen = others.some(({ callers }) => callers.includes('user'))
    expect(answer.headers['access-control-allow-origin'], operation.name).toBe(
      isOpen ? '*' : undefined,
    )
    if (operation.callers.includes('user'))
      expect(answer.headers['access-control-allow-methods']).toContain(operation.rest.method)
    else
      expect(answer.headers['access-control-allow-methods'] ?? '').not.toContain(
        operation.rest.method,
      )
  }
})
