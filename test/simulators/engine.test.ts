/** The engine of the simulators, by the smallest profile. */
import { describe, expect, test } from 'vitest'
import { createClient } from './client.ts'
import { createContract } from './engine/contract.ts'
import { multiply, round, sum } from './engine/decimal.ts'
import { createIdempotency } from './engine/idempotency.ts'
import { createBucket, createFixedWindow, createWindow } from './engine/limits.ts'
import { createCursors, pageAt } from './engine/pages.ts'
import { createSimulator } from './engine/simulator.ts'
import { createStore } from './engine/store.ts'
import { exampleProfile } from './example-profile.ts'

const open = (scopes?: readonly string[]) => {
  const simulator = createSimulator(exampleProfile, { clock: { startMs: 0, frozen: true } })
  const account = simulator.accounts.add('a', 'Acme')
  const { accessToken } = simulator.oauth.issue('a', scopes && { scopes })
  return { ...simulator, account, accessToken, send: createClient(simulator, accessToken) }
}

describe('what the profile does not declare is rejected in its error form', () => {
  const note = { text: 'Hello' }
  test.each<
    [string, string, string, Parameters<ReturnType<typeof createClient>>[2], number, string]
  >([
    ['a path', 'GET', '/notez', {}, 404, 'unknown-path'],
    ['a method', 'DELETE', '/notes', {}, 405, 'unknown-method'],
    ['a parameter', 'GET', '/notes?limits=1', {}, 400, 'undeclared-parameter'],
    ['a value of a parameter', 'GET', '/notes?limit=0', {}, 400, 'invalid-parameter'],
    ['a repeated parameter', 'GET', '/notes?limit=1&limit=2', {}, 400, 'invalid-parameter'],
    ['a header', 'GET', '/notes', { headers: { 'if-match': '1' } }, 400, 'undeclared-header'],
    [
      'a value of a header',
      'GET',
      '/notes',
      { headers: { 'x-api-version': '2' } },
      400,
      'invalid-parameter',
    ],
    ['a body', 'GET', '/notes', { body: note }, 400, 'malformed-body'],
    [
      'a media type',
      'POST',
      '/notes',
      { body: note, headers: { 'content-type': 'text/plain' } },
      415,
      'media-type',
    ],
    ['malformed JSON', 'POST', '/notes', { body: '{' }, 400, 'malformed-body'],
    ['a field', 'POST', '/notes', { body: { ...note, texts: '' } }, 400, 'invalid-body'],
    ['a missing field', 'POST', '/notes', { body: {} }, 400, 'invalid-body'],
    ['a type', 'POST', '/notes', { body: { text: 1 } }, 400, 'invalid-body'],
    [
      'an enum value',
      'POST',
      '/notes',
      { body: { ...note, colour: 'green' } },
      400,
      'invalid-body',
    ],
  ])('%s', async (_what, method, url, request, status, error) => {
    const { send, assertSound } = open()
    const reply = await send(method, url, request)
    expect([reply.status, reply.json.error]).toEqual([status, error])
    assertSound()
  })

  test('a scope that was not granted, and a token that is not valid', async () => {
    const { send, account, accessToken, oauth, clock, ...simulator } = open(['read'])
    expect((await send('POST', '/notes', { body: note })).json.error).toBe('missing-scope')
    expect((await createClient(simulator)('GET', '/notes')).json.detail).toContain('missing')
    expect((await createClient(simulator, 'x')('GET', '/notes')).json.detail).toContain('unknown')
    oauth.revokeGrants(account.id)
    expect((await send('GET', '/notes')).json.detail).toContain('revoked')
    const late = createClient(simulator, oauth.issue('a').accessToken)
    clock.advance(600_000)
    expect((await late('GET', '/notes')).json.detail).toContain('expired')
  })
})

