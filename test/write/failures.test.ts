/** The app’s response to a write reaches the caller; a change with a lost response is looked up, not repeated. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { restErrorOf, USER_ERRORS } from '../support/user-errors.ts'
import { CREDENTIAL, openWriteHarness, type WriteHarness } from './write-harness.ts'

let harness: WriteHarness

beforeAll(async () => {
  harness = await openWriteHarness()
})
afterAll(() => harness.stop())
beforeEach(() => {
  harness.rolodex.requests.length = 0
  harness.rolodex.faults.length = 0
  harness.rolodex.readable = true
  harness.rolodex.clockOffsetMs = 0
})

let counter = 0
const nextPerson = () => ({ lastName: `Person ${++counter}` })
const nextKeyHeader = () => ({ 'idempotency-key': `key-${++counter}` })

describe('the app’s response', () => {
  test('a rejection is a 400 with its reason and the unified field name', async () => {
    const response = await harness.write('POST', '/contacts', { lastName: 'Nobody' })
    expect(response.statusCode).toBe(400)
    expect(response.json().error).toMatchObject({
      code: 'APP_REFUSED',
      message: 'Rolodex refused: too short',
      details: [{ field: 'lastName' }],
    })
  })

  test('a rejected credential is a 400 with its own code', async () => {
    harness.rolodex.faults.push({ status: 401 })
    const response = await harness.write('POST', '/contacts', nextPerson())
    expect(response.statusCode).toBe(400)
    expect(response.json().error.code).toBe('APP_AUTHENTICATION')
  })
})

describe('a change with a lost response', () => {
  const createPerson = async () =>
    (await harness.write('POST', '/contacts', nextPerson())).json().contact

  test('is confirmed by reading the record back', async () => {
    const { id, remoteId } = await createPerson()
    harness.rolodex.faults.push('lost')
    const response = await harness.write('PUT', `/contacts/${id}`, { lastName: 'Changed' })
    expect(response.statusCode, response.body).toBe(200)
    expect(response.json().contact.lastName).toBe('Changed')
    expect(harness.rolodex.cards.get(remoteId)?.version).toBe(2)
  })

  test('that never happened is reported as unknown and done by the next attempt', async () => {
    const { id, remoteId } = await createPerson()
    const headers = nextKeyHeader()
    harness.rolodex.faults.push('cut')
    const lost = await harness.write('PUT', `/contacts/${id}`, { lastName: 'Changed' }, headers)
    expect(lost.json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
    const done = await harness.write('PUT', `/contacts/${id}`, { lastName: 'Changed' }, headers)
    expect(done.statusCode, done.body).toBe(200)
    expect(harness.rolodex.cards.get(remoteId)?.version).toBe(2)
  })

  test('of fields under the app’s own names is confirmed in the same way', async () => {
    const { id } = await createPerson()
    harness.rolodex.faults.push('cut')
    const lost = await harness.write('PUT', `/contacts/${id}`, {
      lastName: 'Kept',
      remoteFields: { shelf: 'B' },
    })
    expect(lost.json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  })

  test('is matched by the values sent in the entries of a list', async () => {
    const { id, remoteId } = await createPerson()
    harness.rolodex.faults.push('lost')
    const emailAddresses = [{ emailAddress: 'emmy@example.org' }]
    const response = await harness.write('PUT', `/contacts/${id}`, {
      lastName: 'Listed',
      emailAddresses,
    })
    expect(response.statusCode, response.body).toBe(200)
    expect(harness.rolodex.cards.get(remoteId)?.version).toBe(2)
  })

  test.each([
    ['0042', '42'],
    ['00340434161094428491', '00340434161094428490'],
  ])(
    'that never happened is not taken as done where the text %s looks like %s',
    async (requested, is) => {
      const created = await harness.write('POST', '/accounts', {
        accountName: 'Firm',
        accountOwner: is,
      })
      harness.rolodex.faults.push('cut')
      const change = { accountName: 'Firm', accountOwner: requested }
      const lost = await harness.write('PUT', `/accounts/${created.json().account.id}`, change)
      expect(lost.json().error?.code).toBe('WRITE_OUTCOME_UNKNOWN')
    },
  )

  test('that is a deletion is confirmed in the same way', async () => {
    const { id, remoteId } = await createPerson()
    harness.rolodex.faults.push('lost')
    const response = await harness.write('DELETE', `/contacts/${id}`)
    expect(response.json().contact.remoteDeleted).toBe(true)
    expect(harness.rolodex.cards.get(remoteId)?.deleted).toBe(true)
  })
})

describe.each([
  [
    'an app with versions',
    '/contacts',
    'contact',
    { lastName: 'Mine' },
    { last: 'Theirs' },
    'lastName',
  ],
  [
    'an app without versions',
    '/accounts',
    'account',
    { accountName: 'Mine' },
    { name: 'Theirs' },
    'accountName',
  ],
] as const)('in %s', (_app, path, name, mine, theirs, field) => {
  const record = async () => {
    const first = name === 'contact' ? { lastName: 'First' } : { accountName: 'First' }
    return (await harness.write('POST', path, first)).json()[name]
  }

  test('does not overwrite a concurrent change: 409 with both versions, and then the write succeeds', async () => {
    const { id, remoteId } = await record()
    const kind = name === 'contact' ? 'people' : 'firms'
    harness.rolodex.put(kind, theirs, remoteId)
    const stale = await harness.write('PUT', `${path}/${id}`, mine)
    expect(stale.statusCode, stale.body).toBe(409)
    const { code, details } = stale.json().error
    expect(code).toBe('WRITE_CONFLICT')
    expect(details).toContainEqual(
      expect.objectContaining({ field, stored: 'First', current: 'Theirs' }),
    )
    expect((await harness.read(`${path}/${id}`)).json()[name][field]).toBe('Theirs')
    const done = await harness.write('PUT', `${path}/${id}`, mine)
    expect(done.statusCode, done.body).toBe(200)
    expect(done.json()[name][field]).toBe('Mine')
  })

  test('reports a conflict as a user error with both versions over GraphQL', async () => {
    const { id, remoteId } = await record()
    harness.rolodex.put(name === 'contact' ? 'people' : 'firms', theirs, remoteId)
    const type = name === 'contact' ? 'CrmContact' : 'CrmAccount'
    const { data, errors } = await harness.service.graphql(
      harness.tenant.key,
      `mutation ($id: ID!, $input: ${type}UpdateInput!) {
        update: update${type}(credentialId: "${CREDENTIAL}", id: $id, input: $input) { ${name} { id } ${USER_ERRORS} }
        delete: delete${type}(credentialId: "${CREDENTIAL}", id: $id) { ${name} { remoteDeleted } ${USER_ERRORS} }
      }`,
      { id, input: mine },
    )
    expect(errors).toEqual([])
    expect(data.update[name]).toBeNull()
    expect(data.update.userErrors).toContainEqual({
      code: 'WRITE_CONFLICT',
      message: expect.stringContaining('was changed in the app'),
      field: ['input', field],
      expected: 'the value that the app has now',
      stored: 'First',
      current: 'Theirs',
    })
    // The next mutation has seen the change, because the first one has stored it.
    expect(data.delete).toEqual({ [name]: { remoteDeleted: true }, userErrors: [] })
  })

  test('rejects the deletion of a record with a concurrent change too', async () => {
    const { id, remoteId } = await record()
    harness.rolodex.put(name === 'contact' ? 'people' : 'firms', theirs, remoteId)
    expect((await harness.write('DELETE', `${path}/${id}`)).statusCode).toBe(409)
    expect(harness.rolodex.cards.get(remoteId)?.deleted).toBe(false)
  })

  test('reports a concurrent deletion as a conflict and marks the record here', async () => {
    const { id, remoteId } = await record()
    harness.rolodex.remove(remoteId)
    const response = await harness.write('PUT', `${path}/${id}`, mine)
    expect(response.statusCode, response.body).toBe(409)
    expect(response.json().error.details).toContainEqual(
      expect.objectContaining({ field: 'remoteDeleted', stored: false, current: true }),
    )
    expect((await harness.read(`${path}/${id}`)).json()[name].remoteDeleted).toBe(true)
  })

  test('reports a known deletion as a conflict without a request to the app', async () => {
    const { id, remoteId } = await record()
    await harness.write('DELETE', `${path}/${id}`)
    harness.rolodex.requests.length = 0
    for (const _again of [1, 2]) {
      const response = await harness.write('PUT', `${path}/${id}`, mine)
      expect(response.statusCode, response.body).toBe(409)
      expect(response.json().error.details).toMatchObject([
        { field: 'remoteDeleted', current: true },
      ])
    }
    if (name === 'account')
      expect(harness.rolodex.requests).toEqual(Array(2).fill(`GET /firms/${remoteId}`))
  })

  test('a record that was deleted and restored can be changed once it was read', async () => {
    const { id, remoteId } = await record()
    await harness.write('DELETE', `${path}/${id}`)
    harness.rolodex.put(name === 'contact' ? 'people' : 'firms', theirs, remoteId)
    const stale = await harness.write('PUT', `${path}/${id}`, mine)
    expect(stale.statusCode, stale.body).toBe(409)
    expect(stale.json().error.details).toContainEqual(
      expect.objectContaining({ field: 'remoteDeleted', stored: true, current: false }),
    )
    expect((await harness.write('PUT', `${path}/${id}`, mine)).statusCode).toBe(200)
  })

  test('does not overwrite a concurrent change that moved the update time back', async () => {
    const { id, remoteId } = await record()
    const card = harness.rolodex.put(name === 'contact' ? 'people' : 'firms', theirs, remoteId)
    const earlier = new Date(Date.parse(card.updated) - 60_000).toISOString()
    harness.rolodex.cards.set(remoteId, { ...card, updated: earlier })
    const stale = await harness.write('PUT', `${path}/${id}`, mine)
    expect(stale.statusCode, stale.body).toBe(409)
    expect(stale.json().error.details).toContainEqual(
      expect.objectContaining({ field, stored: 'First', current: 'Theirs' }),
    )
    expect((await harness.write('PUT', `${path}/${id}`, mine)).statusCode).toBe(200)
  })

  test('answers with the app’s current record although its update time moved back', async () => {
    const { id } = await record()
    harness.rolodex.clockOffsetMs = -3_600_000
    const response = await harness.write('PUT', `${path}/${id}`, mine)
    expect(response.statusCode, response.body).toBe(200)
    expect(response.json()[name][field]).toBe('Mine')
  })

  test('If-Match takes the ETag of a read record', async () => {
    const { id } = await record()
    const { headers } = await harness.read(`${path}/${id}`)
    const etag = { 'if-match': String(headers.etag) }
    expect((await harness.write('PUT', `${path}/${id}`, mine, etag)).statusCode).toBe(200)
    const stale = await harness.write('PUT', `${path}/${id}`, mine, etag)
    expect(stale.statusCode).toBe(409)
    expect(stale.json().error.details[0].field).toBe('updatedAt')
    const weak = await harness.write('PUT', `${path}/${id}`, mine, { 'if-match': 'W/"1"' })
    expect(weak.json().error.details[0].field).toBe('If-Match')
    const several = await harness.write('PUT', `${path}/${id}`, mine, {
      'if-match': `"x", ${headers.etag}`,
    })
    expect(several.json().error.message).toContain('one ETag')
  })

  test('the updatedAt of a read record may be sent with any UTC offset', async () => {
    const { id, updatedAt } = await record()
    const type = name === 'contact' ? 'CrmContact' : 'CrmAccount'
    const update = async (ifUpdatedAt: string) => {
      const { data, errors } = await harness.service.graphql(
        harness.tenant.key,
        `mutation ($id: ID!, $input: ${type}UpdateInput!, $ifUpdatedAt: DateTime) {
          update${type}(credentialId: "${CREDENTIAL}", id: $id, input: $input, ifUpdatedAt: $ifUpdatedAt) { ${name} { id } ${USER_ERRORS} }
        }`,
        { id, input: mine, ifUpdatedAt },
      )
      const [error] = errors
      const { code, details = [] } =
        error?.extensions ?? restErrorOf(data[`update${type}`].userErrors) ?? {}
      return [code, ...(details as readonly { field: string }[]).map(({ field }) => field)]
    }
    for (const none of ['garbage', '2026-02-30T00:00:00.000Z', '2026-01-31'])
      expect(await update(none)).toEqual(['INVALID_PARAMETER', 'ifUpdatedAt'])
    expect(await update('2026-01-31T00:00:00.000+01:00')).toEqual(['WRITE_CONFLICT', 'updatedAt'])
    const inParis = new Date(Date.parse(updatedAt) + 3_600_000).toISOString()
    expect(await update(inParis.replace('Z', '+01:00'))).toEqual([undefined])
  })
})

test('a changed update time alone is no conflict', async () => {
  const firm = (await harness.write('POST', '/accounts', { accountName: 'First' })).json().account
  const moveUpdateTime = (): void => {
    const card = harness.rolodex.cards.get(firm.remoteId)
    if (!card) throw new Error('The firm is gone.')
    const updated = new Date(Date.parse(card.updated) + 1).toISOString()
    harness.rolodex.cards.set(card.id, { ...card, updated })
  }
  moveUpdateTime()
  const response = await harness.write('PUT', `/accounts/${firm.id}`, { accountName: 'Mine' })
  expect(response.statusCode, response.body).toBe(200)
  expect(harness.rolodex.cards.get(firm.remoteId)?.values.name).toBe('Mine')
  moveUpdateTime()
  expect((await harness.write('DELETE', `/accounts/${firm.id}`)).statusCode).toBe(200)
})

// The last tests of this file: the credential is paused afterwards.
describe('a rate limit', () => {
  test('has the same code in GraphQL', async () => {
    harness.rolodex.faults.push({ status: 429 })
    const { errors } = await harness.service.graphql(
      harness.tenant.key,
      `mutation { createCrmContact(credentialId: "${harness.tenant.credentialIds[0]}", input: { lastName: "X" }) { contact { id } } }`,
    )
    expect(errors[0]?.extensions.code).toBe('APP_RATE_LIMITED')
  })

  test('is a 429 with the app’s Retry-After, and no other write is sent before it has passed', async () => {
    // The request first waits for the end of the pause of the previous test.
    harness.rolodex.faults.push({ status: 429, headers: { 'retry-after': '30' } })
    const response = await harness.write('POST', '/contacts', nextPerson())
    expect(response.statusCode).toBe(429)
    expect(response.headers['retry-after']).toBe('30')
    expect(response.json().error.code).toBe('APP_RATE_LIMITED')
    const sent = harness.rolodex.requests.length
    const next = await harness.write('POST', '/contacts', nextPerson())
    expect([next.statusCode, next.json().error.code]).toEqual([429, 'APP_RATE_LIMITED'])
    expect(harness.rolodex.requests.length).toBe(sent)
  })
})
