import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { resyncCredential } from '../../src/store/sync/sync-control.ts'
import { openWorkshop, TOPIC, type Workshop } from './workshop.ts'

let shop: Workshop

beforeEach(async () => {
  shop = await openWorkshop()
})

afterEach(() => shop.close())

const byToken = () => shop.engine({ sync: { changes: { by: 'token' } } })
const listings = () => shop.app.requests.filter(({ cursor }) => cursor === null)
const isAll = () => listings().map(({ token }) => token === '')

describe('a listing of changes by token', () => {
  it('starts with the token of the last page of the previous listing', async () => {
    shop.app.fill(150)
    const engine = byToken()
    await engine.syncNow(shop.credentialId)
    shop.app.put('7', { name: 'Renamed' })
    await engine.syncNow(shop.credentialId)
    const { token } = await shop.state()
    await engine.syncNow(shop.credentialId)
    expect(isAll()).toEqual([true, false, false])
    expect(JSON.stringify(listings()[2]?.token)).toBe(token)
    expect((await shop.records())[6]).toMatchObject({ name: 'Renamed' })
    expect(await shop.logged()).toHaveLength(152 + 3)
  })

  it('keeps the token if a later page fails, and starts with it again', async () => {
    shop.app.fill(3)
    const engine = byToken()
    await engine.syncNow(shop.credentialId)
    const { token } = await shop.state()
    shop.app.fill(150)
    shop.app.faults.push(undefined, { kind: 'status', status: 400 })
    await expect(engine.syncNow(shop.credentialId)).rejects.toThrow()
    expect((await shop.state()).token).toBe(token)
    await engine.syncNow(shop.credentialId)
    expect(JSON.stringify(listings().at(-1)?.token)).toBe(token)
    expect(await shop.records()).toHaveLength(150)
  })

  it('fails if the last page has no token', async () => {
    shop.app.faults.push(...Array(4).fill({ kind: 'empty' }))
    await expect(byToken().syncNow(shop.credentialId)).rejects.toThrow()
    expect(await shop.state()).toMatchObject({ failureCode: 'APP_UNAVAILABLE', completedAt: null })
  })

  it('lists everything, without a failure, if the token has expired', async () => {
    shop.app.fill(3)
    const engine = byToken()
    await engine.syncNow(shop.credentialId)
    shop.app.put('4')
    shop.app.faults.push({ kind: 'status', status: 410 })
    await engine.syncNow(shop.credentialId)
    expect(isAll()).toEqual([true, false, true])
    expect(await shop.records()).toHaveLength(4)
    expect(await shop.state()).toMatchObject({ failures: 0, failureCode: null })
    expect((await shop.logged()).map(({ topic }) => topic)).not.toContain('sync/failed')
    await engine.syncNow(shop.credentialId)
    expect(isAll()).toEqual([true, false, true, false])
  })

  it('lists everything once if the cursor expires, then fails', async () => {
    shop.app.fill(250)
    const expired = { kind: 'status', status: 410 } as const
    shop.app.faults.push(undefined, expired, undefined, undefined, expired)
    await expect(byToken().syncNow(shop.credentialId)).rejects.toThrow()
    expect(isAll()).toEqual([true, true])
    expect(await shop.state()).toMatchObject({ failures: 1, failureCode: 'APP_REFUSED' })
    const topics = (await shop.logged()).map(({ topic }) => topic)
    expect(topics.filter((topic) => topic === 'sync/started')).toHaveLength(1)
  })

  it('starts again without a token after a resync', async () => {
    shop.app.fill(2)
    const engine = byToken()
    await engine.syncNow(shop.credentialId)
    await shop.database.transaction((transaction) =>
      resyncCredential(transaction, shop.credentialId),
    )
    await engine.syncNow(shop.credentialId)
    expect(isAll()).toEqual([true, true])
  })
})

describe('a record that the app reports as deleted', () => {
  const changes = async () => (await shop.logged()).filter(({ topic }) => topic === TOPIC)

  it.each([
    ['by its id', 'token'],
    ['as a record without its fields', 'time'],
  ] as const)('%s keeps its stored fields, and is deleted once', async (_how, by) => {
    shop.app.fill(3)
    const engine = by === 'token' ? byToken() : shop.engine()
    await engine.syncNow(shop.credentialId)
    const [, before] = await shop.records()
    if (by === 'token') shop.app.remove('2')
    else shop.app.put('2', { deleted: true, name: '', staff: 0 })
    await engine.syncNow(shop.credentialId)
    await engine.syncNow(shop.credentialId)
    const [, after] = await shop.records()
    expect({ ...after, updatedAt: before?.updatedAt }).toEqual({ ...before, deleted: true })
    expect((await changes()).slice(3)).toMatchObject([
      {
        kind: 'deleted',
        changedFields: ['remoteDeleted'],
        record: { remoteId: '2', accountName: 'Account 2', remoteDeleted: true },
      },
    ])
    expect((await shop.logged()).at(-1)?.record).toMatchObject({ created: 0, deleted: 1 })

    shop.app.put('2', { deleted: false, name: 'Restored', staff: 9 })
    await engine.syncNow(shop.credentialId)
    expect((await shop.records())[1]).toMatchObject({ name: 'Restored', staff: 9, deleted: false })
  })

  it('is ignored if it is not stored and only its id is known', async () => {
    shop.app.fill(1)
    shop.app.removed.set('77', shop.app.now())
    await byToken().syncNow(shop.credentialId)
    expect(await shop.records()).toHaveLength(1)
    expect(await changes()).toHaveLength(1)
  })

  it('is stored with its fields if it was not stored before', async () => {
    shop.app.put('1', { deleted: true })
    await shop.engine().syncNow(shop.credentialId)
    expect(await shop.records()).toMatchObject([{ name: 'Account 1', deleted: true }])
    expect(await changes()).toMatchObject([{ kind: 'deleted' }])
  })
})