test('a public route needs no token, and an account in its path', async () => {
  const [list] = exampleProfile.routes
  if (!list) throw new Error('The example has routes')
  const { scopes, ...rest } = list
  const route = { ...rest, path: '/files/{account}/notes', isPublic: true }
  const accountOf = ({ account }: Readonly<Record<string, string>>) => account
  const simulator = createSimulator({ ...exampleProfile, routes: [route], accountOf })
  simulator.accounts.add('a', 'Acme')
  const send = createClient(simulator)
  expect((await send('GET', '/files/a/notes')).json).toEqual({ notes: [] })
  expect((await send('GET', '/files/b/notes')).json.error).toBe('wrong-account')
})

test('a response that does not fit the contract is a defect', async () => {
  const { send, account, defects, assertSound } = open()
  account.store.insert('Note', '1', { text: 'Hello', mood: 'invented' })
  const reply = await send('GET', '/notes')
  expect(reply.status).toBe(500)
  expect(defects).toHaveLength(1)
  expect(assertSound).toThrow('notes[0].mood must NOT have additional properties')
})

test('a contract that leaves an object open is rejected', () => {
  const properties = { properties: { type: 'object', additionalProperties: false } }
  const $defs = { A: { type: 'object', properties } }
  expect(() => createContract({ $defs })).toThrow('#/$defs/A')
  const inner = { type: 'array', items: { anyOf: [{ type: 'object' }] } }
  expect(() => createContract({ $defs: { B: inner } })).toThrow('#/$defs/B/items/anyOf/0')
})

test('a stale version is a conflict, and paging survives deletions in between', async () => {
  const { send, account, limits, clock } = open()
  limits.set('requests per minute', createWindow(clock, { max: 100, periodMs: 1 }))
  for (const text of ['a', 'b', 'c', 'd', 'e']) await send('POST', '/notes', { body: { text } })
  const changed = await send('PUT', '/notes/3', { body: { text: 'C', version: 0 } })
  expect(changed.json).toEqual({ id: '3', text: 'C', version: 1 })
  expect((await send('PUT', '/notes/3', { body: { text: 'D', version: 0 } })).status).toBe(409)
  const first = await send('GET', '/notes?limit=2')
  account.store.remove('Note', '1')
  account.store.remove('Note', '2')
  const second = await send('GET', `/notes?limit=2&after=${first.json.after}`)
  expect(second.json.notes.map(({ id }: { id: string }) => id)).toEqual(['3', '4'])
})

describe('limits', () => {
  test('refuse with the time to wait, count in headers, and reset with the vendor’s clock', async () => {
    const { send, clock } = open()
    const remaining = []
    for (let count = 0; count < 5; count++)
      remaining.push((await send('GET', '/notes')).headers['x-remaining'])
    expect(remaining).toEqual(['4', '3', '2', '1', '0'])
    clock.advance(20_000)
    const refused = await send('GET', '/notes')
    expect([refused.status, refused.headers['retry-after']]).toEqual([429, '40'])
    clock.advance(40_000)
    expect((await send('GET', '/notes')).status).toBe(200)
  })

  test('of concurrency count requests whose response is not sent', async () => {
    const { begin, send, journal, accessToken } = open()
    const headers = { authorization: `Bearer ${accessToken}` }
    const request = { method: 'GET', url: '/notes', headers, body: Buffer.alloc(0) }
    const first = await begin(request)
    await begin(request)
    expect((await send('GET', '/notes')).status).toBe(429)
    first.end()
    expect((await send('GET', '/notes')).status).toBe(200)
    expect(journal.mostAtOnce('a')).toBe(3)
  })

  test('of points restore steadily and are refunded what a call did not cost', () => {
    let nowMs = 0
    const clock = { steadyMs: () => nowMs }
    const bucket = createBucket(clock, { max: 100, restoredPerSecond: 10 })
    bucket.take('a', 80)
    expect(bucket.waitMs('a', 40)).toBe(2000)
    nowMs = 1000
    bucket.giveBack('a', 5)
    expect(bucket.state('a')).toEqual({ max: 100, used: 65, resetMs: 6500 })
    const daily = createFixedWindow(clock, { max: 1, periodMs: 86_400_000 })
    daily.take('a', 1)
    expect(daily.waitMs('a', 1)).toBe(86_399_000)
    expect(daily.waitMs('b', 1)).toBe(0)
  })
})

