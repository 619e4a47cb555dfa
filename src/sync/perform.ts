/** Sends the requests of a connector's steps, and knows afterwards whether the app may have changed. */
import {
  type AppRequest,
  type AppResponse,
  type Steps,
  WriteRefusal,
} from '../definition/connector.ts'
import type { ErrorDetail } from '../errors.ts'
import { AppRefusedError, AppUnavailableError } from '../outbound/app-error.ts'

/**
 * Something was asked of the app that changes it, and it is not known whether it did: the answer was
 * broken off, is not the app's own, or could not be read.
 */
export class OutcomeUnknownError extends Error {
  override readonly name = 'OutcomeUnknownError'
  readonly code = 'OUTCOME_UNKNOWN'
  /** The app's ids of new records, one of which may be what was to be made. */
  readonly perhaps: readonly string[]

  constructor(
    message: string,
    options: ErrorOptions & { readonly perhaps?: readonly string[] } = {},
  ) {
    super(message, options)
    this.perhaps = options.perhaps ?? []
  }
}

/** Part of a write is done in the app, and the rest was refused. */
export class PartlyWrittenError extends Error {
  override readonly name = 'PartlyWrittenError'
  readonly code = 'PARTLY_WRITTEN'
  readonly refusal: AppRefusedError | WriteRefusal
  /** The fields of the record that have changed, as far as it is known. */
  readonly changes: readonly ErrorDetail[]

  constructor(refusal: PartlyWrittenError['refusal'], changes: readonly ErrorDetail[] = []) {
    super('Part of a write was refused.', { cause: refusal })
    this.refusal = refusal
    this.changes = changes
  }
}

// Where no connection came about, nothing was asked.
const NEVER_DIALLED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

export const mayHaveArrived = (error: unknown): boolean =>
  error instanceof AppUnavailableError &&
  error.problem !== 'circuit-open' &&
  !(error.problem === 'network' && NEVER_DIALLED.has(error.reason))

const isRead = ({ method, read }: AppRequest): boolean => method === 'GET' || read === true

/**
 * Runs steps to their end.
 * @throws AppError | WriteRefusal if nothing has changed; PartlyWrittenError if something has, and the rest
 * was refused; OutcomeUnknownError, with the failure as its cause, once a request that changes the app may
 * have arrived and its answer is not known
 */
export const perform = async <Result>(
  steps: Steps<Result>,
  send: (request: AppRequest) => Promise<AppResponse>,
): Promise<Result> => {
  let changed = false
  let step = steps.next()
  try {
    while (!step.done) {
      const request = step.value
      let answer: AppResponse
      try {
        answer = await send(request)
        if (!isRead(request)) changed = request.undo !== true
      } catch (error) {
        if (!isRead(request) && mayHaveArrived(error))
          throw new OutcomeUnknownError('A write was broken off.', { cause: error })
        // The connector may know what to make of it; if not, it comes out of here again.
        step = steps.throw(error)
        continue
      }
      step = steps.next(answer)
    }
    return step.value
  } catch (error) {
    if (error instanceof OutcomeUnknownError) throw error
    if (!changed) throw error
    if (error instanceof AppRefusedError || error instanceof WriteRefusal)
      throw new PartlyWrittenError(error)
    throw new OutcomeUnknownError('A write was not told to its end.', { cause: error })
  }
}
