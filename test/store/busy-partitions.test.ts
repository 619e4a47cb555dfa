/** Creating and dropping partitions does not disturb writers or readers. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { ChangePosition } from '../../src/query/change-cursor.ts'
import { dropOldestPartition } from '../../src/store/changes/change-partitions.ts'
import { readChanges } from '../../src/store/changes/changes.ts'
import { openPartitions } from '../support/log-partitions.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'

const WRITERS = 8
const ROUNDS = 40
const DAYS = 30
const LIMITS = { timeoutMs: 60_000, maxWaitMs: 60_000 }

let service: TestService
let tenant: Tenant
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

test('8 writers and a reader continue while partitions are created and dropped: no failure, no gap, no duplicate', async () => {
  const { prisma } = service.database
  const partitions = openPartitions(service.database)
  await partitions.reset(2, 40)
  const committed: string[] = []
  const received: string[] = []
  let place: ChangePosition = { epoch: 0n, xid: 0n, sequence: 0n }
  let isWriting = true
  const counts = { made: 0, dropped: 0 }
  // Transactions of other tests may delay the drop.
  const isOver = (round: number) => round >= ROUNDS && counts.made > 1 && counts.dropped > 1

  const write = async (writer: number): Promise<void> => {
    for (let round = 0; !isOver(round); round++) {
      const version = `${writer}/${round}`
      const commits = (writer + round) % 5 !== 0
      const written = service.database.transaction(async (open) => {
        await open.prisma.$executeRaw`
          INSERT INTO change_log.changes (environment_id, topic, kind, record)
          VALUES (${tenant.environmentId}::uuid, 'crm/accounts', 'updated',
            ${JSON.stringify({ version })}::json)`
        await wait((writer * 7 + round * 13) % 23)
        if (!commits) throw new Error('rolled back')
      }, LIMITS)
      await written.catch((error: Error) => {
        if (error.message !== 'rolled back') throw error
      })
      if (commits) committed.push(version)
    }
  }
  const readOn = async (): Promise<void> => {
    const page = await readChanges(service.database, { after: place, limit: 7 })
    // Only changes already read are made old: a gap would be one that the log does not report.
    expect(page.truncated).toBe(false)
    received.push(...page.changes.map(({ record }) => JSON.parse(record ?? '').version))
    place = page.next
    if (page.changes.length === 0) await wait(5)
  }
  const follow = async (): Promise<void> => {
    while (isWriting) await readOn()
  }
  const managePartitions = async (): Promise<void> => {
    while (isWriting) {
      const { epoch, xid } = place
      await prisma.$executeRaw`
        UPDATE change_log.changes SET at = now() - interval '40 days'
        WHERE (epoch, xid) < (${epoch}::bigint, ${String(xid)}::text::xid8)
          AND at > now() - interval '1 day'`
      if (((await partitions.makePartitions(2, 40)) ?? 0) > 0) counts.made += 1
      if ((await dropOldestPartition(service.database, DAYS)) === 'done') counts.dropped += 1
      await wait(10)
    }
  }
  const following = Promise.all([follow(), managePartitions(), managePartitions()])
  await Promise.all(Array.from({ length: WRITERS }, (_, writer) => write(writer)))
  isWriting = false
  await following
  await untilLogReadable(service)
  let before: number
  do {
    before = received.length
    await readOn()
  } while (received.length > before)
  expect(new Set(received).size).toBe(received.length)
  expect([...received].sort()).toEqual([...committed].sort())
})
