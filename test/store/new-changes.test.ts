/** Reading at the end of the log with one statement finds the same changes as reading pages. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { catalogue } from '../../src/generated/registry.ts'
import type { ChangePosition } from '../../src/query/change-cursor.ts'
import { endOfLog, readChanges } from '../../src/store/changes/changes.ts'
import { readNewChanges } from '../../src/store/changes/new-changes.ts'
import { sampleRecord } from '../support/sample.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'
const accounts = catalogue.get('crm/accounts')
const leads = catalogue.get('crm/leads')
const topics = [accounts.topic]

let service: TestService
let tenant: Tenant
let start: ChangePosition
beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [CREDENTIAL])
})
beforeEach(async () => {
  await untilLogReadable(service)
  start = await endOfLog(service.database)
})
afterAll(() => service.stop())

const readOn = (after: ChangePosition, limit = 1000, selectedTopics: readonly string[] = topics) =>
  readNewChanges(service.database, { after, topics: selectedTopics, limit })

const save = (numbers: readonly number[], resource = accounts) =>
  service.save(
    tenant,
    CREDENTIAL,
    resource,
    numbers.map((n) => ({ ...sampleRecord(CREDENTIAL, resource, n), website: `${Math.random()}` })),
  )

test('reads the same changes as a page of the log, from every position, with one statement', async () => {
  for (let n = 0; n < 6; n++) {
    await save([1, 2, 3])
    await save([n], leads)
  }
  await untilLogReadable(service)
  const { changes } = await readChanges(service.database, { after: start, limit: 100 })
  expect(changes).toHaveLength(24)
  for (const after of [start, ...changes.map(({ position }) => position)])
    for (const limit of [1, 5, 100])
      for (const of of [topics, [leads.topic], [accounts.topic, leads.topic]]) {
        const page = await readChanges(service.database, { after, topics: of, limit })
        service.takeStatements()
        const found = await readOn(after, limit, of)
        expect(service.takeStatements()).toHaveLength(1)
        expect(found.changes).toEqual(page.changes)
        if (page.changes.length === limit) expect(found.next).toEqual(page.next)
      }
})

test('waits for a transaction that began before a committed one, and reports that it waits', async () => {
  const transactionStarted = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const openTransaction = service.database.transaction(async (transaction) => {
    await transaction.prisma.$queryRaw`SELECT pg_current_xact_id()::text`
    transactionStarted.resolve()
    await release.promise
  })
  await transactionStarted.promise
  await save([1])
  const between = await readOn(start)
  expect(between).toMatchObject({ changes: [], isDelayed: true })
  release.resolve()
  await openTransaction
  await untilLogReadable(service)
  const after = await readOn(between.next)
  expect(after.changes.map(({ topic }) => topic)).toEqual(topics)
})

test('misses nothing and reads nothing twice while 8 writers commit out of order or roll back', async () => {
  const committed: string[] = []
  const write = async (writer: number): Promise<void> => {
    const { id } = sampleRecord(CREDENTIAL, accounts, writer)
    for (let round = 0; round < 40; round++) {
      const version = `${writer}/${round}`
      const commits = (round + writer) % 4 !== 0
      const written = service.database.transaction(async (transaction) => {
        // The transaction id is assigned now, and the commit follows after a random delay.
        await transaction.prisma.$executeRaw`
          INSERT INTO change_log.changes (environment_id, credential_id, topic, kind, record_id, record)
          VALUES (${tenant.environmentId}::uuid, ${CREDENTIAL}::uuid, ${accounts.topic}, 'updated',
            ${id}::uuid, ${JSON.stringify({ version })}::json)`
        await wait((writer * 7 + round * 13) % 23)
        if (!commits) throw new Error('rolled back')
      })
      await written.catch((error: Error) => {
        if (error.message !== 'rolled back') throw error
      })
      if (commits) committed.push(version)
    }
  }
  let isWriting = true
  let sawHeldUp = false
  const seen: string[] = []
  const follow = async (): Promise<void> => {
    let after = start
    for (;;) {
      const wasWriting = isWriting
      const found = await readOn(after, 7)
      seen.push(...found.changes.map(({ record }) => JSON.parse(record ?? '').version))
      after = found.next
      sawHeldUp ||= found.isDelayed
      if (found.changes.length === 0 && !wasWriting) return
    }
  }
  const following = follow()
  await Promise.all(Array.from({ length: 8 }, (_, writer) => write(writer)))
  await untilLogReadable(service)
  isWriting = false
  await following
  expect(seen.toSorted()).toEqual(committed.toSorted())
  // The test needs at least one open transaction behind a change that was read.
  expect(sawHeldUp).toBe(true)
}, 60_000)
