/** The migration to partitions keeps the existing change log and its readers’ positions. */
import { Client } from 'pg'
import { expect, test } from 'vitest'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { openDatabaseBefore } from '../support/earlier-database.ts'

test('keeps a log of two epochs, its order, its sequence and the positions of its readers', async () => {
  await using database = await openDatabaseBefore('change_partitions')
  const { client } = database
  const append = (topic: string) =>
    client.query(
      `INSERT INTO change_log.changes (environment_id, topic, kind, record)
       VALUES (gen_random_uuid(), $1, 'created', '{"kept":  "as it is"}')`,
      [topic],
    )

  const listRows = async () => {
    const found = await client.query(
      `SELECT to_jsonb(c) || jsonb_build_object('text', record::text) AS row
       FROM change_log.changes c ORDER BY epoch, xid, sequence`,
    )
    return found.rows.map(({ row }) => row)
  }

  await append('crm/leads')
  await append('crm/accounts')
  // As after a restore: the first row has a transaction id of another cluster.
  await client.query(
    `UPDATE change_log.changes SET xid = '18000000000000' WHERE topic = 'crm/leads'`,
  )
  await client.query(`UPDATE change_log.epochs SET cluster = 'another/00000001'`)
  await append('crm/tasks')
  await client.query('GRANT SELECT, DELETE ON change_log.changes TO PUBLIC')
  const before = await listRows()
  expect(before.map(({ topic }) => topic)).toEqual(['crm/accounts', 'crm/leads', 'crm/tasks'])

  // A sync that holds a position in the log and writes while the migration waits for it.
  const writer = new Client({ connectionString: database.url })
  await writer.connect()
  await writer.query('BEGIN')
  await writer.query(
    `SELECT nextval(pg_get_serial_sequence('change_log.changes', 'sequence')), pg_current_xact_id()`,
  )
  const migrating = applyMigrations(database.url)
  const isWaiting = async () =>
    (
      await client.query(`SELECT FROM pg_locks WHERE NOT granted AND database =
      (SELECT oid FROM pg_database WHERE datname = current_database())`)
    ).rowCount
  await expect.poll(isWaiting).toBeGreaterThan(0)
  const late = await writer.query(
    `INSERT INTO change_log.changes (environment_id, topic, kind)
     VALUES (gen_random_uuid(), 'sync/completed', 'created') RETURNING sequence`,
  )
  await writer.query('COMMIT')
  await writer.end()
  await migrating
  expect(late.rowCount).toBe(1)
  const [fourth, ...rest] = (await listRows()).reverse()
  // A later migration adds the column.
  const kept = before.map((row) => ({ ...row, traceparent: null }))
  expect(rest.reverse()).toEqual(kept)
  expect(fourth.topic).toBe('sync/completed')
  await append('crm/notes')
  const after = await listRows()
  expect(after.slice(0, 3)).toEqual(kept)
  expect(after[4]).toMatchObject({ topic: 'crm/notes', epoch: before[2].epoch })
  expect(after[4].sequence).toBeGreaterThan(after[3].sequence)
  const places = await client.query(
    `SELECT tableoid::regclass::text AS name FROM change_log.changes GROUP BY 1 ORDER BY 1`,
  )
  expect(places.rows.map(({ name }) => name)).toEqual([
    'change_log.changes_1',
    'change_log.changes_first',
  ])
  const shown = await client.query(
    `SELECT privilege_type FROM information_schema.table_privileges
     WHERE table_name = 'changes' AND grantee = 'PUBLIC' ORDER BY 1`,
  )
  expect(shown.rows.map(({ privilege_type }) => privilege_type)).toEqual(['DELETE', 'SELECT'])
})
