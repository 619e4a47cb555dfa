/** One attempt at one run, from what it has to do to what became of it. */
import { ApiError } from '../errors.ts'
import { saveLink } from '../store/workflow-links.ts'
import {
  type ClaimedRun,
  finishRun,
  postponeRun,
  releaseRun,
  retryRun,
} from '../store/workflow-runs.ts'
import type { WorkflowContext } from './context.ts'
import type { WorkflowDefinition } from './definition.ts'
import { AttemptTimeoutError, planFailure, type RetryLimits, WorkflowError } from './failure.ts'
import { performPost } from './post.ts'
import { OriginUnknownError, performUpsert, type Upserted } from './upsert.ts'

export interface AttemptOptions {
  readonly limits: RetryLimits
  /** Longer than any request to an app takes. */
  readonly attemptMs: number
  /** Aborted when the process stops. */
  readonly stop: AbortSignal
  /** Aborted when another process has taken the run over. */
  readonly lost: AbortSignal
}

// About as long as a run takes.
const POSTPONED_MS = 1000

const readDefinition = (
  { definitions }: WorkflowContext,
  { workflowId, version, definition, isActive }: ClaimedRun,
): WorkflowDefinition => {
  if (!isActive)
    throw new WorkflowError('NOT_ACTIVE', 'the workflow was switched off before it came to this')
  try {
    return definitions.read(workflowId, version, definition)
  } catch (error) {
    if (error instanceof ApiError) throw new WorkflowError('DEFINITION_INVALID', error.message)
    throw error
  }
}

const perform = async (
  context: WorkflowContext,
  run: ClaimedRun,
  signal: AbortSignal,
): Promise<Upserted | undefined> => {
  const { when, action } = readDefinition(context, run)
  if ('upsert' in action) return performUpsert(context, run, { when, upsert: action.upsert })
  await performPost(context, run, action.post, signal)
  return undefined
}

/** Ends with the work, or with the signal, whether the work heeds it or not. */
const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    // One of the two goes on alone, and nobody asks what became of it.
    work.catch(() => {})
    aborted.promise.catch(() => {})
  }
}

/** Performs a run and settles it: it has ended, waits for its next attempt, or is another's. */
export const attemptRun = async (
  context: WorkflowContext,
  run: ClaimedRun,
  { limits, attemptMs, stop, lost }: AttemptOptions,
): Promise<void> => {
  const { database, log } = context
  const startedMs = performance.now()
  const tooLong = new AbortController()
  const timer = setTimeout(
    () => tooLong.abort(new AttemptTimeoutError(`no end within ${attemptMs} ms`)),
    attemptMs,
  )
  const signal = AbortSignal.any([tooLong.signal, stop, lost])
  const facts = { run: run.id, workflowId: run.workflowId, installationId: run.installationId }
  try {
    const upserted = await unlessAborted(perform(context, run, signal), signal)
    const targetRecordId = upserted?.targetRecordId
    await database.prisma.$transaction(async (transaction) => {
      const isOurs = await finishRun(transaction, run, { status: 'succeeded', targetRecordId })
      if (isOurs && upserted) await saveLink(transaction, run, upserted.link)
    })
    log.debug({ ...facts, attempts: run.attempts }, 'a workflow has run')
  } catch (error) {
    if (lost.aborted) return
    if (stop.aborted) return await releaseRun(database, run)
    if (error instanceof OriginUnknownError) {
      const failure = `${error.code}: ${error.message}`
      return await postponeRun(database, run, { failure, retryInMs: POSTPONED_MS })
    }
    const ageMs = run.ageMs + performance.now() - startedMs
    const plan = planFailure(error, { attempts: run.attempts, ageMs }, limits)
    const { code, failure, retryInMs, concerns, isUncertain } = plan
    if (code === 'INTERNAL') log.error({ ...facts, err: error }, 'a workflow failed')
    else log.debug({ ...facts, failure, retryInMs }, 'a workflow failed')
    await database.prisma.$transaction(async (transaction) => {
      if (retryInMs === undefined) await finishRun(transaction, run, { status: 'failed', failure })
      else await retryRun(transaction, run, { failure, retryInMs, concerns, isUncertain })
    })
  } finally {
    clearTimeout(timer)
  }
}
