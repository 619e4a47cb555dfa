/** One webhook endpoint that this process owns: its queued and in-flight messages, and their outcomes. */
import { ALL_TOPICS } from '../definition/change.ts'
import type { Change } from '../store/changes/changes.ts'
import type { DeliverySettings } from '../store/webhooks/webhook-deliveries.ts'
import type { MessageRetry, NewRetry } from '../store/webhooks/webhook-progress.ts'
import type { WebhookReplay } from '../store/webhooks/webhook-replays.ts'
import { type AttemptOutcome, attemptMessage, type Destination, isSuccess } from './attempt.ts'
import { createCircuit } from './circuit.ts'
import type { DeliveryContext } from './context.ts'
import { createEndpointLog } from './endpoint-log.ts'
import { type Message, messageOf } from './message.ts'
import type { EndedAttempt, UnsavedOutcomes } from './outcomes.ts'
import { retryInMs } from './schedule.ts'
import { webhookKeys } from './signature.ts'
import { createStream, type Entry, type Stream } from './stream.ts'
import { createRecordOrder, type WaitingMessage } from './waiting.ts'

export interface Replay {
  readonly id: string
  readonly stream: Stream
}

export type Endpoint = ReturnType<typeof createEndpoint>

/** A message in flight. A new message has an `entry`; a retry has none. */
interface Task {
  readonly message: Message
  readonly entry?: { readonly stream: Stream; readonly entry: Entry }
}

