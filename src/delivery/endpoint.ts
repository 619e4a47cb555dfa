/** One endpoint in the hands of this process: what is on its way there, and what came of it. */
import type { Change } from '../store/changes.ts'
import type { KeptAttempt } from '../store/webhook-attempts.ts'
import type { DeliverySettings } from '../store/webhook-deliveries.ts'
import type { NewRetry, Retry } from '../store/webhook-progress.ts'
import type { WebhookReplay } from '../store/webhook-replays.ts'
import { attemptMessage, type Destination, isSuccess, type Outcome } from './attempt.ts'
import { createCircuit } from './circuit.ts'
import type { DeliveryContext } from './context.ts'
import { type Message, messageOf } from './message.ts'
import { retryInMs } from './schedule.ts'
import { signingKey } from './signature.ts'
import { createStream, type Entry, type Stream } from './stream.ts'
import { createWaiting, type WaitingMessage } from './waiting.ts'

/** An attempt that has ended. */
interface EndedAttempt {
  readonly messageId: string
  readonly kept: KeptAttempt
}

/** What an endpoint has to be saved of. */
export interface Unsaved {
  readonly attempts: readonly EndedAttempt[]
  readonly retries: readonly NewRetry[]
  readonly ended: readonly string[]
}

export interface Replay {
  readonly id: string
  readonly stream: Stream
}

export type Endpoint = ReturnType<typeof createEndpoint>

/** A message under way: read from the log, or due once more. */
interface Task {
  readonly message: Message
  readonly entry?: { readonly stream: Stream; readonly entry: Entry }
}

