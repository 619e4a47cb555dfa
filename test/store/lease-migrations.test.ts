/** Processes of the previous version and of this one respect each other's leases while both run. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { LeaseLostError, renewLeases } from '../../src/store/database/lease-sql.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { acquireRun } from '../../src/store/sync/claims.ts'
import { releaseRun } from '../../src/store/sync/held-run.ts'
import { SYNC_STATES, type SyncLease } from '../../src/store/sync/sync-state.ts'
import { claimRuns } from '../../src/store/workflows/workflow-claims.ts'
import { finishRun } from '../../src/store/workflows/workflow-runs.ts'
import { createIdempotencyStore } from '../../src/store/writes/idempotent-requests.ts'
import {
  type EarlierDatabase,
  insertCredential,
  openDatabaseBefore,
} from '../support/earlier-database.ts'
import { testVault } from '../support/vault.ts'

const ID = randomUUID()
const OLD = randomUUID()
const PROGRESS = { listing: 'everything', cursor: 'the cursor' }

// The columns round to milliseconds, so the current time may be in their future.
const A_SECOND_AGO = "clock_timestamp() - interval '1 second'"

let earlier: EarlierDatabase
let database: Database
const query = async (text: string, values: unknown[] = []) =>
  (await earlier.client.query(text, values)).rows

beforeAll(async () => {
  earlier = await openDatabaseBefore('sync_leases')
  await insertCredential(earlier.client, ID)
  const until = "clock_timestamp() + interval '1 hour'"
  await query(
    `INSERT INTO sync_states (credential_id, topic, run) VALUES ('${ID}', 'idle', NULL),
      ('${ID}', 'held', jsonb_build_object('holder', $1::text, 'heldUntil', ${until}, 'progress', NULL)),
      ('${ID}', 'paused', jsonb_build_object('holder', NULL, 'heldUntil', clock_timestamp(), 'progress', $2::jsonb))`,
    [OLD, PROGRESS],
  )
  await query(`INSERT INTO integrations (id, environment_id, slug, name, app)
    VALUES ('${ID}', '${ID}', 'i', 'i', 'sandbox')`)
  await query(
    `INSERT INTO installations (id, integration_id, user_id) VALUES ('${ID}', '${ID}', '${ID}')`,
  )
  await query(
    `INSERT INTO workflow_runs (id, installation_id, workflow_id, version, change, changed_at, credential_id,
        topic, kind, record_id, changed_fields, record, chain, status, attempts, holder, due_at)
      VALUES ('${ID}', '${ID}', '${ID}', 1, 'c', clock_timestamp(), '${ID}', 't', 'created', '${ID}',
        '{}', '{}', '{}', 'running', 1, $1, ${until})`,
    [OLD],
  )
  await applyMigrations(earlier.url)
  database = openDatabase({ url: earlier.url })
})
afterAll(async () => {
  await database?.stop()
  await earlier[Symbol.asyncDispose]()
})

const leaseOf = (topic: string): SyncLease => ({
  key: { credentialId: ID, topic },
  holder: randomUUID(),
  durationMs: 3_600_000,
})

test('leases and progress of the previous version are converted', async () => {
  expect(
    await query(
      'SELECT topic, holder, held_until > now() AS is_held, progress FROM sync_states ORDER BY topic',
    ),
  ).toEqual([
    { topic: 'held', holder: OLD, is_held: true, progress: null },
    { topic: 'idle', holder: null, is_held: null, progress: null },
    { topic: 'paused', holder: null, is_held: null, progress: PROGRESS },
  ])
  expect(await query('SELECT held_until = due_at AS is_held FROM workflow_runs')).toEqual([
    { is_held: true },
  ])
  expect(await acquireRun(database, leaseOf('held'))).toBeUndefined()
})

describe('sync runs', () => {
  // The statements of the previous version.
  const IS_FREE = `(run->>'holder' IS NULL OR (run->>'heldUntil')::timestamptz <= clock_timestamp())`
  const takeAsOld = (topic: string, holder: string) =>
    query(
      `UPDATE sync_states SET due_at = clock_timestamp() + interval '1 hour', claimed_at = clock_timestamp(),
        run = jsonb_build_object('holder', $1::text, 'heldUntil', clock_timestamp() + interval '1 hour',
          'progress', run->'progress')
      WHERE topic = $2 AND ${IS_FREE} RETURNING run->'progress' AS progress`,
      [holder, topic],
    )
  const pauseAsOld = (topic: string, holder: string) =>
    query(
      `UPDATE sync_states SET run = jsonb_build_object('holder', NULL, 'heldUntil', clock_timestamp(),
          'progress', run->'progress')
      WHERE topic = $1 AND run->>'holder' = $2 RETURNING topic`,
      [topic, holder],
    )
  const expire = (topic: string) =>
    query(`UPDATE sync_states SET held_until = ${A_SECOND_AGO} WHERE topic = $1`, [topic])

  test('a run of either version is resumed by the other', async () => {
    const holder = randomUUID()
    expect(await takeAsOld('paused', holder)).toEqual([{ progress: PROGRESS }])
    expect(await acquireRun(database, leaseOf('paused'))).toBeUndefined()
    expect(await pauseAsOld('paused', holder)).toHaveLength(1)

    const lease = leaseOf('paused')
    const state = await acquireRun(database, lease)
    expect(state?.progress).toEqual(PROGRESS)
    expect(await takeAsOld('paused', randomUUID())).toEqual([])
    await releaseRun(database, lease, { progress: state?.progress ?? null, dueInMs: 0 })
    expect(await takeAsOld('paused', randomUUID())).toEqual([{ progress: PROGRESS }])
  })

  test('each loses an expired lease to the other', async () => {
    const lease = leaseOf('idle')
    await acquireRun(database, lease)
    await expire('idle')
    const old = randomUUID()
    expect(await takeAsOld('idle', old)).toHaveLength(1)
    expect(await renewLeases(database, SYNC_STATES, [lease])).toEqual(new Set())
    const late = releaseRun(database, lease, { progress: null, dueInMs: 0 })
    await expect(late).rejects.toBeInstanceOf(LeaseLostError)

    await expire('idle')
    const next = leaseOf('idle')
    expect(await acquireRun(database, next)).toBeDefined()
    expect(await pauseAsOld('idle', old)).toEqual([])
    await releaseRun(database, next, { progress: null, dueInMs: 0 })
    expect(await query(`SELECT run FROM sync_states WHERE topic = 'idle'`)).toEqual([{ run: null }])
  })
})

test('workflow runs', async () => {
  const claimRun = () =>
    claimRuns(database, { holders: [], leaseMs: 3_600_000, action: 'upsert', limit: 1, share: 1 })
  const expire = () =>
    query(`UPDATE workflow_runs SET held_until = ${A_SECOND_AGO}, due_at = ${A_SECOND_AGO}`)
  // The renewal and the claim of the previous version.
  const renewAsOld = (attempts: number) =>
    query(
      `UPDATE workflow_runs SET due_at = clock_timestamp() + interval '2 hours'
      WHERE status = 'running' AND holder = $1 AND attempts = $2 RETURNING id`,
      [OLD, attempts],
    )
  const claimAsOld = () =>
    query(
      `UPDATE workflow_runs SET status = 'running', holder = $1, attempts = attempts + 1,
        due_at = clock_timestamp() + interval '1 hour' WHERE due_at <= now() RETURNING attempts`,
      [OLD],
    )
  expect(await renewAsOld(1)).toHaveLength(1)
  expect(await query('SELECT held_until = due_at AS is_held FROM workflow_runs')).toEqual([
    { is_held: true },
  ])
  expect(await claimRun()).toEqual([])
  await expire()
  const [run] = await claimRun()
  if (!run) throw new Error('No run was claimed.')
  expect(await claimAsOld()).toEqual([])
  expect(await renewAsOld(1)).toEqual([])
  await expire()
  expect(await claimAsOld()).toEqual([{ attempts: 3 }])
  const outcome = { status: 'failed', failure: 'late' } as const
  expect(await database.transaction((late) => finishRun(late, run, outcome))).toBe(false)
  expect(await claimRun()).toEqual([])
})

test('idempotent requests', async () => {
  const requests = createIdempotencyStore(database, testVault)
  const request = { environmentId: ID, key: 'key' }
  const expire = () => query(`UPDATE idempotent_requests SET held_until = ${A_SECOND_AGO}`)
  // The claim and the write of the previous version.
  const claimAsOld = () =>
    query(`UPDATE idempotent_requests SET held_until = clock_timestamp() + interval '30 s', tries = tries + 1
      WHERE status IS NULL AND (held_until IS NULL OR held_until <= clock_timestamp()) RETURNING tries`)
  const storeAsOld = (tries: number) =>
    query(
      `UPDATE idempotent_requests SET held_until = NULL, status = 200
      WHERE tries = $1 AND status IS NULL RETURNING tries`,
      [tries],
    )
  const first = await requests.claim(request, 'f')
  if (first.state !== 'claimed') throw new Error(first.state)
  expect(await claimAsOld()).toEqual([])
  await expire()
  expect(await claimAsOld()).toEqual([{ tries: 2 }])
  expect(await requests.claim(request, 'f')).toEqual({ state: 'in-flight' })
  await requests.store(first.lease, { status: 200, body: 'late' })
  expect(await requests.renew([first.lease])).toEqual(new Set())
  await expire()
  const third = await requests.claim(request, 'f')
  if (third.state !== 'claimed') throw new Error(third.state)
  expect(await storeAsOld(2)).toEqual([])
  await requests.store(third.lease, { status: 200, body: 'third' })
  expect(await requests.claim(request, 'f')).toEqual({
    state: 'completed',
    response: { status: 200, body: 'third' },
  })
})
