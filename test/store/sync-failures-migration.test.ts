/** The migration splits the failure text of sync states into columns. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import type { TestDatabase } from '../support/database.ts'
import { createDatabaseBefore } from '../support/earlier-database.ts'

let database: TestDatabase
let client: Client

beforeAll(async () => {
  database = await createDatabaseBefore('sync_failure_codes')
  client = new Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('splits codes, reasons and missing-record states', async () => {
  await client.query(`
    WITH o AS (INSERT INTO organisations (id, name) VALUES (gen_random_uuid(), 'o') RETURNING id),
      e AS (INSERT INTO environments (id, organisation_id, kind)
        SELECT gen_random_uuid(), id, 'development' FROM o RETURNING id),
      u AS (INSERT INTO end_users (id, environment_id, username)
        SELECT gen_random_uuid(), id, 'u' FROM e RETURNING id, environment_id),
      c AS (INSERT INTO credentials (id, route, environment_id, user_id, app)
        SELECT gen_random_uuid(), '00000000', environment_id, id, 'sandbox' FROM u RETURNING id)
    INSERT INTO sync_states (credential_id, topic, failure)
    SELECT c.id, topic, failure FROM c, (VALUES ('a', NULL),
      ('b', 'APP_REFUSED: it said: no'), ('c', 'ABSENT: 30 of 30 records')) AS s(topic, failure)`)
  await applyMigrations(database.url)
  const { rows } = await client.query(
    'SELECT failure_code, failure, absence FROM sync_states ORDER BY topic',
  )
  expect(rows).toEqual([
    { failure_code: null, failure: null, absence: null },
    { failure_code: 'APP_REFUSED', failure: 'it said: no', absence: null },
    { failure_code: null, failure: null, absence: '30 of 30 records' },
  ])
}, 60_000)