export const createEndpoint = (
  settings: DeliverySettings,
  waitingMessages: readonly WaitingMessage[],
  context: DeliveryContext,
) => {
  const { id, environmentId, environment, isOrdered, selection, secret, oldSecret } = settings
  const { limits, nowMs } = context
  const topics = new Set(settings.topics)
  const isWanted = (change: Change): boolean =>
    change.environmentId === environmentId && topics.has(change.topic)
  const { window } = limits
  const main = createStream({ position: settings.position, isWanted, window })
  let replays: readonly Replay[] = []
  const circuit = createCircuit(settings, limits)
  const waiting = createWaiting(isOrdered, waitingMessages)
  const key = signingKey(secret)
  const oldKey = oldSecret === undefined ? undefined : signingKey(oldSecret)
  const line = context.postbox.open(new URL(settings.address))
  const destination: Destination = {
    line,
    keys: () => {
      const isOver = nowMs() >= (settings.oldSecretUntil?.getTime() ?? 0)
      return oldKey === undefined || isOver ? [key] : [key, oldKey]
    },
  }
  let isBrokenOff = false
  let isStopped = false
  let inFlight = 0
  let retriesInFlight = 0
  /** Nothing is under way, and nothing begins. */
  const drained = Promise.withResolvers<void>()
  const due: Retry[] = []
  /** Messages that wait in the database and are in hand here: loaded, under way or not yet saved. */
  const inHand = new Set<string>()
  /** What was saved since the database was asked for it: the answer may be from before. */
  const savedSinceAsked = { messages: new Set<string>(), replays: new Set<string>() }
  let attempts: EndedAttempt[] = []
  /** By message: what it waits for, or `undefined` if it waits no longer. */
  let rows = new Map<string, NewRetry | undefined>()
  let isDirty = false
  let disableReason: { readonly reason: string; readonly status: number | null } | undefined

  let streams: readonly Stream[] = [main]
  const setReplays = (next: readonly Replay[]): void => {
    replays = next
    streams = [main, ...replays.map(({ stream }) => stream)]
  }

  const waitFor = (message: Message, tries: number, dueInMs: number): void => {
    const { id: messageId, topic, change, recordId, body } = message
    waiting.add({ messageId, recordId })
    inHand.add(messageId)
    const retry = { subscriptionId: id, messageId, topic, change, recordId, body }
    rows.set(messageId, { ...retry, attempts: tries, dueInMs })
  }

  const endWait = ({ id: messageId, recordId }: Message): void => {
    if (!inHand.has(messageId)) return
    waiting.remove({ messageId, recordId })
    rows.set(messageId, undefined)
  }

  const takesNew = (): boolean => {
    const now = nowMs()
    return !isStopped && !disableReason && circuit.limitAt(now) > 0 && circuit.takesNewAt(now)
  }
  const isStarved = (): boolean => takesNew() && streams.some((stream) => stream.isStarved)

  const settle = ({ message, entry }: Task, outcome: Outcome): void => {
    const attempt = message.attempts + 1
    const { at, latencyMs, status, failure, answer } = outcome
    const { id: messageId, topic, change } = message
    const what = { topic, change, attempt, at: at.toISOString() }
    attempts.push({ messageId, kept: { ...what, latencyMs, status, failure, answer } })
    const reason = circuit.note(outcome, nowMs())
    if (reason !== undefined) disableReason ??= { reason, status }
    if (isSuccess(outcome)) endWait(message)
    else {
      const dueInMs = retryInMs(attempt, outcome.retryAfterMs, limits.timing)
      // Where it is switched off by that, it goes on with it when it is switched on.
      if (dueInMs !== undefined || disableReason) waitFor(message, attempt, dueInMs ?? 0)
      else {
        context.log.warn({ webhook: id, message: messageId, attempt }, 'a message was given up')
        endWait(message)
      }
    }
    if (entry) entry.stream.settle(entry.entry)
    // The log keeps it: endpoints that fail, however many, take no memory meanwhile.
    if (!takesNew()) for (const stream of streams) stream.forget()
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
      // The process stops: another sends it, under the same id.
      if (!isBrokenOff) context.log.error({ webhook: id, err: error }, 'a message was not sent')
      if (entry) entry.stream.putBack(entry.entry)
      else inHand.delete(message.id)
    }
    inFlight--
    if (!entry) retriesInFlight--
    waiting.end(message.recordId)
    if (isStopped && inFlight === 0) drained.resolve()
    pump()
    context.onProgress(isStarved())
  }

  const takeRetry = (limit: number): Task | undefined => {
    // Messages that hang once more leave room for new ones.
    if (retriesInFlight >= Math.max(1, limit / 2)) return
    const place = due.findIndex(({ recordId }) => !waiting.isBusy(recordId))
    const [retry] = place === -1 ? [] : due.splice(place, 1)
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

  /** Sends what may be sent now. */
  const pump = (): void => {
    for (;;) {
      const now = nowMs()
      const limit = circuit.limitAt(now)
      if (isStopped || disableReason || inFlight >= limit || !context.mayStart()) return
      const task = takeRetry(limit) ?? (circuit.takesNewAt(now) ? takeNew() : undefined)
      if (task === undefined) return
      void start(task)
    }
  }

  return {
    ...{ id, environmentId, topics, isOrdered, main, pump, version: settings.version },
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
    /** Whether it may be sent what it has not been sent yet. */
    get takesNew() {
      return takesNew()
    },
    /** Whether that has to be read first. */
    get isStarved() {
      return isStarved()
    },
    /** Attempts that are not saved. */
    get unsaved() {
      return attempts.length
    },
    /** Why it is to be switched off, if it is. */
    get disableReason() {
      return disableReason
    },
    /** To be called before the database is asked for what is given to `addReplays`. */
    awaitReplays: (): void => savedSinceAsked.replays.clear(),
    addReplays: (found: readonly WebhookReplay[]): void => {
      for (const replay of found) {
        if (savedSinceAsked.replays.has(replay.id)) continue
        if (replays.some((known) => known.id === replay.id)) continue
        const { position, before, isOfTime } = replay
        const isChosen = (change: Change): boolean => isWanted(change) && isOfTime(change.at)
        const stream = createStream({ position, before, isWanted: isChosen, window })
        setReplays([...replays, { id: replay.id, stream }])
      }
    },
    /** To be called before the database is asked for what is given to `addDue`. */
    awaitDue: (): void => savedSinceAsked.messages.clear(),
    /** Those that are due, as the database has them; those in hand are passed over. */
    addDue: (retries: readonly Retry[]): void => {
      for (const retry of retries) {
        const { messageId } = retry
        if (inHand.has(messageId) || savedSinceAsked.messages.has(messageId)) continue
        inHand.add(messageId)
        due.push(retry)
      }
    },
    /** What happened since it was last asked for. */
    takeUnsaved: (): Unsaved => {
      const taken = { attempts, rows: [...rows] }
      attempts = []
      rows = new Map()
      isDirty = false
      return {
        attempts: taken.attempts,
        retries: taken.rows.flatMap(([, row]) => row ?? []),
        ended: taken.rows.flatMap(([message, row]) => (row ? [] : [message])),
      }
    },
    /** It was not saved after all: it is part of the next. */
    putBack: (unsaved: Unsaved): void => {
      attempts = [...unsaved.attempts, ...attempts]
      const older = [
        ...unsaved.retries.map((retry) => [retry.messageId, retry] as const),
        ...unsaved.ended.map((messageId) => [messageId, undefined] as const),
      ]
      rows = new Map([...older, ...rows])
      isDirty = true
    },
    /** It is saved: the database says from now on which of these messages are due. */
    saved: ({ retries, ended }: Unsaved): void => {
      for (const messageId of [...retries.map((retry) => retry.messageId), ...ended])
        if (!rows.has(messageId)) {
          inHand.delete(messageId)
          savedSinceAsked.messages.add(messageId)
        }
      for (const { id: over } of replays.filter(({ stream }) => stream.isOver))
        savedSinceAsked.replays.add(over)
      setReplays(replays.filter(({ stream }) => !stream.isOver))
    },
    /** Sends nothing more, and waits until nothing is under way; aborts what takes longer. */
    drain: async (graceMs: number): Promise<void> => {
      isStopped = true
      if (inFlight === 0) return
      const timer = setTimeout(() => {
        isBrokenOff = true
        line.close()
      }, graceMs)
      await drained.promise
      clearTimeout(timer)
    },
  }
}
