/** What a subscriber may ask for: order, a payload of its own, and messages once more. */
import { expect, test } from 'vitest'
import { decodeChangeCursor } from '../../src/query/change-cursor.ts'
import { requestReplay, requestTest } from '../../src/store/webhook-replays.ts'
import { openOffice } from './open-office.ts'
import { numbers, type PostOffice, TOPIC, until } from './post-office.ts'
import type { Received, Receiver } from './receiver.ts'

let office: PostOffice
let receiver: Receiver

openOffice((opened) => {
  ;({ office, receiver } = opened)
})

const recordOf = ({ body }: Received) => JSON.parse(body).data.record

test('in order: what concerns a record waits behind its message that fails, and nothing else does', async () => {
  const others = () => receiver.received.filter((message) => recordOf(message).remoteId !== '1')
  // Not before all others have arrived: if one of them waited for it, neither ever would.
  receiver.behave('/ordered', (response, message) => {
    const { remoteId, description } = recordOf(message)
    const fails = remoteId === '1' && description === 'v1' && others().length < 19 * 6
    response.writeHead(fails ? 500 : 200).end()
  })
  const id = await office.subscribe(`${receiver.origin}/ordered`, { isOrdered: true })
  await office.deliver()
  for (let version = 1; version <= 6; version++)
    await office.change(numbers(20), { description: `v${version}` })
  await until(() => receiver.received.map(recordOf)).toContainEqual(
    expect.objectContaining({ remoteId: '1', description: 'v6' }),
  )
  await until(() => office.waiting(id)).toBe(0)
  const versions = new Map<string, string[]>()
  for (const message of receiver.received) {
    const { remoteId, description } = recordOf(message)
    versions.set(remoteId, [...(versions.get(remoteId) ?? []), description])
  }
  const inOrder = ['v1', 'v2', 'v3', 'v4', 'v5', 'v6']
  const tries = versions.get('1') ?? []
  expect(tries.slice(-6)).toEqual(inOrder)
  expect(new Set(tries.slice(0, -6))).toEqual(new Set(['v1']))
  for (const n of numbers(19, 2)) expect(versions.get(String(n)), `record ${n}`).toEqual(inOrder)
})

test('a payload holds what was selected, under the names that were asked for', async () => {
  await office.subscribe(`${receiver.origin}/payload`, {
    payload: '{ id name: accountName staff: numberOfEmployees addresses { city } remoteFields }',
  })
  await office.deliver()
  await office.change([101], { remoteFields: { tags: [{ id: 1 }] } })
  await until(() => receiver.received.length).toBe(1)
  const [message] = receiver.received
  expect(message?.body).toContain('"remoteFields":{"tags":[{"id":1}]}')
  expect(Object.keys(recordOf(message as Received))).toEqual([
    ...['id', 'name', 'staff', 'addresses', 'remoteFields'],
  ])
  const { name, addresses } = recordOf(message as Received)
  expect(name).toBe('accountName 101 é"\\\'')
  expect(addresses).toEqual([{ city: expect.any(String) }, { city: expect.any(String) }])
})

test('messages are sent once more: one, those of a time, all since a cursor — under their own ids', async () => {
  const id = await office.subscribe(`${receiver.origin}/replay`)
  const owner = { environmentId: office.home.environmentId, subscriptionId: id }
  await office.deliver()
  await office.change([201])
  await until(() => receiver.received.length).toBe(1)
  const between = new Date(Date.now() + 50)
  await until(() => Date.now() > between.getTime() + 50).toBe(true)
  await office.change([202, 203])
  await until(() => receiver.received.length).toBe(3)
  await until(async () => (await office.attempts(id)).length).toBe(3)
  const ids = receiver.received.map((message) => message.id)
  const idOf = new Map(receiver.received.map((message) => [recordOf(message).remoteId, message.id]))
  const replayed = async (range: Parameters<typeof requestReplay>[2], count: number) => {
    const before = receiver.received.length
    expect(await requestReplay(office.database, owner, range)).toBe(true)
    await until(() => receiver.received.length).toBe(before + count)
    await until(() => office.database.prisma.webhookReplay.count()).toBe(0)
    return receiver.received
      .slice(before)
      .map((message) => message.id)
      .sort()
  }
  expect(await replayed({ messageId: ids[0] ?? '' }, 1)).toEqual([ids[0]])
  const later = { from: between, to: new Date() }
  expect(await replayed(later, 2)).toEqual([idOf.get('202'), idOf.get('203')].sort())
  const cursor = JSON.parse(receiver.received[0]?.body ?? '').data.cursor
  const since = { after: decodeChangeCursor(cursor, 'cursor') }
  expect(await replayed(since, 2)).toEqual([idOf.get('202'), idOf.get('203')].sort())
  expect(await requestReplay(office.database, owner, { messageId: 'msg_none' })).toBe(false)
})

test('a test is sent like any other message', async () => {
  const id = await office.subscribe(`${receiver.origin}/test`)
  await office.deliver()
  const messageId = await requestTest(office.database, id)
  await until(() => receiver.received.length).toBe(1)
  expect(receiver.received[0]?.id).toBe(messageId)
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
    type: 'webhook/test',
    data: { subscriptionId: id },
  })
  await until(async () => (await office.attempts(id)).length).toBe(1)
})

test('endpoints of many environments that have caught up share one reading of the log', async () => {
  const others = [await office.addEnvironment(), await office.addEnvironment()]
  const homes = [office.home, ...others]
  for (const [place, home] of homes.entries())
    for (const path of numbers(5))
      await office.subscribe(`${receiver.origin}/${place}-${path}`, {}, home)
  await office.deliver()
  await office.change([301], {}, homes[0])
  await until(() => receiver.received.length).toBe(5)
  office.statements.length = 0
  await office.change([302], {}, homes[1])
  await until(() => receiver.received.length).toBe(10)
  const count = (part: string) => office.statements.filter((sql) => sql.includes(part)).length
  const reads = count('FROM change_log.changes c\n    WHERE')
  // Each look at the log asks for its end once, and each reading once more. Whatever the number of looks,
  // one reading serves all fifteen; the first look may have begun before the statements were counted.
  const looks = count('pg_snapshot_xmin(pg_current_snapshot())::text AS xid') - reads
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThanOrEqual(looks + 1)
  // To no endpoint of another environment.
  expect(receiver.received.slice(5).every(({ path }) => path.startsWith('/1-'))).toBe(true)
  expect(receiver.received.every(({ body }) => JSON.parse(body).type === TOPIC)).toBe(true)
})
