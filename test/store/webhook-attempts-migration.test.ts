/** The migration keeps webhook attempts that were stored one by one, in their order. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import {
  findAttemptedChange,
  listAttempts,
  pruneAttempts,
} from '../../src/store/webhooks/webhook-attempts.ts'
import { type EarlierDatabase, openDatabaseBefore } from '../support/earlier-database.ts'

const COUNT = 250

let earlier: EarlierDatabase
let database: Database

beforeAll(async () => {
  earlier = await openDatabaseBefore('webhook_attempt_batches')
  database = openDatabase({ url: earlier.url })
})
afterAll(async () => {
  await database.stop()
  await earlier[Symbol.asyncDispose]()
})

test('keeps attempts of two subscriptions, old and new, failed and successful', async () => {
  const [first, second] = [randomUUID(), randomUUID()]
  // Alternating, so that those of one subscription are not adjacent.
  await earlier.client.query(
    `INSERT INTO webhook_attempts
       (subscription_id, message_id, topic, change, attempt, at, latency_ms, status, failure, answer)
     SELECT unnest(ARRAY[$1, $2]::uuid[]), 'msg_' || n, 'crm/leads', nullif('change ' || n, 'change 7'), 2,
       CASE WHEN n <= 100 THEN timestamptz '2026-01-02 03:04:05.6789Z' ELSE now() END, n,
       nullif(204, 197 + n), CASE WHEN n = 7 THEN 'deadline: none' END, CASE WHEN n <> 7 THEN '"é\\' END
     FROM generate_series(1, $3::integer) AS n`,
    [first, second, COUNT],
  )
  await applyMigrations(earlier.url)
  const { attempts } = await listAttempts(database, { subscriptionId: first, limit: 1000 })
  expect(attempts.map(({ latencyMs }) => latencyMs)).toEqual(
    Array.from({ length: COUNT }, (_, n) => COUNT - n),
  )
  expect(attempts.at(-7)).toMatchObject({
    messageId: 'msg_7',
    topic: 'crm/leads',
    cursor: null,
    attempt: 2,
    answer: null,
    at: '2026-01-02T03:04:05.679Z',
    status: null,
    failure: 'deadline: none',
    succeeded: false,
  })
  const ofOne = await listAttempts(database, {
    subscriptionId: second,
    messageId: 'msg_8',
    limit: 10,
  })
  expect(ofOne.attempts).toMatchObject([
    { cursor: 'change 8', status: 204, succeeded: true, answer: '"é\\' },
  ])
  expect(await findAttemptedChange(database, first, 'msg_8')).toBe('change 8')
  expect(await findAttemptedChange(database, first, 'msg_7')).toBeUndefined()

  // A batch is deleted when its youngest attempt has expired: here the first hundred of each.
  expect(await pruneAttempts(database, 30)).toBe(2)
  expect(await pruneAttempts(database, 30)).toBe(0)
  const migrated = await listAttempts(database, { subscriptionId: first, limit: 1000 })
  expect(migrated.attempts).toHaveLength(COUNT - 100)
})
