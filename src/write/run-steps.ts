/** Runs a connector's steps: sends each request to the app and returns the outcome of the write. */
import {
  type AppRequest,
  type AppResponse,
  type Connector,
  RecordNotFoundError,
  type Steps,
  WriteRejection,
} from '../definition/connector.ts'
import {
  type AppError,
  AppRefusedError,
  AppUnavailableError,
  isAppError,
} from '../outbound/app-error.ts'
import { malformedResponse } from '../outbound/malformed-response.ts'

/** The reason why steps ended before anything changed in the app. */
export type StepsFailure = AppError | WriteRejection | RecordNotFoundError

/**
 * The outcome of steps.
 * - `done`: the steps returned a result.
 * - `refused`: the steps failed, and nothing has changed in the app.
 * - `partly-written`: an earlier request changed the app, a later one was rejected.
 * - `unknown`: a request that changes the app may have arrived, and its response is missing or unusable.
 */
export type StepsOutcome<Result> =
  | { readonly status: 'done'; readonly result: Result }
  | { readonly status: 'refused'; readonly error: StepsFailure }
  | { readonly status: 'partly-written'; readonly refusal: AppRefusedError | WriteRejection }
  | { readonly status: 'unknown'; readonly cause: unknown }

/** The result of steps. @throws the reason why they failed, also if an earlier request changed the app */
export const resultOf = <Result>(outcome: StepsOutcome<Result>): Result => {
  switch (outcome.status) {
    case 'done':
      return outcome.result
    case 'refused':
      throw outcome.error
    case 'partly-written':
      throw outcome.refusal
    case 'unknown':
      throw outcome.cause
  }
}

// Without a connection, the request cannot have arrived.
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

/** The code of a failed connection, at the start of its reason: `ECONNREFUSED 203.0.113.7:443`. */
const codeOf = ({ reason }: AppUnavailableError): string => reason.split(' ', 1)[0] ?? ''

/** Whether a failed request may have reached the app. */
export const mayHaveArrived = (error: unknown): boolean =>
  error instanceof AppUnavailableError &&
  error.problem !== 'circuit-open' &&
  error.problem !== 'token' &&
  // The proxy opened no tunnel, and nothing is sent before that.
  error.problem !== 'proxy' &&
  !(error.problem === 'network' && NOT_CONNECTED.has(codeOf(error)))

const UNREADABLE = 'the response does not have the expected form'

const isRead = ({ method, read }: AppRequest): boolean => method === 'GET' || read === true

const isRefusal = (error: unknown): error is AppRefusedError | WriteRejection =>
  error instanceof AppRefusedError || error instanceof WriteRejection

const isStepsFailure = (error: unknown): error is StepsFailure =>
  isAppError(error) || error instanceof WriteRejection || error instanceof RecordNotFoundError

/**
 * Runs steps until they return or fail. A response that they cannot read is a failure of the app.
 * @throws any other error of a request or before the first response, if nothing has changed
 */
export const runSteps = async <Result>(
  connector: Pick<Connector, 'app' | 'name'>,
  steps: Steps<Result>,
  send: (request: AppRequest) => Promise<AppResponse>,
): Promise<StepsOutcome<Result>> => {
  let hasChanged = false
  try {
    let step = steps.next()
    while (!step.done) {
      const request = step.value
      let response: AppResponse
      try {
        response = await send(request)
        if (!isRead(request)) hasChanged = request.undo !== true
      } catch (error) {
        if (!isRead(request) && mayHaveArrived(error)) return { status: 'unknown', cause: error }
        // The connector may handle the failure; otherwise this call throws it.
        step = steps.throw(error)
        continue
      }
      try {
        step = steps.next(response)
      } catch (error) {
        if (isStepsFailure(error)) throw error
        throw malformedResponse(connector, { request, response }, UNREADABLE)
      }
    }
    return { status: 'done', result: step.value }
  } catch (error) {
    if (hasChanged)
      return isRefusal(error)
        ? { status: 'partly-written', refusal: error }
        : { status: 'unknown', cause: error }
    if (isStepsFailure(error)) return { status: 'refused', error }
    throw error
  }
}
