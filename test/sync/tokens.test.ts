/** Listings of changes by token, and records that the app reports as deleted. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resyncCredential } from '../../src/store/sync/sync-control.ts'
import { openSyncHarness, type SyncHarness, TOPIC } from './sync-harness.ts'

let harness: SyncHarness

beforeEach(async () => {
  harness = await openSyncHarness()
})

afterEach(() => harness.close())

const createTokenEngine = () => harness.engine({ sync: { changes: { by: 'token' } } })
const listListings = () => harness.app.requests.filter(({ cursor }) => cursor === null)
const isAll = () => listListings().map(({ token }) => token === '')

describe('a listing of changes by token', () => {
  it('starts with the token of the last page of the previous listing', async () => {
    harness.app.fill(150)
    const engine = createTokenEngine()
    await engine.syncNow(harness.credentialId)
    harness.app.put('7', { name: 'Renamed' })
    await engine.syncNow(harness.credentialId)
    const { token } = await harness.state()
    await engine.syncNow(harness.credentialId)
    expect(isAll()).toEqual([true, false, false])
    expect(JSON.stringify(listListings()[2]?.token)).toBe(token)
    expect((await harness.records())[6]).toMatchObject({ name: 'Renamed' })
    expect(await harness.readLog()).toHaveLength(152 + 3)
  })

  it('keeps the token if a later page fails, and starts with it again', async () => {
    harness.app.fill(3)
    const engine = createTokenEngine()
    await engine.syncNow(harness.credentialId)
    const { token } = await harness.state()
    harness.app.fill(150)
    harness.app.faults.push(undefined, { kind: 'status', status: 400 })
    await expect(engine.syncNow(harness.credentialId)).rejects.toThrow()
    expect((await harness.state()).token).toBe(token)
    await engine.syncNow(harness.credentialId)
    expect(JSON.stringify(listListings().at(-1)?.token)).toBe(token)
    expect(await harness.records()).toHaveLength(150)
  })

  it('fails if the last page has no token', async () => {
    harness.app.faults.push(...Array(4).fill({ kind: 'empty' }))
    await expect(createTokenEngine().syncNow(harness.credentialId)).rejects.toThrow()
    expect(await harness.state()).toMatchObject({
      failureCode: 'APP_UNAVAILABLE',
      completedAt: null,
    })
  })

  it('lists everything, without a failure, if the token has expired', async () => {
    harness.app.fill(3)
    const engine = createTokenEngine()
    await engine.syncNow(harness.credentialId)
    harness.app.put('4')
    harness.app.faults.push({ kind: 'status', status: 410 })
    await engine.syncNow(harness.credentialId)
    expect(isAll()).toEqual([true, false, true])
    expect(await harness.records()).toHaveLength(4)
    expect(await harness.state()).toMatchObject({ failures: 0, failureCode: null })
    expect((await harness.readLog()).map(({ topic }) => topic)).not.toContain('sync/failed')
    await engine.syncNow(harness.credentialId)
    expect(isAll()).toEqual([true, false, true, false])
  })

  it('lists everything once if the cursor expires, then fails', async () => {
    harness.app.fill(250)
    const expired = { kind: 'status', status: 410 } as const
    harness.app.faults.push(undefined, expired, undefined, undefined, expired)
    await expect(createTokenEngine().syncNow(harness.credentialId)).rejects.toThrow()
    expect(isAll()).toEqual([true, true])
    expect(await harness.state()).toMatchObject({ failures: 1, failureCode: 'APP_REFUSED' })
    const topics = (await harness.readLog()).map(({ topic }) => topic)
    expect(topics.filter((topic) => topic === 'sync/started')).toHaveLength(1)
  })

  it('starts again without a token after a resync', async () => {
    harness.app.fill(2)
    const engine = createTokenEngine()
    await engine.syncNow(harness.credentialId)
    await harness.database.transaction((transaction) =>
      resyncCredential(transaction, harness.credentialId),
    )
    await engine.syncNow(harness.credentialId)
    expect(isAll()).toEqual([true, true])
  })
})

describe('a record that the app reports as deleted', () => {
  const listChanges = async () => (await harness.readLog()).filter(({ topic }) => topic === TOPIC)

  it.each([
    ['by its id', 'token'],
    ['as a record without its fields', 'time'],
  ] as const)('%s keeps its stored fields, and is deleted once', async (_how, by) => {
    harness.app.fill(3)
    const engine = by === 'token' ? createTokenEngine() : harness.engine()
    await engine.syncNow(harness.credentialId)
    const [, before] = await harness.records()
    if (by === 'token') harness.app.remove('2')
    else harness.app.put('2', { deleted: true, name: '', staff: 0 })
    await engine.syncNow(harness.credentialId)
    await engine.syncNow(harness.credentialId)
    const [, after] = await harness.records()
    expect({ ...after, updatedAt: before?.updatedAt }).toEqual({ ...before, deleted: true })
    expect((await listChanges()).slice(3)).toMatchObject([
      {
        kind: 'deleted',
        changedFields: ['remoteDeleted'],
        record: { remoteId: '2', accountName: 'Account 2', remoteDeleted: true },
      },
    ])
    expect((await harness.readLog()).at(-1)?.record).toMatchObject({ created: 0, deleted: 1 })

    harness.app.put('2', { deleted: false, name: 'Restored', staff: 9 })
    await engine.syncNow(harness.credentialId)
    expect((await harness.records())[1]).toMatchObject({
      name: 'Restored',
      staff: 9,
      deleted: false,
    })
  })

  it('is ignored if it is not stored and only its id is known', async () => {
    harness.app.fill(1)
    harness.app.removed.set('77', harness.app.now())
    await createTokenEngine().syncNow(harness.credentialId)
    expect(await harness.records()).toHaveLength(1)
    expect(await listChanges()).toHaveLength(1)
  })

  it('is stored with its fields if it was not stored before', async () => {
    harness.app.put('1', { deleted: true })
    await harness.engine().syncNow(harness.credentialId)
    expect(await harness.records()).toMatchObject([{ name: 'Account 1', deleted: true }])
    expect(await listChanges()).toMatchObject([{ kind: 'deleted' }])
  })
})
