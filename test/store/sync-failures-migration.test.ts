/** The migration splits the failure text of sync states into columns. */
import { randomUUID } from 'node:crypto'
import { expect, test } from 'vitest'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { insertCredential, openDatabaseBefore } from '../support/earlier-database.ts'

test('splits codes, reasons and missing-record states', async () => {
  await using database = await openDatabaseBefore('sync_failure_codes')
  const { client, url } = database
  const id = randomUUID()
  await insertCredential(client, id)
  await client.query(`
    INSERT INTO sync_states (credential_id, topic, failure)
    SELECT '${id}', topic, failure FROM (VALUES ('a', NULL),
      ('b', 'APP_REFUSED: it said: no'), ('c', 'ABSENT: 30 of 30 records')) AS s(topic, failure)`)
  await applyMigrations(url)
  const { rows } = await client.query(
    'SELECT failure_code, failure, absence FROM sync_states ORDER BY topic',
  )
  expect(rows).toEqual([
    { failure_code: null, failure: null, absence: null },
    { failure_code: 'APP_REFUSED', failure: 'it said: no', absence: null },
    { failure_code: null, failure: null, absence: '30 of 30 records' },
  ])
})