test('the vendor’s clock can be wrong while durations stay right', async () => {
  const { send, clock, account } = open()
  clock.skew(-3_600_000)
  const { updatedAtMs } = account.store.insert('Note', '1', { text: 'early' })
  expect(updatedAtMs).toBe(-3_600_000)
  const { status, headers } = await send('GET', '/notes')
  expect([status, headers.date]).toEqual([200, 'Wed, 31 Dec 1969 23:00:00 GMT'])
})

describe('the store', () => {
  const createAt = () => {
    let atMs = 0
    return createStore({ nowMs: () => ++atMs })
  }

  test('undoes a transaction that fails, and announces one that succeeds at its end', () => {
    const store = createAt()
    const seen: string[] = []
    store.onChange(({ action, id }) => seen.push(`${action} ${id}`))
    store.insert('Note', '1', { text: 'a' })
    const fail = () =>
      store.transaction(() => {
        store.replace('Note', '1', { text: 'b' })
        store.remove('Note', '1')
        throw new Error('no')
      })
    expect(fail).toThrow('no')
    expect(store.find('Note', '1')?.value).toEqual({ text: 'a' })
    store.transaction(() => store.replace('Note', '1', { text: 'c' }, 'renamed'))
    expect(seen).toEqual(['created 1', 'renamed 1'])
    expect(store.changesAfter(1).map(({ sequence }) => sequence)).toEqual([2])
  })

  test('lists records as they were, for an index that lags', () => {
    const store = createAt()
    store.insert('Note', '1', { text: 'a' })
    store.insert('Note', '2', { text: 'b' })
    store.replace('Note', '1', { text: 'c' })
    store.remove('Note', '2')
    const listTexts = (atMs: number) => store.listAsOf('Note', atMs).map(({ value }) => value.text)
    expect([0, 1, 2, 3, 4].map(listTexts)).toEqual([[], ['a'], ['a', 'b'], ['c', 'b'], ['c']])
  })

  test('caches a derived view until a record of its type changes', () => {
    const store = createAt()
    let built = 0
    const count = () => store.view(['Note', 'Tag'], 'count', (records) => [++built, records.length])
    store.insert('Note', '1', {})
    expect([count(), count()]).toEqual([
      [1, 1],
      [1, 1],
    ])
    store.insert('Other', '1', {})
    store.insert('Note', '2', {})
    expect(count()).toEqual([2, 2])
    store.insert('Tag', '1', {})
    expect(count()).toEqual([3, 2])
  })
})

test('cursors that were not issued for the same list are rejected', () => {
  const { encode, decode } = createCursors()
  const cursor = encode('a/notes', { after: 7 })
  expect(decode('a/notes', cursor)).toEqual({ after: 7 })
  expect(decode('b/notes', cursor)).toBeUndefined()
  expect(decode('a/notes', Buffer.from('{"after":8}').toString('base64url'))).toBeUndefined()
  expect(pageAt([1, 2, 3], 2, 2)).toEqual({ page: [3], next: undefined })
})

test('decimals are exact', () => {
  expect(sum([0.1, 0.2])).toBe(0.3)
  expect(round(multiply(3, 1.005), 2)).toBe(3.02)
  expect([round(-1.005, 2), round(2.675, 2)]).toEqual([-1.01, 2.68])
  expect(sum(Array.from({ length: 1000 }, () => 0.01))).toBe(10)
})

test('a repeated call has the result of the first, unless that failed', async () => {
  const idempotency = createIdempotency<Promise<number>>()
  let calls = 0
  const callOnce = (key: string, fingerprint: string, fails = false) =>
    idempotency.once(key, fingerprint, {
      work: async () => {
        calls++
        if (fails) throw new Error('no')
        return calls
      },
      conflict: () => new Error('conflict'),
    })
  expect(await Promise.all([callOnce('a', 'x'), callOnce('a', 'x')])).toEqual([1, 1])
  expect(() => callOnce('a', 'y')).toThrow('conflict')
  await expect(callOnce('b', 'x', true)).rejects.toThrow('no')
  expect(await callOnce('b', 'x')).toBe(3)
})
