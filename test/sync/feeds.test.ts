/** Feeds: one request reports the changes of several resources, in place of a listing of each. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeCredential } from '../../src/api/credential-state.ts'
import { listCredentials } from '../../src/store/accounts/listed-credentials.ts'
import {
  pauseCredential,
  resumeCredential,
  resyncCredential,
} from '../../src/store/sync/sync-control.ts'
import { RATES, STAGES } from '../support/feed-app.ts'
import { FEED, type FeedHarness, openFeedHarness } from './feed-harness.ts'

let harness: FeedHarness
let credentialId: string

beforeEach(async () => {
  harness = await openFeedHarness()
  credentialId = await harness.connect()
})

afterEach(() => harness.close())

const LISTS = [`list ${RATES}`, `list ${STAGES}`]

/** The requests of one poll, sorted. */
const requestsOf = async (): Promise<readonly string[]> => {
  harness.app.requests.length = 0
  await harness.poll(credentialId)
  return harness.app.requests.toSorted()
}

/** The stored names by remote id; deleted records end in `(deleted)`. */
const readStored = async (): Promise<Record<string, Record<string, string>>> => {
  const rows = await harness.database.prisma.$queryRaw<
    { topic: string; id: string; name: string; deleted: boolean }[]
  >`SELECT ${STAGES} AS topic, remote_id AS id, stage_name AS name, remote_deleted AS deleted
      FROM crm_stages
    UNION ALL SELECT ${RATES}, remote_id, description, remote_deleted FROM accounting_tax_rates`
  const found: Record<string, Record<string, string>> = { [STAGES]: {}, [RATES]: {} }
  for (const { topic, id, name, deleted } of rows)
    Object.assign(found[topic] ?? {}, { [id]: deleted ? `${name} (deleted)` : name })
  return found
}

const readLog = () =>
  harness.database.prisma.$queryRaw<{ topic: string; kind: string; record: object }[]>`
    SELECT topic, kind, record FROM change_log.changes ORDER BY xid, sequence`

const stateOf = (topic: string) =>
  harness.database.prisma.syncState.findFirstOrThrow({ where: { credentialId, topic } })

/** Fills the app and runs the first listings. */
const start = async (): Promise<void> => {
  for (const id of ['1', '2', '3']) {
    harness.app.put(STAGES, id)
    harness.app.put(RATES, id)
  }
  await harness.poll(credentialId)
  // The first listings wait for the token of the feed.
  await harness.poll(credentialId)
}

