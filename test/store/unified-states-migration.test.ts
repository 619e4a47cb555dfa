/** The migration makes the resources with new fields due for a full listing, and no others. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { insertCredential, openDatabaseBefore } from '../support/earlier-database.ts'

test('resources with new fields are listed again; a paused one stays paused', async () => {
  await using database = await openDatabaseBefore('unified_states')
  const { client, url } = database
  const id = randomUUID()
  await insertCredential(client, id)
  await client.query(`
    INSERT INTO sync_states (credential_id, topic, due_at, since, full_listing_at)
    SELECT '${id}', topic, due_at::timestamptz, '2026-03-04T05:06:07Z', listed_at::timestamptz
    FROM (VALUES ('accounting/invoices', '2100-01-01', '2026-03-04'),
      ('commerce/orders', 'infinity', '2026-03-04'),
      ('crm/opportunities', '2100-01-01', NULL),
      ('crm/contacts', '2100-01-01', '2026-03-04')) AS s(topic, due_at, listed_at)`)
  await applyMigrations(url)
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
})
