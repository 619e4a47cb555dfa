/** A write reaches the app, returns the app’s record, and is stored with its change. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { USER_ERRORS } from '../support/user-errors.ts'
import { CREDENTIAL, openWriteHarness, type WriteHarness } from './write-harness.ts'

let harness: WriteHarness

beforeAll(async () => {
  harness = await openWriteHarness()
})
afterAll(() => harness.stop())
beforeEach(() => {
  harness.rolodex.requests.length = 0
})

const createContact = async (body: object) => {
  const response = await harness.write('POST', '/contacts', body)
  expect(response.statusCode, response.body).toBe(200)
  return response.json().contact
}

const remove = (id: string, payload: string) =>
  harness.service.server.inject({
    method: 'DELETE',
    url: `/2024-03/one/crm/contacts/${id}?credentialId=${CREDENTIAL}`,
    headers: { authorization: `Bearer ${harness.tenant.key}`, 'content-type': 'application/json' },
    payload,
  })

describe('over REST', () => {
  test('creates a record in the app, stores it with one change, and returns it under its name', async () => {
    const before = await harness.changes()
    const response = await harness.write('POST', '/contacts', {
      lastName: 'Noether',
      firstName: 'Emmy',
      emailAddresses: [{ emailAddressType: 'work', emailAddress: 'emmy@example.org' }],
    })
    expect(response.statusCode, response.body).toBe(200)
    const { contact } = response.json()
    expect(contact).toMatchObject({
      lastName: 'Noether',
      account: null,
      addresses: [],
      phoneNumbers: [],
      remoteDeleted: false,
    })
    expect(harness.rolodex.cards.get(contact.remoteId)?.values).toMatchObject({ last: 'Noether' })
    expect((await harness.read(`/contacts/${contact.id}`)).json()).toEqual({ contact })
    expect((await harness.changes()).slice(before.length)).toEqual(['created crm/contacts'])
  })

  test('reads the other records that a write changes back in one request', async () => {
    const { rolodex } = harness
    const friends = [
      await createContact({ lastName: 'Bernays' }),
      await createContact({ lastName: 'Weyl' }),
    ]
    const [first, second] = friends.map(({ remoteId }) => remoteId)
    rolodex.put('people', { first: 'Paul' }, first)
    rolodex.remove(second)
    rolodex.requests.length = 0
    await createContact({ lastName: 'Hilbert', remoteFields: { friends: [first, second] } })
    expect(rolodex.requests).toEqual(['POST /people', 'GET /people'])
    const stored = await Promise.all(friends.map(({ id }) => harness.read(`/contacts/${id}`)))
    expect(stored.map((response) => response.json().contact)).toMatchObject([
      { firstName: 'Paul', remoteDeleted: false },
      { lastName: 'Weyl', remoteDeleted: true },
    ])
  })

  test('an update changes the sent fields and leaves the rest', async () => {
    const contact = await createContact({ lastName: 'Hopper', firstName: 'Grace' })
    const before = await harness.changes()
    const response = await harness.write('PUT', `/contacts/${contact.remoteId}`, {
      lastName: 'Murray Hopper',
    })
    expect(response.json().contact).toMatchObject({
      id: contact.id,
      firstName: 'Grace',
      lastName: 'Murray Hopper',
    })
    expect((await harness.changes()).slice(before.length)).toEqual(['updated crm/contacts'])
  })

  test('null clears a field', async () => {
    const contact = await createContact({ lastName: 'Lovelace', firstName: 'Ada' })
    const response = await harness.write('PUT', `/contacts/${contact.id}`, {
      lastName: 'Lovelace',
      firstName: null,
    })
    expect(response.json().contact.firstName).toBeNull()
  })

  test('a deleted record is deleted in the app and kept here, marked', async () => {
    const contact = await createContact({ lastName: 'Turing' })
    const before = await harness.changes()
    const response = await harness.write('DELETE', `/contacts/${contact.id}`)
    expect(response.json().contact).toMatchObject({ id: contact.id, remoteDeleted: true })
    expect(harness.rolodex.cards.get(contact.remoteId)?.deleted).toBe(true)
    expect((await harness.changes()).slice(before.length)).toEqual(['deleted crm/contacts'])
    // Deleting it again sends no request to the app.
    harness.rolodex.requests.length = 0
    expect((await harness.write('DELETE', `/contacts/${contact.id}`)).statusCode).toBe(200)
    expect(harness.rolodex.requests).toEqual([])
  })

  test.each([
    ['an empty body with a JSON content type', ''],
    ['an empty object', '{}'],
    ['null', 'null'],
  ])('a deletion accepts %s', async (_what, payload) => {
    const { id } = await createContact({ lastName: 'Kovalevskaya' })
    expect((await remove(id, payload)).json().contact).toMatchObject({ id, remoteDeleted: true })
  })

  test('rejects a deletion with a body, names the fields, and deletes nothing', async () => {
    const { id, remoteId } = await createContact({ lastName: 'Agnesi' })
    const response = await remove(id, '{"junk":1}')
    expect(response.statusCode).toBe(400)
    expect(response.json().error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: [{ field: 'junk' }],
    })
    expect((await remove(id, '[]')).json().error.details[0].field).toBe('body')
    expect(harness.rolodex.cards.get(remoteId)?.deleted).toBe(false)
  })

  test('passes on fields under the app’s own names', async () => {
    const contact = await createContact({
      lastName: 'Germain',
      remoteFields: { shelf: 'S', deep: { a: [1] } },
    })
    expect(harness.rolodex.cards.get(contact.remoteId)?.values).toMatchObject({
      shelf: 'S',
      deep: { a: [1] },
    })
    expect(contact.remoteFields).toMatchObject({ shelf: 'S', deep: { a: [1] } })
  })
})

describe('a reference', () => {
  let firm: { id: string; remoteId: string }
  beforeAll(async () => {
    const response = await harness.write('POST', '/accounts', {
      accountName: 'Göttingen',
      numberOfEmployees: 7,
    })
    firm = response.json().account
  })

  test.each([
    ['its id', () => firm.id],
    ['that id in capitals', () => firm.id.toUpperCase()],
    ['its remote id', () => firm.remoteId],
    ['its name', () => 'Göttingen'],
  ])('may be %s', async (_kind, reference) => {
    const contact = await createContact({ lastName: 'Noether', account: reference() })
    expect(contact.account).toEqual({
      id: firm.id,
      remoteId: firm.remoteId,
      accountName: 'Göttingen',
    })
    expect(harness.rolodex.cards.get(contact.remoteId)?.values.firm).toBe(firm.remoteId)
  })

  test.each([
    ['an unknown name', 'Königsberg'],
    ['an id of another credential', 'cccccccc-0000-8000-8000-000000000000'],
  ])('that is %s is rejected by name without a request to the app', async (_kind, account) => {
    const tag = firm.id.slice(9, 13)
    const reference = account.replace('-0000-8', `-${tag}-8`)
    const response = await harness.write('POST', '/contacts', { lastName: 'X', account: reference })
    expect(response.statusCode).toBe(400)
    expect(response.json().error).toMatchObject({
      code: 'INVALID_PARAMETER',
      details: [{ field: 'account' }],
    })
    expect(harness.rolodex.requests).toEqual([])
  })

  test('that is a name of several records is rejected', async () => {
    for (let n = 0; n < 2; n++) await harness.write('POST', '/accounts', { accountName: 'Twice' })
    const response = await harness.write('POST', '/contacts', { lastName: 'X', account: 'Twice' })
    expect(response.json().error.message).toContain('several')
  })
})

describe('rejected without a request to the app', () => {
  test.each([
    ['a required field that is missing', {}, 'lastName'],
    ['a required field that is null', { lastName: null }, 'lastName'],
    ['an unknown field', { lastName: 'X', lastname: 'Y' }, 'lastname'],
    ['a value of another type', { lastName: 7 }, 'lastName'],
    ['a NUL', { lastName: 'a\0b' }, 'lastName'],
    ['half a surrogate pair', { lastName: 'a\ud800' }, 'lastName'],
    [
      'a nested value',
      { lastName: 'X', emailAddresses: [{ emailAddress: 7 }] },
      'emailAddresses[0].emailAddress',
    ],
    [
      'an unknown nested field',
      { lastName: 'X', emailAddresses: [{ mail: 'x' }] },
      'emailAddresses[0].mail',
    ],
    ['an object for a list', { lastName: 'X', emailAddresses: {} }, 'emailAddresses'],
    [
      'an unknown enum value',
      { lastName: 'X', phoneNumbers: [{ phoneNumberType: 'PAGER', phoneNumber: '1' }] },
      'phoneNumbers[0].phoneNumberType',
    ],
    ['remote fields that are a list', { lastName: 'X', remoteFields: [] }, 'remoteFields'],
  ])('%s', async (_what, body, field) => {
    const response = await harness.write('POST', '/contacts', body)
    expect(response.statusCode, response.body).toBe(400)
    expect(response.json().error.details[0].field).toBe(field)
    expect(harness.rolodex.requests).toEqual([])
  })

  test('a field that the app cannot accept, or a part of one, by name', async () => {
    const response = await harness.write('POST', '/contacts', {
      lastName: 'X',
      lastActivityAt: '2024-01-01',
      addresses: [{ city: 'Erlangen' }],
    })
    expect(response.statusCode).toBe(400)
    const { code, details } = response.json().error
    expect(code).toBe('FIELD_NOT_SUPPORTED')
    expect(details.map(({ field }: { field: string }) => field).sort()).toEqual([
      'addresses',
      'lastActivityAt',
    ])
    expect(harness.rolodex.requests).toEqual([])
  })

  test('a resource that the app does not have', async () => {
    const response = await harness.write('POST', '/notes', { noteTitle: 'X' })
    expect(response.statusCode).toBe(400)
    expect(response.json().error.code).toBe('NOT_SUPPORTED')
  })

  test('a body that is missing, not JSON or not an object', async () => {
    for (const payload of ['[]', '"x"', 'null', '{']) {
      const response = await harness.service.server.inject({
        method: 'POST',
        url: `/2024-03/one/crm/contacts?credentialId=${CREDENTIAL}`,
        headers: {
          authorization: `Bearer ${harness.tenant.key}`,
          'content-type': 'application/json',
        },
        payload,
      })
      expect(response.statusCode, payload).toBe(400)
    }
    expect((await harness.write('POST', '/contacts')).statusCode).toBe(400)
  })

  test('a missing record', async () => {
    const response = await harness.write('PUT', '/contacts/none', { lastName: 'X' })
    expect(response.statusCode).toBe(404)
    expect((await harness.write('DELETE', '/contacts/none')).statusCode).toBe(404)
  })
})

describe('over GraphQL', () => {
  const query = (query: string, variables = {}) =>
    harness.service.graphql(harness.tenant.key, query, { credentialId: CREDENTIAL, ...variables })

  test('creates, changes and deletes records, and follows their links', async () => {
    const created = await query(`mutation ($credentialId: ID!) {
      firm: createCrmAccount(credentialId: $credentialId, input: { accountName: "Bletchley", numberOfEmployees: 3 }) { account { id remoteId } }
      createCrmContact(credentialId: $credentialId, input: { lastName: "Clarke", account: "Bletchley" }) {
        contact { id lastName account { accountName contacts { totalCount } } }
      }
    }`)
    expect(created.errors).toEqual([])
    const { contact } = created.data.createCrmContact
    expect(contact.account).toEqual({ accountName: 'Bletchley', contacts: { totalCount: 1 } })
    const changed = await query(
      `mutation ($credentialId: ID!, $id: ID!) {
        updateCrmContact(credentialId: $credentialId, id: $id, input: { lastName: "Murray", firstName: "Joan" }) { contact { id firstName lastName } }
        deleteCrmContact(credentialId: $credentialId, id: $id) { contact { id remoteDeleted } userErrors { code } }
      }`,
      { id: contact.id },
    )
    expect(changed.data).toEqual({
      updateCrmContact: { contact: { id: contact.id, firstName: 'Joan', lastName: 'Murray' } },
      deleteCrmContact: { contact: { id: contact.id, remoteDeleted: true }, userErrors: [] },
    })
  })

  test('a rejection is a user error with the code and the details of REST', async () => {
    const { data, errors } = await query(`mutation ($credentialId: ID!) {
      createCrmContact(credentialId: $credentialId, input: { lastName: "X", lastActivityAt: "2024-01-01" }) { contact { id } ${USER_ERRORS} }
    }`)
    expect(errors).toEqual([])
    expect(data.createCrmContact).toEqual({
      contact: null,
      userErrors: [
        {
          code: 'FIELD_NOT_SUPPORTED',
          message: expect.stringContaining('does not support lastActivityAt'),
          field: ['input', 'lastActivityAt'],
          expected: 'to be left out',
          stored: null,
          current: null,
        },
      ],
    })
  })

  test('a mutation sent with GET changes nothing', async () => {
    const query = `mutation { createCrmContact(credentialId: "${CREDENTIAL}", input: { lastName: "X" }) { contact { id } } }`
    const response = await harness.service.server.inject({
      url: `/graphql?query=${encodeURIComponent(query)}`,
      headers: { authorization: `Bearer ${harness.tenant.key}` },
    })
    expect(response.statusCode).toBe(405)
    expect(harness.rolodex.requests).toEqual([])
  })
})

test('stores nothing of a write whose credential is deleted in the meantime', async () => {
  const otherCredential = 'cccccccc-1111-4000-8000-000000000009'
  const tenant = await harness.service.createTenant('production', [otherCredential], 'Leaving')
  const applied = Promise.withResolvers<void>()
  const gone = Promise.withResolvers<void>()
  harness.rolodex.onResponse = async () => {
    applied.resolve()
    await gone.promise
  }
  const writing = harness.service.send(
    tenant.key,
    'POST',
    `/2024-03/one/crm/contacts?credentialId=${otherCredential}`,
    { lastName: 'Late' },
  )
  await applied.promise
  const deleted = await harness.service.send(
    tenant.key,
    'DELETE',
    `/2024-03/users/${tenant.userId}/credentials/${otherCredential}`,
  )
  expect(deleted.statusCode, deleted.body).toBe(200)
  gone.resolve()
  const response = await writing
  harness.rolodex.onResponse = undefined
  expect(response.statusCode).toBe(404)
  expect(response.json().error.code).toBe('CREDENTIAL_NOT_FOUND')
  const { prisma } = harness.service.database
  const rows = await prisma.$queryRaw`SELECT FROM crm_contacts WHERE last_name = 'Late'`
  expect(rows).toEqual([])
})
