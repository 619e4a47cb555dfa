/** Runs a connector's steps as the engine does: sends each request over HTTP and throws each failure into them. */
import type {
  AppFailure,
  AppRequest,
  AppResponse,
  AttemptFacts,
  Connector,
  CredentialValues,
  Steps,
} from '../../src/definition/connector.ts'
import { createAppClient } from '../../src/outbound/http.ts'

/** The facts of a first attempt at a write, for an account without a context. */
export const ATTEMPT: AttemptFacts = { key: '6f4f1c7a-92f5-8a11-a0de-9e1d64b2f3c0' }

/** The request of a response that tests classify as a failure. */
export const REQUEST: AppRequest = { method: 'GET', path: '/' }

export interface StepRunner {
  /** @throws AppError, WriteRejection if the steps do not catch them */
  run<Result>(steps: Steps<Result>): Promise<Result>
  stop(): Promise<void>
}

/**
 * Runs steps with any way to send requests.
 * @throws what `send` throws and the steps do not catch
 */
export const driveSteps = async <Result>(
  steps: Steps<Result>,
  send: (request: AppRequest) => AppResponse | Promise<AppResponse>,
): Promise<Result> => {
  let turn = steps.next()
  while (!turn.done) {
    let response: AppResponse
    try {
      response = await send(turn.value)
    } catch (error) {
      turn = steps.throw(error)
      continue
    }
    turn = steps.next(response)
  }
  return turn.value
}

/** Runs steps against the app itself, with one credential. */
export const createStepRunner = (connector: Connector, values: CredentialValues): StepRunner => {
  const credential = { method: null, values }
  const client = createAppClient({ allowPrivateAddresses: true, firstPauseMs: 1, maxPauseMs: 5 })
  return {
    run: (steps) => driveSteps(steps, (request) => client.send(connector, credential, request)),
    stop: client.stop,
  }
}

/** The failure that the driver throws into the steps. */
export class StepFailure extends Error {
  override readonly name = 'StepFailure'
  readonly kind: AppFailure['kind']
  readonly field: string | undefined

  constructor({ kind, reason, field }: AppFailure) {
    super(reason)
    this.kind = kind
    this.field = field
  }
}

/** Runs steps without an app client: the connector alone classifies failures. @throws StepFailure */
export const runSteps = <Result>(
  connector: Connector,
  steps: Steps<Result>,
  send: (request: AppRequest) => Promise<AppResponse>,
): Promise<Result> =>
  driveSteps(steps, async (request) => {
    const response = await send(request)
    const failure = connector.readFailure(response, request)
    if (failure) throw new StepFailure(failure)
    return response
  })
