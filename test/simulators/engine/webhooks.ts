/** Signed webhooks: events of changes, sent in batches, with retries, duplicates and disorder on demand. */
import type { Account } from './accounts.ts'
import type { Clock } from './clock.ts'
import type { Json } from './json.ts'
import type { Change } from './store.ts'

export interface WebhookEvent {
  readonly accountId: string
  /** The topic, by which subscriptions select events. */
  readonly topic: string
  readonly atMs: number
  readonly payload: Json
}

export interface WebhookMessage {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface WebhookSubscription {
  readonly id: string
  readonly url: string
  readonly secret: string
  /** Undefined: the events of every account. */
  readonly accountId?: string
  /** Undefined: every topic. */
  readonly topics?: readonly string[]
  /** The fields of a message. Undefined: all. */
  readonly fields?: readonly string[]
}

/** How a vendor sends webhooks. */
export interface WebhookPolicy {
  readonly eventsOf: (change: Change, account: Account) => readonly WebhookEvent[]
  /** How long after a change its event is sent, so that events can share a message. */
  readonly delayMs: number
  readonly maxEventsPerMessage: number
  /** Whether one message may have events of several accounts. */
  readonly mixesAccounts: boolean
  /** The signed message. `messageId` is the same for every attempt. */
  readonly messageOf: (message: {
    readonly events: readonly WebhookEvent[]
    readonly subscription: WebhookSubscription
    readonly messageId: string
    readonly attempt: number
    readonly nowMs: number
  }) => WebhookMessage
  /** The delay before each further attempt. */
  readonly retryDelaysMs: readonly number[]
  /** How long the receiver may take. */
  readonly timeoutMs: number
  /** After so many messages that failed finally in a row, the subscription is removed. Default: never. */
  readonly removedAfterFailures?: number
}

/** How the next delivery of messages is disturbed. */
export interface Disturbance {
  /** The number of additional copies of each message. */
  readonly duplicates?: number
  /** The latest message is sent first. */
  readonly reversed?: boolean
  /** Nothing is sent; the events are lost. */
  readonly lost?: boolean
}

export interface Delivery {
  readonly messageId: string
  readonly subscriptionId: string
  readonly url: string
  readonly attempt: number
  readonly message: WebhookMessage
  /** Undefined: no response in time, or no connection. */
  readonly status: number | undefined
}

export interface Webhooks {
  subscribe(subscription: WebhookSubscription): void
  /** @returns whether it existed */
  unsubscribe(id: string): boolean
  readonly subscriptions: ReadonlyMap<string, WebhookSubscription>
  /** Sends the messages and retries that are due by the vendor's clock, and waits for their responses. */
  deliver(): Promise<readonly Delivery[]>
  disturbNext(disturbance: Disturbance): void
  /** Every attempt, oldest first. */
  readonly deliveries: readonly Delivery[]
  /** The number of events and messages that wait to be sent. */
  pending(): number
}

interface PendingEvent {
  readonly event: WebhookEvent
  readonly subscriptionId: string
  readonly dueAtMs: number
}

interface PendingMessage {
  readonly messageId: string
  readonly subscriptionId: string
  readonly events: readonly WebhookEvent[]
  readonly attempt: number
  readonly dueAtMs: number
}

export interface WebhookSender extends Webhooks {
  /** Queues the events of a change. */
  announce(change: Change, account: Account): void
}

const post = async (url: string, { headers, body }: WebhookMessage, timeoutMs: number) => {
  try {
    const signal = AbortSignal.timeout(timeoutMs)
    const response = await fetch(url, { method: 'POST', headers, body, redirect: 'manual', signal })
    await response.arrayBuffer()
    return response.status
  } catch {
    // No connection, or no response in time.
    return undefined
  }
}

const isWanted = ({ accountId, topics }: WebhookSubscription, event: WebhookEvent): boolean =>
  (accountId ?? event.accountId) === event.accountId &&
  (topics === undefined || topics.includes(event.topic))

/** Events in groups that may share a message, in the order of their changes. */
const batchesOf = (
  { mixesAccounts, maxEventsPerMessage }: WebhookPolicy,
  events: readonly WebhookEvent[],
): readonly (readonly WebhookEvent[])[] => {
  const groups = Map.groupBy(events, ({ accountId }) => (mixesAccounts ? '' : accountId))
  return [...groups.values()].flatMap((group) =>
    Array.from({ length: Math.ceil(group.length / maxEventsPerMessage) }, (_, index) =>
      group.slice(index * maxEventsPerMessage, (index + 1) * maxEventsPerMessage),
    ),
  )
}

const isSuccess = ({ status = 0 }: Delivery): boolean => status >= 200 && status < 300

export const createWebhooks = (policy: WebhookPolicy, clock: Clock): WebhookSender => {
  const subscriptions = new Map<string, WebhookSubscription>()
  const failuresInARow = new Map<string, number>()
  const deliveries: Delivery[] = []
  let events: PendingEvent[] = []
  let messages: PendingMessage[] = []
  let disturbance: Disturbance = {}
  let lastMessage = 0

  const isDue = ({ dueAtMs }: { readonly dueAtMs: number }): boolean => dueAtMs <= clock.steadyMs()

  /** Turns the events that are due into messages. */
  const formMessages = (): void => {
    const groups = Map.groupBy(events, isDue)
    events = groups.get(false) ?? []
    const bySubscription = Map.groupBy(
      groups.get(true) ?? [],
      ({ subscriptionId }) => subscriptionId,
    )
    for (const [subscriptionId, pending] of bySubscription)
      for (const batch of batchesOf(
        policy,
        pending.map(({ event }) => event),
      )) {
        const messageId = `message-${++lastMessage}`
        const dueAtMs = clock.steadyMs()
        messages.push({ messageId, subscriptionId, events: batch, attempt: 1, dueAtMs })
      }
  }

  /** Counts a message whose last attempt has failed. */
  const countFailure = (subscriptionId: string): void => {
    const failures = (failuresInARow.get(subscriptionId) ?? 0) + 1
    failuresInARow.set(subscriptionId, failures)
    if (failures >= (policy.removedAfterFailures ?? Infinity)) subscriptions.delete(subscriptionId)
  }

  const settle = (message: PendingMessage, isDelivered: boolean): void => {
    const { subscriptionId, attempt } = message
    const retryDelayMs = policy.retryDelaysMs[attempt - 1]
    if (isDelivered) failuresInARow.delete(subscriptionId)
    else if (retryDelayMs === undefined) countFailure(subscriptionId)
    else
      messages.push({ ...message, attempt: attempt + 1, dueAtMs: clock.steadyMs() + retryDelayMs })
  }

  const send = async (
    { messageId, events: content, attempt }: PendingMessage,
    subscription: WebhookSubscription,
  ): Promise<Delivery> => {
    const nowMs = clock.nowMs()
    const message = policy.messageOf({ events: content, subscription, messageId, attempt, nowMs })
    const status = await post(subscription.url, message, policy.timeoutMs)
    const { id: subscriptionId, url } = subscription
    const delivery = { messageId, subscriptionId, url, attempt, message, status }
    deliveries.push(delivery)
    return delivery
  }

  const deliver = async (): Promise<readonly Delivery[]> => {
    formMessages()
    const groups = Map.groupBy(messages, isDue)
    const due = groups.get(true) ?? []
    messages = groups.get(false) ?? []
    if (due.length === 0) return []
    const { duplicates = 0, reversed = false, lost = false } = disturbance
    disturbance = {}
    if (lost) return []
    const sent: Delivery[] = []
    for (const message of reversed ? due.reverse() : due) {
      const subscription = subscriptions.get(message.subscriptionId)
      if (!subscription) continue
      const copies: Delivery[] = []
      for (let copy = 0; copy <= duplicates; copy++) copies.push(await send(message, subscription))
      settle(message, copies.some(isSuccess))
      sent.push(...copies)
    }
    return sent
  }

  /** Events that nobody has subscribed to at the time of the change are not sent later. */
  const announce = (change: Change, account: Account): void => {
    if (subscriptions.size === 0) return
    const dueAtMs = clock.steadyMs() + policy.delayMs
    for (const event of policy.eventsOf(change, account))
      for (const subscription of subscriptions.values())
        if (isWanted(subscription, event))
          events.push({ event, subscriptionId: subscription.id, dueAtMs })
  }

  return {
    subscribe: (subscription) => void subscriptions.set(subscription.id, subscription),
    unsubscribe: (id) => subscriptions.delete(id),
    subscriptions,
    deliver,
    disturbNext: (next) => {
      disturbance = next
    },
    deliveries,
    pending: () => events.length + messages.length,
    announce,
  }
}
