/** Performs one attempt of a run and stores its outcome. */
import { ApiError } from '../errors.ts'
import { saveLink } from '../store/workflows/workflow-links.ts'
import {
  type ClaimedRun,
  finishRun,
  postponeRun,
  releaseWorkflowRun,
  retryRun,
} from '../store/workflows/workflow-runs.ts'
import { type Span, type SpanOptions, trace } from '../tracing.ts'
import type { WorkflowContext } from './context.ts'
import type { WorkflowDefinition } from './definition.ts'
import { performPost } from './post.ts'
import { AttemptTimeoutError, planRetry, type RetryLimits, WorkflowError } from './retry-plan.ts'
import { OriginUnknownError, performUpsert, type Upserted } from './upsert.ts'

/** The limits and signals of one attempt. */
export interface AttemptOptions {
  readonly limits: RetryLimits
  /** The time limit of the attempt; longer than any request to an app. */
  readonly attemptMs: number
  /** Aborted when the process stops. */
  readonly stop: AbortSignal
  /** Aborted when another process has taken the run over. */
  readonly lost: AbortSignal
}

// About the duration of a run.
const POSTPONED_MS = 1000

const readDefinition = (
  { definitions }: WorkflowContext,
  { workflowId, version, definition, isActive }: ClaimedRun,
): WorkflowDefinition => {
  if (!isActive)
    throw new WorkflowError('NOT_ACTIVE', 'the workflow was switched off before the run started')
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

/** Waits for the work, or rejects when the signal is aborted, even if the work ignores it. */
const unlessAborted = async <T>(work: Promise<T>, signal: AbortSignal): Promise<T> => {
  const aborted = Promise.withResolvers<never>()
  const abort = (): void => aborted.reject(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  try {
    return await Promise.race([work, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
    // The other promise may still reject; its result is not needed.
    work.catch(() => {})
    aborted.promise.catch(() => {})
  }
}

const spanOf = (run: ClaimedRun): SpanOptions => ({
  name: 'workflow run',
  parent: { traceparent: run.traceparent },
  attributes: {
    'trunkline.run_id': run.id,
    'trunkline.workflow_id': run.workflowId,
    'trunkline.installation_id': run.installationId,
    'trunkline.topic': run.topic,
    'trunkline.attempt': run.attempts,
  },
})

const attempt = async (
  context: WorkflowContext,
  run: ClaimedRun,
  { limits, attemptMs, stop, lost }: AttemptOptions,
  span: Span | undefined,
): Promise<void> => {
  const { database, log } = context
  const startedMs = performance.now()
  const timeout = new AbortController()
  const timer = setTimeout(
    () => timeout.abort(new AttemptTimeoutError(`the attempt took longer than ${attemptMs} ms`)),
    attemptMs,
  )
  const signal = AbortSignal.any([timeout.signal, stop, lost])
  const facts = { run: run.id, workflowId: run.workflowId, installationId: run.installationId }
  try {
    const upserted = await unlessAborted(perform(context, run, signal), signal)
    const targetRecordId = upserted?.targetRecordId
    await database.transaction(async (transaction) => {
      const isHeld = await finishRun(transaction, run, { status: 'succeeded', targetRecordId })
      if (isHeld && upserted) await saveLink(transaction, run, upserted.link)
    })
    log.debug({ ...facts, attempts: run.attempts }, 'workflow run succeeded')
  } catch (error) {
    if (lost.aborted) return
    if (stop.aborted) return await releaseWorkflowRun(database, run)
    if (error instanceof OriginUnknownError) {
      const failure = `${error.code}: ${error.message}`
      return await postponeRun(database, run, { failure, retryInMs: POSTPONED_MS })
    }
    const ageMs = run.ageMs + performance.now() - startedMs
    const plan = planRetry(error, { attempts: run.attempts, ageMs }, limits)
    const { code, failure, retryInMs, concerns, isUncertain } = plan
    span?.fail(code)
    if (code === 'INTERNAL') log.error({ ...facts, err: error }, 'workflow run failed')
    else log.debug({ ...facts, failure, retryInMs }, 'workflow run failed')
    await database.transaction(async (transaction) => {
      if (retryInMs === undefined) await finishRun(transaction, run, { status: 'failed', failure })
      else await retryRun(transaction, run, { failure, retryInMs, concerns, isUncertain })
    })
  } finally {
    clearTimeout(timer)
  }
}

/**
 * Performs an attempt and stores the outcome: the run ends, is retried later, or belongs to another process. The
 * attempt is part of the trace of the change.
 */
export const attemptRun = (
  context: WorkflowContext,
  run: ClaimedRun,
  options: AttemptOptions,
): Promise<void> =>
  trace(
    () => spanOf(run),
    (span) => attempt(context, run, options, span),
  )