describe('a feed', () => {
  it('replaces the polls of its resources after their first listing', async () => {
    for (const id of ['1', '2']) harness.app.put(STAGES, id)
    expect(await requestsOf()).toEqual(['feed'])
    expect(await requestsOf()).toEqual(['feed', ...LISTS])
    expect(await readStored()).toMatchObject({ [STAGES]: { 1: 'Name 1', 2: 'Name 2' } })
    for (let poll = 0; poll < 3; poll++) expect(await requestsOf()).toEqual(['feed'])
  })

  it('needs one request where the same app without it needs one for each resource', async () => {
    await start()
    const withFeed = [await requestsOf(), await requestsOf(), await requestsOf()].flat()
    harness.use({ hasFeed: false })
    credentialId = await harness.connect()
    await harness.poll(credentialId)
    const withoutFeed = [await requestsOf(), await requestsOf(), await requestsOf()].flat()
    expect([withFeed.length, withoutFeed.length]).toEqual([3, 6])
  })

  it.each([
    ['ids, which are read in batches', false],
    ['whole records', true],
  ])('reports changes and deletions by %s', async (_how, isWhole) => {
    await start()
    harness.app.settings.isWhole = isWhole
    for (const id of ['1', '4', '5', '6', '7', '8', '9']) harness.app.put(STAGES, id, `New ${id}`)
    harness.app.put(RATES, '1', 'Lower')
    harness.app.remove(RATES, '2')
    harness.app.put(STAGES, '9', 'Changed twice')
    harness.app.put(STAGES, '10')
    harness.app.remove(STAGES, '10')
    expect(await requestsOf()).toEqual(isWhole ? ['feed'] : ['feed', 'many', 'many', 'many'])
    expect(await readStored()).toMatchObject({
      [STAGES]: { 1: 'New 1', 2: 'Name 2', 8: 'New 8', 9: 'Changed twice' },
      [RATES]: { 1: 'Lower', 2: 'Name 2 (deleted)', 3: 'Name 3' },
    })
    expect((await readStored())[STAGES]).not.toHaveProperty('10')
  })

  it('writes the events of each resource that has changed, around its changes', async () => {
    await start()
    const before = (await readLog()).length
    harness.app.put(STAGES, '1', 'New')
    harness.app.remove(RATES, '2')
    await harness.poll(credentialId)
    const events = (await readLog()).slice(before)
    expect(events).toMatchObject([
      { topic: 'sync/started', record: { resource: RATES, listing: 'changes' } },
      { topic: RATES, kind: 'deleted', record: { description: 'Name 2' } },
      { topic: 'sync/started', record: { resource: STAGES } },
      { topic: STAGES, kind: 'updated' },
      { topic: 'sync/completed', record: { resource: RATES, deleted: 1, updated: 0 } },
      { topic: 'sync/completed', record: { resource: STAGES, deleted: 0, updated: 1 } },
    ])
    await harness.poll(credentialId)
    expect(await readLog()).toHaveLength(before + events.length)
  })

  it('ignores changes of what is not one of its resources', async () => {
    await start()
    harness.app.report({ topic: 'crm/widgets', id: '1', kind: 'changed' })
    harness.app.report({ topic: 'crm/accounts', id: '1', kind: 'deleted' })
    expect(await requestsOf()).toEqual(['feed'])
    expect(await stateOf(FEED)).toMatchObject({ failures: 0 })
  })

  it('marks a record as deleted that the app does not have when it is read', async () => {
    await start()
    harness.app.report({ topic: STAGES, id: '3', kind: 'changed' })
    harness.app.rows.get(STAGES)?.delete('3')
    await harness.poll(credentialId)
    expect(await readStored()).toMatchObject({ [STAGES]: { 3: 'Name 3 (deleted)' } })
  })

  it('continues at its cursor after it was interrupted, and keeps its token until then', async () => {
    await start()
    const { token } = await stateOf(FEED)
    harness.app.settings.pageSize = 2
    for (const id of ['4', '5', '6', '7']) harness.app.put(STAGES, id)
    let pages = 0
    harness.app.settings.onRequest = async (kind) => {
      if (kind === 'feed' && ++pages === 2) await harness.kill()
    }
    await harness.poll(credentialId)
    expect(pages).toBe(3)
    expect((await stateOf(FEED)).token).not.toBe(token)
    expect(Object.keys((await readStored())[STAGES] ?? {})).toHaveLength(7)
  })

  it('reads records one by one, or lists the resource, if the app offers nothing else', async () => {
    harness.use({ canReadMany: false })
    await start()
    harness.app.put(STAGES, '1', 'New')
    expect(await requestsOf()).toEqual(['feed', `list ${STAGES}`])
    expect(await readStored()).toMatchObject({ [STAGES]: { 1: 'New' } })
    expect(await requestsOf()).toEqual(['feed'])
  })
})

