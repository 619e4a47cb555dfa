/** A credential that is reconnected with another account of its app: the records of the earlier one disappear. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Connector, defineConnector } from '../../src/definition/connector.ts'
import { reviveCredential } from '../../src/store/accounts/revive-credential.ts'
import { relistCredential } from '../../src/store/sync/sync-control.ts'
import {
  defineFakeConnector,
  type FakeApp,
  type FakeSync,
  startFakeApp,
} from '../support/fake-app.ts'
import { testVault } from '../support/vault.ts'
import { openSyncHarness, type SyncHarness } from './sync-harness.ts'

let harness: SyncHarness
let other: FakeApp

beforeEach(async () => {
  harness = await openSyncHarness()
  other = await startFakeApp()
  for (const { settings } of [harness.app, other]) {
    settings.pageSize = 10
    settings.paging = 'offset'
  }
})
afterEach(async () => {
  await harness.close()
  await other.stop()
})

const reported = { deletions: 'reported' } as const
const compared = { deletions: 'compared', fullListingEveryMs: 3_600_000 } as const

const reconnect = async (
  app: FakeApp,
  { label, connector = defineFakeConnector() }: { label?: string; connector?: Connector } = {},
): Promise<void> => {
  const { credentialId: id, environmentId, database } = harness
  const values = { url: app.url, token: app.settings.token }
  const revived = { id, environmentId, connector, method: 'token', values, label }
  expect(await reviveCredential(database, testVault, revived)).toBe(true)
}

const presentIds = async (): Promise<string[]> =>
  (await harness.records()).filter(({ deleted }) => !deleted).map(({ remoteId }) => remoteId)

/** The listings that an app has started: each of all records, or of the changes. */
const listingsOf = ({ requests }: FakeApp): readonly string[] =>
  requests
    .filter(({ cursor }) => cursor === null)
    .map(({ since }) => (since === null ? 'everything' : 'changes'))

describe.each<[string, Partial<FakeSync>]>([
  ['reports its deletions', reported],
  ['shows deletions only by omission', compared],
])('of an app that %s', (_which, sync) => {
  it('deletes what two listings in a row of the new account lack, without a pause', async () => {
    harness.app.fill(30)
    other.fill(3)
    other.put('99')
    const engine = harness.engine({ sync })
    await engine.syncNow(harness.credentialId)
    const before = (await harness.readLog()).length
    await reconnect(other)
    await engine.syncNow(harness.credentialId)
    expect(listingsOf(other)).toEqual(['everything', 'everything'])
    expect(await presentIds()).toEqual(['1', '2', '3', '99'])
    const deletions = (await harness.readLog())
      .slice(before)
      .filter(({ kind }) => kind === 'deleted')
    expect(deletions).toHaveLength(27)
    expect(await harness.state()).toMatchObject({ accountChanged: false, absence: null })
    expect(await harness.database.prisma.syncSeenRecord.count()).toBe(0)

    other.rows.delete('99')
    await engine.syncNow(harness.credentialId)
    expect(listingsOf(other).slice(2)).toEqual(['changes'])
    expect(await presentIds()).toContain('99')
  })

  it('deletes what a first listing has stored of the earlier account', async () => {
    harness.app.fill(30)
    other.fill(3)
    const engine = harness.engine({ sync })
    harness.app.settings.onPage = async ({ cursor }) => {
      if (cursor !== '20') return
      // The earlier pages are stored while the app builds this one.
      await expect.poll(presentIds).toContain('10')
      await reconnect(other)
    }
    await engine.syncNow(harness.credentialId)
    await engine.syncNow(harness.credentialId)
    expect(await presentIds()).toEqual(['1', '2', '3'])
  })
})

it('keeps the records of an account whose address has changed, although one listing lacks them', async () => {
  harness.app.fill(30)
  other.fill(30)
  const engine = harness.engine({ sync: reported })
  await engine.syncNow(harness.credentialId)
  await reconnect(other)
  other.faults.push({ kind: 'empty' })
  await engine.syncNow(harness.credentialId)
  expect(listingsOf(other)).toEqual(['everything', 'everything'])
  expect(await presentIds()).toHaveLength(30)
})

it('deletes them also if the listing starts again in between', async () => {
  harness.app.fill(5)
  other.fill(3)
  const engine = harness.engine({ sync: reported })
  await engine.syncNow(harness.credentialId)
  await reconnect(other)
  const { database, credentialId } = harness
  await database.transaction((transaction) => relistCredential(transaction, credentialId))
  await reconnect(other)
  await engine.syncNow(credentialId)
  expect(await presentIds()).toEqual(['1', '2', '3'])
})

describe('another name of the account', () => {
  const withLabel = async (label: string): Promise<void> => {
    await harness.database.prisma.credential.updateMany({ data: { label } })
  }

  it('deletes nothing while the values name the same account: it was renamed', async () => {
    harness.app.fill(5)
    const engine = harness.engine({ sync: reported })
    await engine.syncNow(harness.credentialId)
    await withLabel('Before')
    harness.app.rows.delete('5')
    await reconnect(harness.app, { label: 'After' })
    await engine.syncNow(harness.credentialId)
    expect(listingsOf(harness.app)).toEqual(['everything', 'everything'])
    expect(await presentIds()).toHaveLength(5)
  })

  it('is that of another account if all values are secrets', async () => {
    harness.app.fill(5)
    const engine = harness.engine({ sync: reported })
    await engine.syncNow(harness.credentialId)
    await withLabel('Before')
    harness.app.rows.delete('5')
    const token = { doc: 'Its token.', secret: true }
    const auth = {
      type: 'apiKey',
      fields: { token },
      baseUrl: harness.app.url,
      request: {},
    } as const
    const connector = defineConnector({ ...defineFakeConnector(), auth: { token: auth } })
    await reconnect(harness.app, { label: 'After', connector })
    await engine.syncNow(harness.credentialId)
    expect(await presentIds()).toHaveLength(4)
  })
})
