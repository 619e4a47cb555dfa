/** Signed webhooks: events of changes, sent in batches, with retries, duplicates and disorder on demand. */
import type { Account } from './accounts.ts'
import type { Clock } from './clock.ts'
import type { Json } from './json.ts'
import type { Change } from './store.ts'

export interface WebhookEvent {
  readonly accountId: string
  /** What subscriptions select by. */
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

/** What happens to the messages of the next delivery. */
export interface Disturbance {
  /** Each message is sent so many times more. */
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

interface PendingMessage {
  readonly messageId: string
  readonly subscriptionId: string
  readonly events: readonly WebhookEvent[]
  attempt: number
  dueAtMs: number
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

export const createWebhooks = (policy: WebhookPolicy, clock: Clock): WebhookSender => {
  const subscriptions = new Map<string, WebhookSubscription>()
  const failuresInARow = new Map<string, number>()
  const deliveries: Delivery[] = []
  let events: WebhookEvent[] = []
  let messages: PendingMessage[] = []
  let disturbance: Disturbance = {}
  let lastMessage = 0

  /** Events in groups that may share a message, in the order of their changes. */
  const batches = (wanted: readonly WebhookEvent[]): readonly (readonly WebhookEvent[])[] => {
    const groups = new Map<string, WebhookEvent[][]>()
    for (const event of wanted) {
      const key = policy.mixesAccounts ? '' : event.accountId
      const found = groups.get(key) ?? []
      groups.set(key, found)
      const last = found.at(-1)
      if (last && last.length < policy.maxEventsPerMessage) last.push(event)
      else found.push([event])
    }
    return [...groups.values()].flat()
  }

  const formMessages = (): void => {
    const nowMs = clock.steadyMs()
    const isDue = ({ dueAtMs }: { readonly dueAtMs: number }) => dueAtMs <= nowMs
    const dueEvents = events.filter(({ atMs }) => isDue({ dueAtMs: atMs + policy.delayMs }))
    events = events.filter((event) => !dueEvents.includes(event))
    for (const { id, ...subscription } of subscriptions.values())
      for (const batch of batches(
        dueEvents.filter((event) => isWanted({ id, ...subscription }, event)),
      ))
        messages.push({
          messageId: `message-${++lastMessage}`,
          subscriptionId: id,
          events: batch,
          attempt: 1,
          dueAtMs: nowMs,
        })
  }

  const settle = (message: PendingMessage, isDelivered: boolean): void => {
    const { subscriptionId, attempt } = message
    const retryDelayMs = policy.retryDelaysMs[attempt - 1]
    if (isDelivered) failuresInARow.delete(subscriptionId)
    else if (retryDelayMs !== undefined)
      messages.push({ ...message, attempt: attempt + 1, dueAtMs: clock.steadyMs() + retryDelayMs })
    else {
      const failures = (failuresInARow.get(subscriptionId) ?? 0) + 1
      failuresInARow.set(subscriptionId, failures)
      if (failures >= (policy.removedAfterFailures ?? Infinity))
        subscriptions.delete(subscriptionId)
    }
  }

  const send = async (pending: PendingMessage): Promise<Delivery | undefined> => {
    const subscription = subscriptions.get(pending.subscriptionId)
    if (!subscription) return undefined
    const { messageId, attempt } = pending
    const nowMs = clock.nowMs()
    const message = policy.messageOf({ ...pending, subscription, messageId, nowMs })
    const status = await post(subscription.url, message, policy.timeoutMs)
    const { id: subscriptionId, url } = subscription
    const delivery = { messageId, subscriptionId, url, attempt, message, status }
    deliveries.push(delivery)
    return delivery
  }

  const deliver = async (): Promise<readonly Delivery[]> => {
    formMessages()
    const due = messages.filter(({ dueAtMs }) => dueAtMs <= clock.steadyMs())
    messages = messages.filter((message) => !due.includes(message))
    if (due.length === 0) return []
    const { duplicates = 0, reversed = false, lost = false } = disturbance
    disturbance = {}
    if (lost) return []
    const sent: Delivery[] = []
    for (const message of reversed ? due.reverse() : due) {
      const copies: (Delivery | undefined)[] = []
      for (let copy = 0; copy <= duplicates; copy++) copies.push(await send(message))
      const made = copies.filter((delivery) => delivery !== undefined)
      sent.push(...made)
      const isDelivered = made.some(({ status = 0 }) => status >= 200 && status < 300)
      if (made.length > 0) settle(message, isDelivered)
    }
    return sent
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
    announce: (change, account) => void events.push(...policy.eventsOf(change, account)),
  }
}