describe('a resource of a feed is listed by itself', () => {
  it('in full if the token has expired, after the feed has started again', async () => {
    await start()
    harness.app.rows.get(STAGES)?.delete('1')
    harness.app.put(RATES, '4')
    harness.app.expire()
    // A second listing confirms the deletion.
    expect(await requestsOf()).toEqual(['feed', 'feed', LISTS[0], LISTS[1], LISTS[1]])
    expect(await readStored()).toMatchObject({
      [STAGES]: { 1: 'Name 1 (deleted)' },
      [RATES]: { 4: 'Name 4' },
    })
    expect(await requestsOf()).toEqual(['feed'])
    expect((await readLog()).filter(({ topic }) => topic === 'sync/failed')).toEqual([])
  })

  it('for its changes if a page of the feed does not show all of them', async () => {
    await start()
    harness.app.settings.fullAt = 2
    for (const id of ['4', '5', '6', '7']) harness.app.put(STAGES, id)
    harness.app.put(RATES, '4')
    const requests = await requestsOf()
    expect(requests.filter((kind) => kind.startsWith('list'))).toEqual([`list ${STAGES}`])
    expect(Object.keys((await readStored())[STAGES] ?? {})).toHaveLength(7)
    expect(await requestsOf()).toEqual(['feed'])
  })

  it('again if an incomplete page of the feed arrives during its listing', async () => {
    await start()
    await harness.database.transaction((transaction) =>
      resyncCredential(transaction, credentialId, STAGES),
    )
    harness.app.settings.fullAt = 0
    harness.app.settings.onResponse = async (kind) => {
      if (kind !== `list ${STAGES}` || harness.app.rows.get(STAGES)?.has('9')) return
      harness.app.put(STAGES, '9')
      await harness.poll(credentialId)
    }
    await harness.poll(credentialId)
    expect((await readStored())[STAGES]).not.toHaveProperty('9')
    await harness.poll(credentialId)
    expect(await readStored()).toMatchObject({ [STAGES]: { 9: 'Name 9' } })
  })

  it('while the feed fails, and no longer once it works again', async () => {
    await start()
    harness.app.settings.feedStatus = 403
    // Two failures in a row may be transient, so only the third one starts listings.
    expect(await requestsOf()).toEqual(['feed'])
    expect(await requestsOf()).toEqual(['feed'])
    expect(await requestsOf()).toEqual(['feed', ...LISTS])
    harness.app.put(RATES, '1', 'New')
    harness.app.remove(STAGES, '3')
    expect(await requestsOf()).toEqual(['feed', ...LISTS])
    expect(await readStored()).toMatchObject({ [RATES]: { 1: 'New' }, [STAGES]: { 3: 'Name 3' } })
    harness.app.settings.feedStatus = 200
    await harness.poll(credentialId)
    expect(await readStored()).toMatchObject({ [STAGES]: { 3: 'Name 3 (deleted)' } })
    await harness.poll(credentialId)
    expect(await requestsOf()).toEqual(['feed'])
  })

  it('not while the app only limits the rate', async () => {
    await start()
    harness.app.settings.feedStatus = 429
    for (let poll = 0; poll < 4; poll++)
      expect(new Set(await requestsOf())).toEqual(new Set(['feed']))
    expect(await stateOf(FEED)).toMatchObject({ failureCode: 'APP_RATE_LIMITED', failures: 4 })
  })

  it('once after it was paused: changes during the pause are not stored before', async () => {
    await start()
    const change = (work: typeof pauseCredential) =>
      harness.database.transaction((transaction) => work(transaction, credentialId, STAGES))
    await change(pauseCredential)
    harness.app.put(STAGES, '1', 'New')
    harness.app.remove(STAGES, '2')
    expect(await requestsOf()).toEqual(['feed'])
    expect(await readStored()).toMatchObject({ [STAGES]: { 1: 'Name 1', 2: 'Name 2' } })
    await change(resumeCredential)
    await harness.poll(credentialId)
    expect(await readStored()).toMatchObject({ [STAGES]: { 1: 'New', 2: 'Name 2 (deleted)' } })
    await harness.poll(credentialId)
    expect(await requestsOf()).toEqual(['feed'])
  })

  it('in full after a resync, which does not start the feed again', async () => {
    await start()
    const { token } = await stateOf(FEED)
    await harness.database.transaction((transaction) => resyncCredential(transaction, credentialId))
    expect(await requestsOf()).toEqual(['feed', ...LISTS])
    expect((await stateOf(FEED)).token).toBe(token)
    expect(await requestsOf()).toEqual(['feed'])
  })
})

