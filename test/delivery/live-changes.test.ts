/** The one change log reader of a process, without a server. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLiveChanges, type Follower } from '../../src/delivery/live-changes.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import { account, accounts, CREDENTIAL } from './subscription-harness.ts'

let service: TestService
let tenant: Tenant
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
afterAll(() => service.stop())

/** Live changes that read the log only after `announce`. */
const startLive = () => {
  let turn = Promise.withResolvers<void>()
  const live = createLiveChanges({
    database: service.database,
    changeSignal: { next: () => turn.promise },
    log: { warn: () => {} },
  })
  live.start()
  return {
    live,
    announce: (): void => {
      turn.resolve()
      turn = Promise.withResolvers()
    },
  }
}

const readWebsites = async (follower: Follower, count: number): Promise<unknown[]> => {
  const received: unknown[] = []
  while (received.length < count) {
    const changes = await follower.next()
    if (changes === undefined || changes === 'overtaken')
      throw new Error(`The follower ended: ${changes}.`)
    received.push(...changes.map(({ record }) => JSON.parse(record ?? '{}').website))
  }
  return received
}

test('delivers a change that an open transaction held up, although nothing announces the end of that transaction', async () => {
  await untilLogReadable(service)
  const { live, announce } = startLive()
  const { environmentId } = tenant
  const follower = await live.join({ environmentId, topics: [accounts.topic] })
  if (follower === undefined) throw new Error('The reader has not started.')
  follower.moveToEnd()
  const transactionStarted = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const earlierTransaction = service.database.transaction(async (transaction) => {
    // The transaction has an id now, and never writes a change.
    await transaction.prisma.$queryRaw`SELECT pg_current_xact_id()::text`
    transactionStarted.resolve()
    await release.promise
  })
  await transactionStarted.promise
  await service.save(tenant, CREDENTIAL, accounts, [account(1, 'held up')])
  const delivered = readWebsites(follower, 1)
  service.takeStatements()
  announce()
  const takeSnapshotQueries = () =>
    service.takeStatements().filter((sql) => sql.includes('pg_current_snapshot'))
  // The reader has queried the log and found no change.
  await expect
    .poll(() => takeSnapshotQueries().length, { timeout: 10_000, interval: 5 })
    .toBeGreaterThan(0)
  release.resolve()
  await earlierTransaction
  expect(await delivered).toEqual(['held up'])
  await live.stop()
})

test('hands out a large read in order, in batches of bounded size', async () => {
  await untilLogReadable(service)
  const { live, announce } = startLive()
  const { environmentId } = tenant
  const follower = await live.join({ environmentId, topics: [accounts.topic] })
  if (follower === undefined) throw new Error('The reader has not started.')
  follower.moveToEnd()
  const filler = 'x'.repeat(10_000)
  const rows = Array.from({ length: 40 }, (_, n) => account(n, `${n} ${filler}`))
  await service.save(tenant, CREDENTIAL, accounts, rows)
  announce()
  const first = await follower.next()
  if (first === undefined || first === 'overtaken') throw new Error('The follower ended.')
  expect(first.length).toBeGreaterThan(1)
  expect(first.length).toBeLessThan(10)
  const rest = await readWebsites(follower, rows.length - first.length)
  const all = [...first.map(({ record }) => JSON.parse(record ?? '').website), ...rest]
  expect(all.toSorted()).toEqual(rows.map(({ website }) => website).toSorted())
  expect(new Set(all).size).toBe(rows.length)
  await live.stop()
})
