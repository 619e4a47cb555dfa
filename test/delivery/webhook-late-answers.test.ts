/** The database's answers that are out of date when they come. */
import { expect, test } from 'vitest'
import { requestReplay } from '../../src/store/webhook-replays.ts'
import { createLateDatabase, type HeldAnswer } from './late-database.ts'
import { openOffice } from './open-office.ts'
import { type PostOffice, until } from './post-office.ts'
import { ok, type Receiver, status } from './receiver.ts'

let office: PostOffice
let receiver: Receiver

openOffice((opened) => {
  ;({ office, receiver } = opened)
})

/** Waits until the process knows that what it has saved so far is saved: checkpoints follow each other. */
const nextCheckpoint = async (id: string, number: number): Promise<void> => {
  const before = (await office.attempts(id)).length
  await office.change([number])
  await until(async () => (await office.attempts(id)).length).toBe(before + 1)
}

const statuses = async (id: string, messageId: string | undefined) =>
  (await office.attempts(id))
    .filter((attempt) => attempt.messageId === messageId)
    .map((attempt) => attempt.status)

test('a message that was delivered while the due ones were asked for is not sent again', async () => {
  const late = createLateDatabase(office.database)
  const id = await office.subscribe(`${receiver.origin}/due`)
  let answer = (): void => {}
  let held: HeldAnswer | undefined
  receiver.behave('/due', (response, message, place) => {
    if (place === 0) return status(500)(response, message, place)
    if (place > 1) return ok(response, message, place)
    // From here on the message is in hand, and due as far as the database knows.
    held = late.hold('due')
    answer = () => ok(response, message, place)
  })
  await office.deliver({ database: late.database })
  await office.change([1])
  await until(() => held).toBeDefined()
  await held?.read
  answer()
  await until(() => office.waiting(id)).toBe(0)
  await nextCheckpoint(id, 2)
  held?.release()
  await office.stopAll()
  const messageId = receiver.at('/due')[0]?.id
  expect(await statuses(id, messageId)).toEqual([500, 204])
  expect(receiver.at('/due').filter((message) => message.id === messageId)).toHaveLength(2)
})

test('a replay that ended while the replays were asked for is not sent again', async () => {
  const late = createLateDatabase(office.database)
  const id = await office.subscribe(`${receiver.origin}/replay`)
  const owner = { environmentId: office.home.environmentId, subscriptionId: id }
  const replays = () => office.database.prisma.webhookReplay.count()
  // While the answer is held, the lease is not renewed.
  await office.deliver({ database: late.database, leaseMs: 20_000 })
  await nextCheckpoint(id, 11)
  const [messageId = ''] = receiver.at('/replay').map((message) => message.id)
  let answer = (): void => {}
  let held: HeldAnswer | undefined
  receiver.behave('/replay', (response, message, place) => {
    if (place > 1) return ok(response, message, place)
    held = late.hold('replays')
    answer = () => ok(response, message, place)
  })
  await requestReplay(office.database, owner, { messageId })
  await until(() => held).toBeDefined()
  await held?.read
  answer()
  await until(replays).toBe(0)
  await nextCheckpoint(id, 12)
  held?.release()
  await nextCheckpoint(id, 13)
  await office.stopAll()
  expect(await statuses(id, messageId)).toEqual([204, 204])
})
