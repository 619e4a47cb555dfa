/** What a connector learns about the attempt at a write: its key, the context, and the record that the guard has read. */
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import type {
  AttemptFacts,
  Connector,
  ResourceConnector,
  StoredRecord,
} from '../../src/definition/connector.ts'
import { defineRolodexConnector } from '../support/rolodex-connector.ts'
import { openWriteHarness, type WriteHarness } from './write-harness.ts'

interface ObservedAttempt {
  readonly attempt: AttemptFacts
  readonly stored?: StoredRecord
}

const observed: ObservedAttempt[] = []

/** The resource with writes that record what they receive. */
const withRecordedWrites = (resource: ResourceConnector): ResourceConnector => {
  const { write } = resource
  const { create, update } = write ?? {}
  if (!write || !create || !update || !write.delete)
    throw new Error('The resource cannot be written.')
  const remove = write.delete
  return {
    ...resource,
    write: {
      ...write,
      create: {
        ...create,
        steps: (input, attempt) => {
          observed.push({ attempt })
          return create.steps(input, attempt)
        },
      },
      update: {
        ...update,
        steps: (input, stored, attempt) => {
          observed.push({ attempt, stored })
          return update.steps(input, stored, attempt)
        },
      },
      delete: {
        ...remove,
        steps: (stored, attempt) => {
          observed.push({ attempt, stored })
          return remove.steps(stored, attempt)
        },
      },
    },
  }
}

const connectorOf = (url: string): Connector => {
  const plain = defineRolodexConnector(url)
  return {
    ...plain,
    context: {
      version: 1,
      *read() {
        const { status } = yield { method: 'GET', path: '/people' }
        return { status }
      },
    },
    resources: Object.fromEntries(
      Object.entries(plain.resources).map(([topic, resource]) => [
        topic,
        withRecordedWrites(resource),
      ]),
    ),
  }
}

let harness: WriteHarness
beforeAll(async () => {
  harness = await openWriteHarness(connectorOf)
})
afterAll(() => harness.stop())
beforeEach(() => {
  observed.length = 0
  harness.rolodex.requests.length = 0
})

test('the first write reads the context, if no sync has', async () => {
  const response = await harness.write('POST', '/accounts', { accountName: 'First' })
  expect(response.statusCode, response.body).toBe(200)
  expect(harness.rolodex.requests).toEqual(['GET /people', 'POST /firms'])
  expect(observed[0]?.attempt.context).toEqual({ status: 200 })
})

test('all attempts at one write have the same key, and each write has its own', async () => {
  const keyHeader = (key: string) => ({ 'idempotency-key': key })
  const create = (key: string) =>
    harness.write('POST', '/accounts', { accountName: 'Cut' }, keyHeader(key))
  harness.rolodex.faults.push('cut')
  harness.rolodex.readable = false
  expect((await create('one')).json().error.code).toBe('WRITE_OUTCOME_UNKNOWN')
  harness.rolodex.readable = true
  expect((await create('one')).statusCode).toBe(200)
  expect((await create('two')).statusCode).toBe(200)
  for (let time = 0; time < 2; time++)
    await harness.write('POST', '/accounts', { accountName: 'New' })
  const [first, retried, ...others] = observed.map(({ attempt }) => attempt.key)
  expect(first).toMatch(/^[0-9a-f]{8}-([0-9a-f]{4}-){3}[0-9a-f]{12}$/)
  expect(retried).toBe(first)
  expect(new Set([first, ...others]).size).toBe(4)
})

test.each([
  ['accounts', { accountName: 'A' }, { accountName: 'B' }],
  ['contacts', { lastName: 'A' }, { lastName: 'B' }],
])(
  'an update and a deletion of %s receive the record that the guard has read',
  async (path, before, change) => {
    const created = await harness.write('POST', `/${path}`, before)
    const { id, remoteId } = created.json()[path.slice(0, -1)]
    expect((await harness.write('PATCH', `/${path}/${id}`, change)).statusCode).toBe(200)
    expect((await harness.write('DELETE', `/${path}/${id}`)).statusCode).toBe(200)
    const raws = observed.slice(1).map(({ stored }) => stored?.raw)
    // The app compares the versions of people itself.
    expect(raws).toEqual(
      path === 'contacts'
        ? [undefined, undefined]
        : [
            expect.objectContaining({ id: remoteId, name: 'A' }),
            expect.objectContaining({ id: remoteId, name: 'B' }),
          ],
    )
  },
)
