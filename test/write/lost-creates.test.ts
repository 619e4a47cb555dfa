/** A create with a lost response is looked up in the app: found or reported as unknown, never repeated. */
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import type { Card } from '../support/rolodex.ts'
import { openWriteHarness, type WriteHarness } from './write-harness.ts'

let harness: WriteHarness

beforeAll(async () => {
  harness = await openWriteHarness()
})
afterAll(() => harness.stop())
beforeEach(() => {
  harness.rolodex.faults.length = 0
  harness.rolodex.readable = true
  harness.rolodex.clockOffsetMs = 0
  harness.rolodex.rewrite = (values) => values
  harness.rolodex.pageSize = Number.POSITIVE_INFINITY
})

let counter = 0
const nextPerson = () => ({ lastName: `Person ${++counter}` })
const cardsOf = (lastName: string) =>
  [...harness.rolodex.cards.values()].filter(({ values }) => values.last === lastName)
const nextKeyHeader = () => ({ 'idempotency-key': `key-${++counter}` })

test('a lost create is found in the app and returned', async () => {
  const person = nextPerson()
  harness.rolodex.faults.push('lost')
  const response = await harness.write('POST', '/contacts', person)
  expect(response.statusCode, response.body).toBe(200)
  expect(cardsOf(person.lastName)).toHaveLength(1)
  expect(response.json().contact.remoteId).toBe(cardsOf(person.lastName)[0]?.id)
})

test('a lost create does not match an older record with the same values', async () => {
  const person = nextPerson()
  const first = await harness.write('POST', '/contacts', person)
  harness.rolodex.faults.push('lost')
  const second = await harness.write('POST', '/contacts', person)
  expect(second.json().contact.id).not.toBe(first.json().contact.id)
  expect(cardsOf(person.lastName)).toHaveLength(2)
})

test('a lost create does not match an older record if the host’s clock is behind the database’s', async () => {
  const person = nextPerson()
  await harness.write('POST', '/contacts', person)
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 10_000 })
  try {
    harness.rolodex.faults.push('cut')
    const second = await harness.write('POST', '/contacts', person)
    expect(second.json().error?.code).toBe('WRITE_OUTCOME_UNKNOWN')
  } finally {
    vi.useRealTimers()
  }
})

