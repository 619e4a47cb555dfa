/** Idempotency-Key: a repeated request is performed once. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { USER_ERRORS } from '../support/user-errors.ts'
import { CREDENTIAL, openWriteHarness, type WriteHarness } from './write-harness.ts'

let harness: WriteHarness
let other: WriteHarness['service']['server']

beforeAll(async () => {
  harness = await openWriteHarness()
  other = harness.service.server
})
afterAll(() => harness.stop())
beforeEach(() => {
  harness.rolodex.faults.length = 0
  harness.rolodex.delayMs = 0
})

let counter = 0
const nextKey = () => `key-${++counter}`
const post = (lastName: string, key: string) =>
  harness.write('POST', '/contacts', { lastName }, { 'idempotency-key': key })
const cardsOf = (lastName: string) =>
  [...harness.rolodex.cards.values()].filter(({ values }) => values.last === lastName)

describe('over REST', () => {
  test('the same request gets the same response, marked as a replay', async () => {
    const key = nextKey()
    const first = await post('Same', key)
    const second = await post('Same', key)
    expect(second.json()).toEqual(first.json())
    expect(second.statusCode).toBe(200)
    expect(first.headers['idempotency-replayed']).toBeUndefined()
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(second.headers.etag).toBe(first.headers.etag)
    expect(cardsOf('Same')).toHaveLength(1)
  })

  test('the order of the keys in a body does not matter', async () => {
    const key = { 'idempotency-key': nextKey() }
    const first = await harness.write('POST', '/contacts', { lastName: 'L', firstName: 'F' }, key)
    const second = await harness.write('POST', '/contacts', { firstName: 'F', lastName: 'L' }, key)
    expect(second.json()).toEqual(first.json())
  })

  test('another body, path or version with the same key is a 422', async () => {
    const key = nextKey()
    const { id } = (await post('One', key)).json().contact
    expect((await post('Two', key)).statusCode).toBe(422)
    expect((await post('Two', key)).json().error.code).toBe('IDEMPOTENCY_KEY_REUSED')
    const put = await harness.write(
      'PUT',
      `/contacts/${id}`,
      { lastName: 'One' },
      { 'idempotency-key': key },
    )
    expect(put.statusCode).toBe(422)
    expect(cardsOf('Two')).toHaveLength(0)
  })

  test('one of 50 concurrent requests is performed; the others get its response or an in-progress error', async () => {
    for (let round = 0; round < 4; round++) {
      const key = nextKey()
      harness.rolodex.delayMs = 30
      const responses = await Promise.all(
        Array.from({ length: 50 }, () => post(`Crowd ${round}`, key)),
      )
      expect(cardsOf(`Crowd ${round}`)).toHaveLength(1)
      const ids = new Set<string>()
      for (const response of responses) {
        expect([200, 409]).toContain(response.statusCode)
        if (response.statusCode === 200) ids.add(response.json().contact.id)
        else expect(response.json().error.code).toBe('IDEMPOTENCY_KEY_IN_FLIGHT')
      }
      expect(ids.size).toBe(1)
    }
  })

  test('a rejection by the app is replayed without a request to the app', async () => {
    const key = nextKey()
    const first = await post('Nobody', key)
    expect(first.statusCode).toBe(400)
    const requestsBefore = harness.rolodex.requests.length
    const second = await post('Nobody', key)
    expect(second.json()).toEqual(first.json())
    expect(second.headers['idempotency-replayed']).toBe('true')
    expect(harness.rolodex.requests).toHaveLength(requestsBefore)
  })

  test('a temporary failure is not stored', async () => {
    const key = nextKey()
    harness.rolodex.faults.push({ status: 429 })
    expect((await post('Later', key)).statusCode).toBe(429)
    expect((await post('Later', key)).statusCode).toBe(200)
    expect(cardsOf('Later')).toHaveLength(1)
  })

  test('the claim of a process that died expires, and then the outcome is looked up', async () => {
    const key = nextKey()
    const { prisma } = harness.service.database
    // Restores the state after the app has performed the write, with no recorded outcome.
    await post('Orphan', key)
    await prisma.idempotentRequest.updateMany({
      where: { key: { endsWith: ` ${key}` } },
      data: {
        status: null,
        sealedBody: null,
        heldUntil: new Date(Date.now() + 60_000),
        startedAt: new Date(Date.now() - 5000),
      },
    })
    await prisma.$executeRaw`DELETE FROM crm_contacts WHERE last_name = 'Orphan'`
    expect((await post('Orphan', key)).json().error.code).toBe('IDEMPOTENCY_KEY_IN_FLIGHT')
    await prisma.idempotentRequest.updateMany({
      where: { key: { endsWith: ` ${key}` } },
      data: { heldUntil: new Date(Date.now() - 1000) },
    })
    const settled = await post('Orphan', key)
    expect(settled.statusCode, settled.body).toBe(200)
    expect(cardsOf('Orphan')).toHaveLength(1)
  })

  test('an expired key counts as a new one', async () => {
    const key = nextKey()
    await post('Old', key)
    await harness.service.database.prisma.idempotentRequest.updateMany({
      where: { key: { endsWith: ` ${key}` } },
      data: { expiresAt: new Date(Date.now() - 1000) },
    })
    expect((await post('New', key)).statusCode).toBe(200)
    expect(cardsOf('New')).toHaveLength(1)
  })

  test('rejects a key that is not valid in a header', async () => {
    for (const key of ['', 'a b', 'é', 'x'.repeat(256)]) {
      const response = await post('X', key)
      expect(response.statusCode, key).toBe(400)
      expect(response.json().error.details[0].field).toBe('Idempotency-Key')
    }
  })

  test('the same key in another environment is another key', async () => {
    const key = nextKey()
    const otherCredential = 'dddddddd-0000-4000-8000-000000000002'
    const tenant = await harness.service.createTenant('production', [otherCredential])
    await post('Mine', key)
    const theirs = await other.inject({
      method: 'POST',
      url: `/2024-03/one/crm/contacts?credentialId=${otherCredential}`,
      headers: { authorization: `Bearer ${tenant.key}`, 'idempotency-key': key },
      payload: { lastName: 'Theirs' },
    })
    expect(theirs.statusCode, theirs.body).toBe(200)
  })
})

describe('over GraphQL', () => {
  const mutate = (fields: string, key: string) =>
    harness.service.graphql(
      harness.tenant.key,
      `mutation { ${fields} }`,
      {},
      { 'idempotency-key': key },
    )
  const create = (lastName: string) =>
    `createCrmContact(credentialId: "${CREDENTIAL}", input: { lastName: "${lastName}" }) { contact { id lastName } ${USER_ERRORS} }`

  test('each field of a document is performed once', async () => {
    const key = nextKey()
    const fields = `a: ${create('A')} b: ${create('B')}`
    const first = await mutate(fields, key)
    // Three times: the document is compiled from the second run on.
    expect((await mutate(fields, key)).data).toEqual(first.data)
    expect((await mutate(fields, key)).data).toEqual(first.data)
    expect(first.data.a.contact.id).not.toBe(first.data.b.contact.id)
    expect([...cardsOf('A'), ...cardsOf('B')]).toHaveLength(2)
  })

  test('a failing field never affects a successful one, on any attempt', async () => {
    const key = nextKey()
    const fields = `a: ${create('Made')} b: ${create('Nobody')}`
    const first = await mutate(fields, key)
    expect(first).toMatchObject({
      status: 200,
      data: {
        a: { contact: { lastName: 'Made' }, userErrors: [] },
        b: { contact: null, userErrors: [{ code: 'APP_REFUSED' }] },
      },
      errors: [],
    })
    // Three times: the document is compiled from the second run on.
    for (const _again of [1, 2]) expect(await mutate(fields, key)).toEqual(first)
    expect(cardsOf('Made')).toHaveLength(1)
  })

  test('rejects other input with the same key, and stores a rejection', async () => {
    const key = nextKey()
    await mutate(create('C'), key)
    const reused = await mutate(create('D'), key)
    expect(reused.errors[0]?.extensions.code).toBe('IDEMPOTENCY_KEY_REUSED')
    const refusedKey = nextKey()
    const first = await mutate(create('Nobody'), refusedKey)
    const requestsBefore = harness.rolodex.requests.length
    const second = await mutate(create('Nobody'), refusedKey)
    expect(first.data.createCrmContact.userErrors).toMatchObject([{ code: 'APP_REFUSED' }])
    expect(second).toEqual(first)
    expect(harness.rolodex.requests).toHaveLength(requestsBefore)
  })
})
