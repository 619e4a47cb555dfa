/**
 * What happened to the messages of all endpoints, saved together: one statement a second, or for so many
 * attempts. What a process has not saved when it is killed, the next one sends again, under the same ids.
 */
import type { Database } from '../store/database.ts'
import type { Worker } from '../store/webhook-deliveries.ts'
import { saveCheckpoint } from '../store/webhook-progress.ts'
import type { DeliveryLog } from './context.ts'
import type { Endpoint } from './endpoint.ts'

export interface CheckpointOptions {
  readonly database: Database
  readonly worker: Worker
  readonly log: DeliveryLog
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly everyMs: number
  readonly everyAttempts: number
  readonly onSaved: () => void
  /** Another process holds the endpoint. */
  readonly onLost: (endpoint: Endpoint) => void
}

// Where nothing concerns an endpoint, its place in the log is saved now and then.
const IDLE_EVERY_MS = 300_000

/** Takes what is to be saved out of an endpoint. */
const collect = (endpoint: Endpoint) => {
  const { id: subscriptionId, health } = endpoint
  const unsaved = endpoint.takeUnsaved()
  const progress = endpoint.main.takeProgress()
  const replays = endpoint.replays.map(({ id, stream }) => ({
    ...{ id, stream, progress: stream.takeProgress(), isOver: stream.isOver },
  }))
  return {
    ...{ endpoint, unsaved, progress, replays },
    checkpoint: {
      delivery: { subscriptionId, position: progress.position, ...health },
      retries: unsaved.retries,
      ended: unsaved.ended.map((messageId) => ({ subscriptionId, messageId })),
      attempts: {
        subscriptionId,
        messageIds: unsaved.attempts.map(({ messageId }) => messageId),
        attempts: unsaved.attempts.map(({ kept }) => kept),
      },
      replays: replays.map(({ id, progress: { position }, isOver }) => ({
        ...{ subscriptionId, id, position, isOver },
      })),
    },
  }
}

export const createCheckpoints = (options: CheckpointOptions) => {
  const { database, worker, log, endpoints, everyMs, everyAttempts, onSaved, onLost } = options
  let timer: NodeJS.Timeout | undefined
  let noted: NodeJS.Immediate | undefined
  let running: Promise<void> | undefined
  let savedIdleMs = performance.now()
  let isFailing = false
  let isStopped = false

  const saveDirty = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const isIdleTime = performance.now() - savedIdleMs > IDLE_EVERY_MS
    if (isIdleTime) savedIdleMs = performance.now()
    const dirty = [...endpoints.values()].filter(({ isDirty }) => isDirty || isIdleTime)
    if (dirty.length === 0) return
    const collected = dirty.map(collect)
    const parts = collected.map(({ checkpoint }) => checkpoint)
    try {
      const saved = await saveCheckpoint(database, worker, {
        deliveries: parts.map(({ delivery }) => delivery),
        retries: parts.flatMap(({ retries }) => retries),
        ended: parts.flatMap(({ ended }) => ended),
        replays: parts.flatMap(({ replays }) => replays),
        attempts: parts.map((part) => part.attempts).filter((batch) => batch.attempts.length > 0),
      })
      for (const { endpoint, unsaved, progress, replays } of collected) {
        if (!saved.has(endpoint.id)) {
          onLost(endpoint)
          continue
        }
        endpoint.main.saved(progress)
        for (const replay of replays) replay.stream.saved(replay.progress)
        endpoint.saved(unsaved)
        endpoint.pump()
      }
      isFailing = false
      onSaved()
    } catch (error) {
      for (const { endpoint, unsaved } of collected) endpoint.putBack(unsaved)
      isFailing = true
      log.warn({ err: error }, 'the progress of notifications was not saved')
    }
  }

  const isUrgent = (): boolean => {
    let unsaved = 0
    for (const endpoint of endpoints.values()) {
      unsaved += endpoint.unsaved
      if (unsaved >= everyAttempts || endpoint.streams.some(({ isHeldUp }) => isHeldUp)) return true
    }
    return false
  }

  const save = (): Promise<void> => {
    running ??= saveDirty().finally(() => {
      running = undefined
      note()
    })
    return running
  }

  const look = (): void => {
    noted = undefined
    if (running || isStopped) return
    // While the database is away, no more than once in a while.
    if (!isFailing && isUrgent()) void save()
    else if (!timer && [...endpoints.values()].some(({ isDirty }) => isDirty))
      timer = setTimeout(save, everyMs)
  }

  // What happens in one turn of the event loop is looked at once.
  const note = (): void => {
    if (!running && !isStopped) noted ??= setImmediate(look)
  }

  return {
    /** Something is to be saved, sooner or later. */
    note,
    /** Saves all that is there now. */
    flush: async (): Promise<void> => {
      await running
      await save()
    },
    stop: (): void => {
      isStopped = true
      clearTimeout(timer)
      clearImmediate(noted)
    },
  }
}