test('a lost create is reported as unknown while the app is unreachable, and resolved by the next attempt', async () => {
  const person = nextPerson()
  const headers = nextKeyHeader()
  harness.rolodex.faults.push('lost')
  harness.rolodex.readable = false
  const lost = await harness.write('POST', '/contacts', person, headers)
  expect(lost.statusCode).toBe(502)
  expect(lost.json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  harness.rolodex.readable = true
  const settled = await harness.write('POST', '/contacts', person, headers)
  expect(settled.statusCode, settled.body).toBe(200)
  expect(cardsOf(person.lastName)).toHaveLength(1)
  const again = await harness.write('POST', '/contacts', person, headers)
  expect(again.json()).toEqual(settled.json())
}, 20_000)

test('a lost create is reported as unknown if the database then fails, and is not repeated', async () => {
  const person = nextPerson()
  const headers = nextKeyHeader()
  const { prisma } = harness.service.database
  await prisma.$executeRawUnsafe(`
    CREATE FUNCTION go_away() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN RAISE EXCEPTION 'terminating connection' USING ERRCODE = '57P01'; END $$`)
  await prisma.$executeRaw`CREATE TRIGGER go_away BEFORE INSERT ON crm_contacts
    FOR EACH ROW EXECUTE FUNCTION go_away()`
  const lost = await harness.write('POST', '/contacts', person, headers)
  expect(lost.statusCode, lost.body).toBe(502)
  expect(lost.json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  await prisma.$executeRaw`DROP TRIGGER go_away ON crm_contacts`
  const settled = await harness.write('POST', '/contacts', person, headers)
  expect(settled.statusCode, settled.body).toBe(200)
  expect(cardsOf(person.lastName)).toHaveLength(1)
})

const loseResponseOnce = async (person: object, headers: Record<string, string>) => {
  harness.rolodex.faults.push('lost')
  harness.rolodex.readable = false
  const lost = await harness.write('POST', '/contacts', person, headers)
  expect(lost.json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  harness.rolodex.readable = true
}

test.each([-10, 10])(
  'a lost create is found if the app’s clock is off by %i minutes',
  async (minutes) => {
    harness.rolodex.clockOffsetMs = minutes * 60_000
    const person = nextPerson()
    const headers = nextKeyHeader()
    await loseResponseOnce(person, headers)
    const settled = await harness.write('POST', '/contacts', person, headers)
    expect(settled.statusCode, settled.body).toBe(200)
    expect(cardsOf(person.lastName)).toHaveLength(1)
  },
)

test('a lost create does not match an older record of an app whose clock is ahead', async () => {
  harness.rolodex.clockOffsetMs = 2 * 60_000
  const person = nextPerson()
  harness.rolodex.put('people', { last: person.lastName })
  harness.rolodex.clockOffsetMs = 10 * 60_000
  harness.rolodex.faults.push('cut')
  const response = await harness.write('POST', '/contacts', person)
  expect(response.json().error?.code).toBe('WRITE_OUTCOME_UNKNOWN')
})

test('a lost create stays unknown and is not repeated if more records changed than the lookup reads', async () => {
  const person = nextPerson()
  const headers = nextKeyHeader()
  for (let n = 0; n < 51; n++) harness.rolodex.put('people', { last: `Neighbour ${n}` })
  await loseResponseOnce(person, headers)
  harness.rolodex.pageSize = 1
  const again = await harness.write('POST', '/contacts', person, headers)
  expect(again.json().error?.code).toBe('WRITE_OUTCOME_UNKNOWN')
  expect(cardsOf(person.lastName)).toHaveLength(1)
  harness.rolodex.pageSize = 10
  const settled = await harness.write('POST', '/contacts', person, headers)
  expect(settled.statusCode, settled.body).toBe(200)
  expect(cardsOf(person.lastName)).toHaveLength(1)
})

test('a lost create is found by the values sent in the entries of a list', async () => {
  const person = { ...nextPerson(), emailAddresses: [{ emailAddress: 'emmy@example.org' }] }
  harness.rolodex.faults.push('lost')
  const response = await harness.write('POST', '/contacts', person)
  expect(response.statusCode, response.body).toBe(200)
  expect(response.json().contact.remoteId).toBe(cardsOf(person.lastName)[0]?.id)
})

test.each<[string, object, (values: Card['values']) => Card['values']]>([
  ['keeps an empty text as null', { firstName: '' }, (values) => ({ ...values, first: null })],
  ['keeps null as an empty text', { firstName: null }, (values) => ({ ...values, first: '' })],
  [
    'does not return a custom field',
    { remoteFields: { pin: 7 } },
    ({ pin: _, ...values }) => values,
  ],
])('a lost create is found in an app that %s', async (_, input, rewrite) => {
  const person = nextPerson()
  harness.rolodex.rewrite = rewrite
  harness.rolodex.faults.push('lost')
  const response = await harness.write('POST', '/contacts', { ...person, ...input })
  expect(response.statusCode, response.body).toBe(200)
  expect(cardsOf(person.lastName)).toHaveLength(1)
})

test.each<[string, (values: Card['values']) => Card['values']]>([
  ['normalises', (values) => ({ ...values, last: ` ${values.last}.` })],
  ['changes in half its fields', (values) => ({ ...values, first: 'E.' })],
])('a lost create that the app %s stays unknown and is not repeated', async (_, rewrite) => {
  const person = { ...nextPerson(), firstName: `Emmy ${counter}` }
  const headers = nextKeyHeader()
  harness.rolodex.rewrite = rewrite
  await loseResponseOnce(person, headers)
  const newCard = [...harness.rolodex.cards.values()].at(-1)
  const again = await harness.write('POST', '/contacts', person, headers)
  expect(again.statusCode, again.body).toBe(502)
  expect(again.json().error).toMatchObject({
    code: 'WRITE_OUTCOME_UNKNOWN',
    details: [{ field: 'remoteId', current: newCard?.id }],
  })
  expect([...harness.rolodex.cards.values()].at(-1)).toBe(newCard)
})

test('a lost create is performed by the next attempt next to a new record with few equal values', async () => {
  const person = {
    ...nextPerson(),
    firstName: 'Emmy',
    emailAddresses: [{ emailAddress: 'e@n.org' }],
  }
  const headers = nextKeyHeader()
  harness.rolodex.faults.push('cut')
  const lost = await harness.write('POST', '/contacts', person, headers)
  expect(lost.json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  harness.rolodex.put('people', { last: 'Someone else', first: 'Emmy' })
  const done = await harness.write('POST', '/contacts', person, headers)
  expect(done.statusCode, done.body).toBe(200)
  expect(cardsOf(person.lastName)).toHaveLength(1)
})

test('a lost create that never happened is reported as unknown and performed by the next attempt', async () => {
  const person = nextPerson()
  const headers = nextKeyHeader()
  harness.rolodex.faults.push('cut')
  const lost = await harness.write('POST', '/contacts', person, headers)
  expect(lost.json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  expect(cardsOf(person.lastName)).toHaveLength(0)
  const done = await harness.write('POST', '/contacts', person, headers)
  expect(done.statusCode, done.body).toBe(200)
  expect(cardsOf(person.lastName)).toHaveLength(1)
})
