/** Subscriptions that are disabled, deleted or moved while changes arrive, in processes that get no notifications. */
import { expect, test } from 'vitest'
import { readPayload } from '../../src/api/payload-selection.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { createChangeSignal } from '../../src/store/changes/change-signal.ts'
import {
  deleteWebhook,
  updateWebhook,
  type WebhookChange,
} from '../../src/store/webhooks/webhooks.ts'
import type { Receiver } from './receiver.ts'
import { shareWebhookHarness } from './shared-webhook-harness.ts'
import { numbers, until, type WebhookHarness } from './webhook-harness.ts'

let harness: WebhookHarness
let receiver: Receiver

shareWebhookHarness((opened) => {
  harness = opened.harness
  receiver = opened.receiver
})

const update = (id: string, change: WebhookChange) =>
  updateWebhook(harness.database, harness.owner.environmentId, id, change, (topics, text) =>
    readPayload(catalogue, topics, text),
  )

const namesAt = (path: string): string[] =>
  receiver.at(path).map(({ body }) => JSON.parse(body).data.record.accountName)

/** Starts two processes, the second without notifications; each holds half of the subscriptions. */
const deliverTwice = async (subscriptions: number): Promise<void> => {
  const withoutNotifications = createChangeSignal({ on: () => {} })
  withoutNotifications.start()
  // A process that stalls for longer than its lease loses it, and its deliveries repeat.
  await harness.deliver({ leaseMs: 20_000 })
  await harness.deliver({ leaseMs: 20_000, changeSignal: withoutNotifications })
  await until(async () => {
    const groups = await harness.database.prisma.webhookDelivery.groupBy({
      by: ['holder'],
      where: { holder: { not: null } },
      _count: true,
    })
    return groups.map((group) => group._count)
  }).toEqual([subscriptions / 2, subscriptions / 2])
}

test('changes after a subscription is disabled, deleted or moved are not sent to the old address', async () => {
  const SUBSCRIPTIONS_PER_KIND = 4
  const pathsOf = (kind: string): string[] =>
    numbers(SUBSCRIPTIONS_PER_KIND).map((n) => `/${kind}-${n}`)
  const kinds = ['kept', 'off', 'deleted', 'moved']
  const ids = new Map<string, string>()
  // Alternating, so that each process holds some of each kind.
  for (const n of numbers(SUBSCRIPTIONS_PER_KIND))
    for (const kind of kinds)
      ids.set(`/${kind}-${n}`, await harness.subscribe(`${receiver.origin}/${kind}-${n}`))
  const idOf = (path: string): string => ids.get(path) ?? ''
  await deliverTwice(kinds.length * SUBSCRIPTIONS_PER_KIND)
  await harness.change([1], { accountName: 'before' })
  for (const path of ids.keys()) await until(() => namesAt(path)).toEqual(['before'])

  await Promise.all([
    ...pathsOf('off').map((path) => update(idOf(path), { isEnabled: false })),
    ...pathsOf('deleted').map((path) =>
      deleteWebhook(harness.database, harness.owner.environmentId, idOf(path)),
    ),
    ...pathsOf('moved').map((path) =>
      update(idOf(path), { address: `${receiver.origin}${path}-to` }),
    ),
  ])
  await harness.change([2], { accountName: 'after' })
  for (const path of pathsOf('kept')) await until(() => namesAt(path)).toEqual(['before', 'after'])
  for (const path of pathsOf('moved')) await until(() => namesAt(`${path}-to`)).toEqual(['after'])
  for (const path of [...pathsOf('off'), ...pathsOf('deleted'), ...pathsOf('moved')])
    expect(namesAt(path), path).toEqual(['before'])

  // Nothing is lost: once enabled again, a subscription resumes where it stopped.
  for (const path of pathsOf('off')) await update(idOf(path), { isEnabled: true })
  for (const path of pathsOf('off')) await until(() => namesAt(path)).toEqual(['before', 'after'])
})

test('queued changes are not sent soon after the subscription is disabled', async () => {
  const COUNT = 400
  const responders: (() => void)[] = []
  receiver.behave('/slow', (response) => {
    const respond = (): void => void response.writeHead(204).end()
    if (responders.length < 4) responders.push(respond)
    else respond()
  })
  const id = await harness.subscribe(`${receiver.origin}/slow`)
  await harness.deliver({ leaseMs: 60_000, graceMs: 60_000, concurrency: 4 })
  await harness.change(numbers(COUNT, 1000))
  await until(() => responders.length).toBe(4)
  await update(id, { isEnabled: false })
  // The process has released the subscription and waits for the four requests under way.
  const countHeldDeliveries = () =>
    harness.database.prisma.webhookDelivery.count({ where: { holder: { not: null } } })
  harness.statements.length = 0
  await until(
    () => harness.statements.filter((text) => text.includes('n.version')).length,
  ).toBeGreaterThan(1)
  for (const respond of responders) respond()
  await until(countHeldDeliveries).toBe(0)
  expect(receiver.at('/slow')).toHaveLength(4)
})
