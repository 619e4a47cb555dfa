/** The migration turns the pause of a credential into that of each of its syncs. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import type { TestDatabase } from '../support/database.ts'
import { createDatabaseBefore } from '../support/earlier-database.ts'

let database: TestDatabase
let client: Client

beforeAll(async () => {
  database = await createDatabaseBefore('pause_resources')
  client = new Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('the syncs of a paused credential are paused since the same time', async () => {
  await client.query(`
    WITH o AS (INSERT INTO organisations (id, name) VALUES (gen_random_uuid(), 'o') RETURNING id),
      e AS (INSERT INTO environments (id, organisation_id, kind)
        SELECT gen_random_uuid(), id, 'development' FROM o RETURNING id),
      u AS (INSERT INTO end_users (id, environment_id, username)
        SELECT gen_random_uuid(), id, 'u' FROM e RETURNING id, environment_id),
      c AS (INSERT INTO credentials (id, route, environment_id, user_id, app, paused_at)
        SELECT gen_random_uuid(), route, environment_id, id, 'sandbox', paused_at
        FROM u, (VALUES ('00000001', '2026-03-04T17:05:21Z'::timestamptz), ('00000002', NULL))
          AS p(route, paused_at) RETURNING id, paused_at)
    INSERT INTO sync_states (credential_id, topic, due_at)
    SELECT id, topic, CASE WHEN paused_at IS NULL THEN now() ELSE 'infinity' END
    FROM c, (VALUES ('a'), ('b')) AS s(topic)`)
  await applyMigrations(database.url)
  const { rows } = await client.query(
    'SELECT paused_at FROM sync_states ORDER BY due_at DESC, topic',
  )
  const pausedAt = new Date('2026-03-04T17:05:21Z')
  expect(rows.map((row) => row.paused_at)).toEqual([pausedAt, pausedAt, null, null])
}, 60_000)
