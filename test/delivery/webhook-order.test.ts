/** Subscription options: ordered delivery, custom payloads and replays. */
import { expect, test } from 'vitest'
import { decodeChangeCursor } from '../../src/query/change-cursor.ts'
import { requestReplay, requestTest } from '../../src/store/webhooks/webhook-replays.ts'
import type { Received, Receiver } from './receiver.ts'
import { shareWebhookHarness } from './shared-webhook-harness.ts'
import { numbers, TOPIC, until, type WebhookHarness } from './webhook-harness.ts'

let harness: WebhookHarness
let receiver: Receiver

shareWebhookHarness((opened) => {
  harness = opened.harness
  receiver = opened.receiver
})

const recordOf = ({ body }: Received) => JSON.parse(body).data.record

test('in ordered mode, messages about a record wait behind its failing message, and no others wait', async () => {
  const listOtherMessages = () =>
    receiver.received.filter((message) => recordOf(message).remoteId !== '1')
  // Both wait for all others to arrive, so a wrong dependency would block the test.
  receiver.behave('/ordered', (response, message) => {
    const { remoteId, description } = recordOf(message)
    const fails = remoteId === '1' && description === 'v1' && listOtherMessages().length < 19 * 6
    response.writeHead(fails ? 500 : 200).end()
  })
  const id = await harness.subscribe(`${receiver.origin}/ordered`, { isOrdered: true })
  await harness.deliver()
  for (let version = 1; version <= 6; version++)
    await harness.change(numbers(20), { description: `v${version}` })
  await until(() => receiver.received.map(recordOf)).toContainEqual(
    expect.objectContaining({ remoteId: '1', description: 'v6' }),
  )
  await until(() => harness.waiting(id)).toBe(0)
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

test('a payload contains the selected fields under the requested names', async () => {
  await harness.subscribe(`${receiver.origin}/payload`, {
    payload: '{ id name: accountName staff: numberOfEmployees addresses { city } remoteFields }',
  })
  await harness.deliver()
  await harness.change([101], { remoteFields: { tags: [{ id: 1 }] } })
  await until(() => receiver.received.length).toBe(1)
  const [message] = receiver.received
  expect(message?.body).toContain('"remoteFields":{"tags":[{"id":1}]}')
  expect(Object.keys(recordOf(message as Received))).toEqual([
    'id',
    'name',
    'staff',
    'addresses',
    'remoteFields',
  ])
  const { name, addresses } = recordOf(message as Received)
  expect(name).toBe('accountName 101 é"\\\'')
  expect(addresses).toEqual([{ city: expect.any(String) }, { city: expect.any(String) }])
})

test('replays one message, a time range or everything since a cursor, under the original ids', async () => {
  const id = await harness.subscribe(`${receiver.origin}/replay`)
  const owner = { environmentId: harness.owner.environmentId, subscriptionId: id }
  await harness.deliver()
  await harness.change([201])
  await until(() => receiver.received.length).toBe(1)
  const between = new Date(Date.now() + 50)
  await until(() => Date.now() > between.getTime() + 50).toBe(true)
  await harness.change([202, 203])
  await until(() => receiver.received.length).toBe(3)
  await until(async () => (await harness.attempts(id)).length).toBe(3)
  const ids = receiver.received.map((message) => message.id)
  const idOf = new Map(receiver.received.map((message) => [recordOf(message).remoteId, message.id]))
  const replayAndCollect = async (range: Parameters<typeof requestReplay>[2], count: number) => {
    const before = receiver.received.length
    expect(await requestReplay(harness.database, owner, range)).toBe(true)
    await until(() => receiver.received.length).toBe(before + count)
    await until(() => harness.database.prisma.webhookReplay.count()).toBe(0)
    return receiver.received
      .slice(before)
      .map((message) => message.id)
      .sort()
  }
  expect(await replayAndCollect({ messageId: ids[0] ?? '' }, 1)).toEqual([ids[0]])
  const later = { from: between, to: new Date() }
  expect(await replayAndCollect(later, 2)).toEqual([idOf.get('202'), idOf.get('203')].sort())
  const cursor = JSON.parse(receiver.received[0]?.body ?? '').data.cursor
  const since = { after: decodeChangeCursor(cursor, 'cursor') }
  expect(await replayAndCollect(since, 2)).toEqual([idOf.get('202'), idOf.get('203')].sort())
  expect(await requestReplay(harness.database, owner, { messageId: 'msg_none' })).toBe(false)
})

test('sends a test message like any other', async () => {
  const id = await harness.subscribe(`${receiver.origin}/test`)
  await harness.deliver()
  const messageId = await requestTest(harness.database, id)
  await until(() => receiver.received.length).toBe(1)
  expect(receiver.received[0]?.id).toBe(messageId)
  expect(JSON.parse(receiver.received[0]?.body ?? '')).toMatchObject({
    type: 'webhook/test',
    data: { subscriptionId: id },
  })
  await until(async () => (await harness.attempts(id)).length).toBe(1)
})

test('endpoints of many environments that are up to date share one read of the log', async () => {
  const others = [await harness.addEnvironment(), await harness.addEnvironment()]
  const environments = [harness.owner, ...others]
  for (const [place, environment] of environments.entries())
    for (const path of numbers(5))
      await harness.subscribe(`${receiver.origin}/${place}-${path}`, {}, environment)
  await harness.deliver()
  await harness.change([301], {}, environments[0])
  await until(() => receiver.received.length).toBe(5)
  harness.statements.length = 0
  await harness.change([302], {}, environments[1])
  await until(() => receiver.received.length).toBe(10)
  const count = (part: string) => harness.statements.filter((sql) => sql.includes(part)).length
  const reads = count('FROM change_log.changes c\n    WHERE')
  // Each poll queries the end of the log. However many polls there are, one read serves all fifteen
  // endpoints; the first poll may precede the statement count.
  const looks = count('pg_snapshot_xmin(pg_current_snapshot())::text AS xid')
  expect(reads).toBeGreaterThan(0)
  expect(reads).toBeLessThanOrEqual(looks + 1)
  // No endpoint of another environment receives it.
  expect(receiver.received.slice(5).every(({ path }) => path.startsWith('/1-'))).toBe(true)
  expect(receiver.received.every(({ body }) => JSON.parse(body).type === TOPIC)).toBe(true)
})

test('only an outcome that waits for a retry is on disk before the next messages are sent', async () => {
  receiver.behave('/disk', (response, message) => {
    response.writeHead(recordOf(message).remoteId === '402' ? 500 : 200).end()
  })
  const id = await harness.subscribe(`${receiver.origin}/disk`)
  await harness.deliver()
  harness.statements.length = 0
  const listSaves = () => harness.statements.filter((sql) => sql.includes('INTO webhook_retries'))
  await harness.change([401])
  await until(listSaves).toEqual([expect.stringContaining('synchronous_commit')])
  harness.statements.length = 0
  await harness.change([402])
  await until(() => harness.waiting(id)).toBe(1)
  await until(listSaves).toContainEqual(expect.not.stringContaining('synchronous_commit'))
})
