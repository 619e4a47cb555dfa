/** The migration makes the resources with new fields due for a full listing, and no others. */
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import type { TestDatabase } from '../support/database.ts'
import { createDatabaseBefore } from '../support/earlier-database.ts'

let database: TestDatabase
let client: Client

beforeAll(async () => {
  database = await createDatabaseBefore('unified_states')
  client = new Client({ connectionString: database.url })
  await client.connect()
})
afterAll(async () => {
  await client.end()
  await database.drop()
})

test('resources with new fields are listed again; a paused one stays paused', async () => {
  await client.query(`
    WITH o AS (INSERT INTO organisations (id, name) VALUES (gen_random_uuid(), 'o') RETURNING id),
      e AS (INSERT INTO environments (id, organisation_id, kind)
        SELECT gen_random_uuid(), id, 'development' FROM o RETURNING id),
      u AS (INSERT INTO end_users (id, environment_id, username)
        SELECT gen_random_uuid(), id, 'u' FROM e RETURNING id, environment_id),
      c AS (INSERT INTO credentials (id, route, environment_id, user_id, app)
        SELECT gen_random_uuid(), '00000001', environment_id, id, 'sandbox' FROM u RETURNING id)
    INSERT INTO sync_states (credential_id, topic, due_at, since, full_listing_at)
    SELECT id, topic, due_at::timestamptz, '2026-03-04T05:06:07Z', listed_at::timestamptz
    FROM c, (VALUES ('accounting/invoices', '2100-01-01', '2026-03-04'),
      ('commerce/orders', 'infinity', '2026-03-04'),
      ('crm/opportunities', '2100-01-01', NULL),
      ('crm/contacts', '2100-01-01', '2026-03-04')) AS s(topic, due_at, listed_at)`)
  await applyMigrations(database.url)
  const { rows } = await client.query(`
    SELECT topic, due_at < now() AS "isDue", due_at = 'infinity' AS "isPaused", since IS NULL AS "isFull",
      full_listing_at = 'epoch' AS "wasListed" FROM sync_states ORDER BY topic`)
  const isFull = true
  expect(rows).toEqual([
    { topic: 'accounting/invoices', isDue: true, isPaused: false, isFull, wasListed: true },
    { topic: 'commerce/orders', isDue: false, isPaused: true, isFull, wasListed: true },
    { topic: 'crm/contacts', isDue: false, isPaused: false, isFull: false, wasListed: false },
    { topic: 'crm/opportunities', isDue: true, isPaused: false, isFull, wasListed: null },
  ])
}, 60_000)
