/**
 * Checkpoints: the outcomes of the messages of all endpoints, saved in one statement at a time. The first
 * outcome after a pause is saved immediately, later ones every `everyMs`, or as soon as most of an endpoint's
 * window is unsaved. After a SIGKILL, another process sends unsaved messages again, with the same ids.
 */
import type { Log } from '../log.ts'
import type { Database } from '../store/database/database.ts'
import type { Worker } from '../store/webhooks/webhook-deliveries.ts'
import { saveCheckpoint } from '../store/webhooks/webhook-progress.ts'
import type { Endpoint } from './endpoint.ts'

export interface CheckpointOptions {
  readonly database: Database
  readonly worker: Worker
  readonly log: Log
  readonly endpoints: ReadonlyMap<string, Endpoint>
  readonly everyMs: number
  readonly onSaved: () => void
  /** Called for an endpoint that another process owns by now. */
  readonly onLost: (endpoint: Endpoint) => void
}

/** Pause between attempts to save while the database is unreachable. */
const RETRY_MS = 1000
// The position of an endpoint without matching changes is saved at this interval.
const IDLE_EVERY_MS = 300_000

/** Takes the unsaved outcomes of an endpoint. */
const collect = (endpoint: Endpoint) => {
  const { id: subscriptionId, health } = endpoint
  const unsaved = endpoint.takeUnsaved()
  const progress = endpoint.main.takeProgress()
  const replays = endpoint.replays.map(({ id, stream }) => ({
    id,
    stream,
    progress: stream.takeProgress(),
    isOver: stream.isOver,
  }))
  return {
    endpoint,
    unsaved,
    progress,
    replays,
    checkpoint: {
      delivery: {
        subscriptionId,
        position: progress.position,
        ahead: progress.ahead,
        ...health,
      },
      retries: unsaved.retries,
      ended: unsaved.ended.map((messageId) => ({ subscriptionId, messageId })),
      attempts: {
        subscriptionId,
        messageIds: unsaved.attempts.map(({ messageId }) => messageId),
        attempts: unsaved.attempts.map(({ stored }) => stored),
      },
      replays: replays.map(({ id, progress: { position, ahead }, isOver }) => ({
        subscriptionId,
        id,
        position,
        ahead,
        isOver,
      })),
    },
  }
}

export const createCheckpoints = (options: CheckpointOptions) => {
  const { database, worker, log, endpoints, everyMs, onSaved, onLost } = options
  let timer: NodeJS.Timeout | undefined
  let scheduled: NodeJS.Immediate | undefined
  let running: Promise<void> | undefined
  let savedIdleMs = performance.now()
  /** Start of the last save. */
  let startedMs = Number.NEGATIVE_INFINITY
  let isFailing = false
  let isStopped = false

  const saveDirty = async (): Promise<void> => {
    clearTimeout(timer)
    timer = undefined
    const isIdleTime = performance.now() - savedIdleMs > IDLE_EVERY_MS
    if (isIdleTime) savedIdleMs = performance.now()
    const dirty = [...endpoints.values()].filter(({ isDirty }) => isDirty || isIdleTime)
    if (dirty.length === 0) return
    startedMs = performance.now()
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
      log.warn({ err: error }, 'could not save the progress of webhooks; trying again')
    }
  }

  /** Time until the next save; undefined: there is nothing to save. */
  const dueInMs = (): number | undefined => {
    let isDirty = false
    for (const endpoint of endpoints.values()) {
      if (!isFailing && endpoint.needsCheckpoint) return 0
      isDirty ||= endpoint.isDirty
    }
    if (!isDirty) return
    const pauseMs = isFailing ? RETRY_MS : everyMs
    return Math.max(0, startedMs + pauseMs - performance.now())
  }

  const save = (): Promise<void> => {
    running ??= saveDirty().finally(() => {
      running = undefined
      schedule()
    })
    return running
  }

  const check = (): void => {
    scheduled = undefined
    if (running || isStopped) return
    const msFromNow = dueInMs()
    if (msFromNow === 0) void save()
    else if (msFromNow !== undefined) timer ??= setTimeout(save, msFromNow)
  }

  // Checked once per turn of the event loop.
  const schedule = (): void => {
    if (!running && !isStopped) scheduled ??= setImmediate(check)
  }

  return {
    /** Schedules a save if there is something to save. */
    schedule,
    /** Saves all outcomes so far. */
    flush: async (): Promise<void> => {
      await running
      await save()
    },
    stop: (): void => {
      isStopped = true
      clearTimeout(timer)
      clearImmediate(scheduled)
    },
  }
}
