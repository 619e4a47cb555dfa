/** What the change log forgets before it was sent is not lost in silence. */
import { afterAll, beforeAll, expect, test } from 'vitest'
import { pruneChanges } from '../../src/store/changes.ts'
import { forgottenUntil } from '../../src/store/past-records.ts'
import { readDeliveryStatus } from '../../src/store/webhook-history.ts'
import { settled } from '../support/settled.ts'
import { openPostOffice, type PostOffice, until } from './post-office.ts'
import { type Receiver, startReceiver } from './receiver.ts'

let office: PostOffice
let receiver: Receiver

beforeAll(async () => {
  office = await openPostOffice()
  receiver = await startReceiver()
})
afterAll(async () => {
  await office.close()
  await receiver.stop()
})

test('the status says until when changes were forgotten, of what missed them and of nothing else', async () => {
  const { prisma } = office.database
  const late = await office.subscribe(`${receiver.origin}/late`)
  await office.change([1, 2])
  await prisma.$executeRaw`UPDATE change_log.changes SET at = at - interval '40 days'`
  await settled(office)
  const inTime = await office.subscribe(`${receiver.origin}/in-time`)
  await office.change([3])
  await settled(office)
  while ((await pruneChanges(prisma, 30)) > 0);
  const forgotten = await forgottenUntil(office.database)
  expect(forgotten).toBeInstanceOf(Date)
  await office.deliver()
  await until(() => receiver.received.length).toBe(2)
  const missed = async (id: string) => (await readDeliveryStatus(office.database, id))?.missedUntil
  expect(await missed(late)).toBe(forgotten?.toISOString())
  expect(await missed(inTime)).toBeNull()
})

test('attempts past their time are deleted soon after a process starts', async () => {
  const { prisma } = office.database
  const id = await office.subscribe(`${receiver.origin}/old`)
  await prisma.webhookAttemptBatch.create({
    data: { subscriptionId: id, savedAt: new Date(0), messageIds: ['msg_old'], attempts: [{}] },
  })
  await office.deliver()
  await until(() => prisma.webhookAttemptBatch.count({ where: { savedAt: new Date(0) } })).toBe(0)
})