export const createEndpoint = (
  settings: DeliverySettings,
  waitingMessages: readonly WaitingMessage[],
  context: DeliveryContext,
) => {
  const { id, environmentId, environment, isOrdered, selection } = settings
  const { limits, nowMs } = context
  const topics = new Set(settings.topics)
  const isWanted = (change: Change): boolean =>
    change.environmentId === environmentId && (topics.has(ALL_TOPICS) || topics.has(change.topic))
  const { position, ahead } = settings
  const main = createStream({ position, ahead, isWanted })
  let replays: readonly Replay[] = []
  const log = createEndpointLog(context.log, id, settings.failingSince !== null)
  const circuit = createCircuit(settings, limits, log)
  const waiting = createRecordOrder(isOrdered, waitingMessages)
  const address = new URL(settings.address)
  const channel = context.transport.open(address)
  const keys = webhookKeys(settings, nowMs)
  const destination: Destination = { channel, subscriptionId: id, address, keys }
  let isAborted = false
  let isStopped = false
  let inFlight = 0
  let retriesInFlight = 0
  /** Resolved when the endpoint is stopped and no message is in flight. */
  const drained = Promise.withResolvers<void>()
  const due: MessageRetry[] = []
  /** Ids of retries that are loaded, in flight or not yet saved here. */
  const loaded = new Set<string>()
  /** Ids saved since the current query started, whose result may be from before the save. */
  const savedSinceQuery = { messages: new Set<string>(), replays: new Set<string>() }
  let attempts: EndedAttempt[] = []
  /** Number of attempts in the checkpoint that is being saved. */
  let saving = 0
  /** Retry rows to save, by message id; `undefined`: the row is to be deleted. */
  let rows = new Map<string, NewRetry | undefined>()
  let isDirty = false
  let disableReason: { readonly reason: string; readonly status: number | null } | undefined

  // Early enough that sending continues while the checkpoint is saved.
  const saveAt = Math.max(1, Math.floor(((limits.window - limits.concurrency) * 2) / 3))

  let streams: readonly Stream[] = [main]
  const setReplays = (next: readonly Replay[]): void => {
    replays = next
    streams = [main, ...replays.map(({ stream }) => stream)]
  }

  const waitFor = (message: Message, tries: number, dueInMs: number): void => {
    const { id: messageId, topic, change, recordId, body, traceparent } = message
    waiting.add({ messageId, recordId })
    loaded.add(messageId)
    const retry = { subscriptionId: id, messageId, topic, change, recordId, body, traceparent }
    rows.set(messageId, { ...retry, attempts: tries, dueInMs })
  }

  const endWait = ({ id: messageId, recordId }: Message): void => {
    if (!loaded.has(messageId)) return
    waiting.remove({ messageId, recordId })
    rows.set(messageId, undefined)
  }

  const acceptsNew = (): boolean => {
    const now = nowMs()
    return !isStopped && !disableReason && circuit.limitAt(now) > 0 && circuit.acceptsNewAt(now)
  }
  const needsPage = (): boolean => acceptsNew() && streams.some((stream) => stream.needsPage)

  const settle = ({ message, entry }: Task, outcome: AttemptOutcome): void => {
    const attempt = message.attempts + 1
    const { at, latencyMs, status, failure, answer } = outcome
    const { id: messageId, topic, change } = message
    const facts = { topic, change, attempt, at: at.toISOString() }
    attempts.push({ messageId, stored: { ...facts, latencyMs, status, failure, answer } })
    const reason = circuit.record(outcome, nowMs())
    if (reason !== undefined) disableReason ??= { reason, status }
    if (isSuccess(outcome)) endWait(message)
    else {
      const dueInMs = retryInMs(attempt, outcome.retryAfterMs, limits.timing)
      // A message that disables the subscription is kept: it is sent when the subscription is enabled.
      if (dueInMs !== undefined || disableReason) waitFor(message, attempt, dueInMs ?? 0)
      else {
        context.log.warn({ webhook: id, message: messageId, attempt }, 'gave up on a message')
        endWait(message)
      }
    }
    if (entry) entry.stream.settle(entry.entry)
    // Queued changes can be read from the log again: a failing endpoint takes no memory.
    if (!acceptsNew()) for (const stream of streams) stream.dropQueued()
    isDirty = true
  }

  const start = async (task: Task): Promise<void> => {
    const { message, entry } = task
    inFlight++
    if (!entry) retriesInFlight++
    waiting.begin(message.recordId)
    try {
      settle(task, await attemptMessage(destination, message, nowMs))
    } catch (error) {
      // During a shutdown: another process sends it, with the same id.
      if (!isAborted) context.log.error({ webhook: id, err: error }, 'could not send a message')
      if (entry) entry.stream.putBack(entry.entry)
      else loaded.delete(message.id)
    }
    inFlight--
    if (!entry) retriesInFlight--
    waiting.end(message.recordId)
    if (isStopped && inFlight === 0) drained.resolve()
    pump()
    context.onProgress(needsPage())
  }

  const takeRetry = (limit: number): Task | undefined => {
    // Retries take at most half, so that hanging ones leave room for new messages.
    if (retriesInFlight >= Math.max(1, limit / 2)) return
    const index = due.findIndex(({ recordId }) => !waiting.isBusy(recordId))
    const [retry] = index === -1 ? [] : due.splice(index, 1)
    return retry && { message: { ...retry, id: retry.messageId } }
  }

  const takeNew = (): Task | undefined => {
    for (const stream of streams)
      for (;;) {
        const taken = stream.take(waiting.turnOf)
        if (taken === undefined) break
        const { entry, turn } = taken
        const { change, userId } = entry
        const facts = { subscriptionId: id, environment, userId }
        const message = messageOf(change, { ...facts, selection: selection?.[change.topic] })
        if (turn === 'send') return { message, entry: { stream, entry } }
        waitFor(message, 0, 0)
        stream.settle(entry)
        isDirty = true
      }
    return
  }

  /** Sends messages up to the current limits. */
  const pump = (): void => {
    for (;;) {
      const now = nowMs()
      const limit = circuit.limitAt(now)
      if (isStopped || disableReason || inFlight >= limit || !context.hasLease()) return
      // These messages would be sent again after a SIGKILL.
      if (inFlight + attempts.length + saving >= limits.window) return
      const task = takeRetry(limit) ?? (circuit.acceptsNewAt(now) ? takeNew() : undefined)
      if (task === undefined) return
      void start(task)
    }
  }

  return {
    id,
    environmentId,
    topics,
    isOrdered,
    main,
    pump,
    version: settings.version,
    get streams() {
      return streams
    },
    get replays(): readonly Replay[] {
      return replays
    },
    get health() {
      return circuit.health
    },
    get isDirty() {
      return isDirty || replays.some(({ stream }) => stream.isOver)
    },
    /** Whether new messages may be sent to it now. */
    get acceptsNew() {
      return acceptsNew()
    },
    /** Whether new messages may be sent, but have to be read from the log first. */
    get needsPage() {
      return needsPage()
    },
    /** Whether a checkpoint is due now, because sending would otherwise stop soon. */
    get needsCheckpoint() {
      return attempts.length >= saveAt || streams.some((stream) => stream.isBlocked)
    },
    /** Why the subscription is to be disabled; undefined: it is not. */
    get disableReason() {
      return disableReason
    },
    /** Call this before the query whose result is passed to `addReplays`. */
    beginReplayQuery: (): void => savedSinceQuery.replays.clear(),
    addReplays: (found: readonly WebhookReplay[]): void => {
      for (const replay of found) {
        if (savedSinceQuery.replays.has(replay.id)) continue
        if (replays.some((known) => known.id === replay.id)) continue
        const { position: from, ahead: sent, before, isOfTime } = replay
        const isChosen = (change: Change): boolean => isWanted(change) && isOfTime(change.at)
        const stream = createStream({ position: from, ahead: sent, before, isWanted: isChosen })
        setReplays([...replays, { id: replay.id, stream }])
      }
    },
    /** Call this before the query whose result is passed to `addDue`. */
    beginDueQuery: (): void => savedSinceQuery.messages.clear(),
    /** Adds due retries from the database, except those that are loaded or were just saved. */
    addDue: (retries: readonly MessageRetry[]): void => {
      for (const retry of retries) {
        const { messageId } = retry
        if (loaded.has(messageId) || savedSinceQuery.messages.has(messageId)) continue
        loaded.add(messageId)
        due.push(retry)
      }
    },
    /** Takes the outcomes since the last call. */
    takeUnsaved: (): UnsavedOutcomes => {
      const taken = { attempts, rows: [...rows] }
      saving = attempts.length
      attempts = []
      rows = new Map()
      isDirty = false
      return {
        attempts: taken.attempts,
        retries: taken.rows.flatMap(([, row]) => row ?? []),
        ended: taken.rows.flatMap(([message, row]) => (row ? [] : [message])),
      }
    },
    /** Adds outcomes that could not be saved to the next checkpoint. */
    putBack: (unsaved: UnsavedOutcomes): void => {
      attempts = [...unsaved.attempts, ...attempts]
      saving = 0
      const older = [
        ...unsaved.retries.map((retry) => [retry.messageId, retry] as const),
        ...unsaved.ended.map((messageId) => [messageId, undefined] as const),
      ]
      rows = new Map([...older, ...rows])
      isDirty = true
    },
    /** Records that the outcomes are saved. From now on the database decides which of these retries are due. */
    saved: ({ retries, ended }: UnsavedOutcomes): void => {
      saving = 0
      for (const messageId of [...retries.map((retry) => retry.messageId), ...ended])
        if (!rows.has(messageId)) {
          loaded.delete(messageId)
          savedSinceQuery.messages.add(messageId)
        }
      for (const { id: endedId } of replays.filter(({ stream }) => stream.isOver))
        savedSinceQuery.replays.add(endedId)
      setReplays(replays.filter(({ stream }) => !stream.isOver))
    },
    /** Stops sending and waits for the messages in flight; aborts them after `graceMs`. */
    drain: async (graceMs: number): Promise<void> => {
      isStopped = true
      if (inFlight === 0) return
      const timer = setTimeout(() => {
        isAborted = true
        channel.close()
      }, graceMs)
      await drained.promise
      clearTimeout(timer)
    },
  }
}