it('a page that was requested before a deletion does not restore the record', async () => {
  harness.app.settings.pageSize = 2
  for (const id of ['1', '2', '3']) harness.app.put(STAGES, id)
  await harness.poll(credentialId)
  harness.app.settings.onResponse = async (kind) => {
    if (kind !== `list ${STAGES}` || !harness.app.rows.get(STAGES)?.has('1')) return
    harness.app.remove(STAGES, '1')
    await harness.database.prisma.$executeRaw`
      UPDATE sync_states SET due_at = clock_timestamp() WHERE topic = ${FEED} AND holder IS NULL`
    await harness.poll(credentialId)
  }
  await harness.poll(credentialId)
  await harness.poll(credentialId)
  expect((await readStored())[STAGES]).toEqual({ 2: 'Name 2', 3: 'Name 3' })
})

it('a resource of a working feed is as fresh as the feed, and the feed is not shown', async () => {
  await start()
  const read = async () => {
    const { environmentId } = await harness.database.prisma.credential.findFirstOrThrow()
    const [summary] = await listCredentials(harness.database, { environmentId, userId: undefined })
    if (!summary) throw new Error('No credential.')
    return describeCredential(summary)
  }
  const before = await read()
  await harness.poll(credentialId)
  const after = await read()
  expect(after).toMatchObject({
    state: 'connected',
    counts: { resources: 2, resourcesCompleted: 2 },
  })
  const feed = await stateOf(FEED)
  for (const [index, resource] of after.resources.entries()) {
    expect(resource).toMatchObject({ state: 'connected', nextSyncAt: feed.dueAt.toISOString() })
    const completedAt = resource.lastCompletedAt ?? ''
    expect(completedAt > (before.resources[index]?.lastCompletedAt ?? '')).toBe(true)
    expect(Date.parse(completedAt)).toBeLessThanOrEqual(feed.completedAt?.getTime() ?? 0)
  }
  await harness.database.transaction((transaction) =>
    pauseCredential(transaction, credentialId, STAGES),
  )
  expect((await read()).resources).toMatchObject([
    { topic: RATES, nextSyncAt: feed.dueAt.toISOString() },
    { topic: STAGES, state: 'paused', nextSyncAt: null },
  ])
})

it('the engine polls a feed before its resources are listed, and polls them again without it', async () => {
  harness.app.put(STAGES, '1')
  const engine = harness.engine()
  await engine.syncNow(credentialId)
  expect(harness.app.requests[0]).toBe('feed')
  expect(await requestsOf()).toEqual(['feed'])
  await engine.stop()

  harness.use({ hasFeed: false })
  const next = harness.engine()
  await next.start()
  await expect.poll(() => harness.app.requests.toSorted()).toEqual(['feed', ...LISTS])
  await next.stop()
  expect(await harness.database.prisma.syncState.count({ where: { topic: FEED } })).toBe(0)
  expect(await stateOf(STAGES)).toMatchObject({ reportedSince: null, failures: 0 })
})

it('the position of a resource advances with its feed', async () => {
  await start()
  const before = await stateOf(STAGES)
  await harness.poll(credentialId)
  await harness.poll(credentialId)
  const after = await stateOf(STAGES)
  const passedMs = (after.completedAt?.getTime() ?? 0) - (before.completedAt?.getTime() ?? 0)
  const advancedMs = (after.since?.getTime() ?? 0) - (before.since?.getTime() ?? 0)
  expect(passedMs).toBeGreaterThan(0)
  expect(advancedMs).toBeLessThanOrEqual(passedMs)
  expect(advancedMs).toBeGreaterThan(passedMs * 0.9 - 3)
})
