/** The migration turns the pause of a credential into that of each of its syncs. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { insertCredential, openDatabaseBefore } from '../support/earlier-database.ts'

test('the syncs of a paused credential are paused since the same time', async () => {
  await using database = await openDatabaseBefore('pause_resources')
  const { client, url } = database
  const paused = randomUUID()
  for (const id of [paused, randomUUID()]) await insertCredential(client, id)
  await client.query("UPDATE credentials SET paused_at = '2026-03-04T17:05:21Z' WHERE id = $1", [
    paused,
  ])
  await client.query(`
    INSERT INTO sync_states (credential_id, topic, due_at)
    SELECT id, topic, CASE WHEN paused_at IS NULL THEN now() ELSE 'infinity' END
    FROM credentials, (VALUES ('a'), ('b')) AS s(topic)`)
  await applyMigrations(url)
  const { rows } = await client.query(
    'SELECT paused_at FROM sync_states ORDER BY due_at DESC, topic',
  )
  const pausedAt = new Date('2026-03-04T17:05:21Z')
  expect(rows.map((row) => row.paused_at)).toEqual([pausedAt, pausedAt, null, null])
})
