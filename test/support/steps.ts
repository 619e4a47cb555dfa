/** Runs a connector's steps as the engine does: each request over HTTP, each failure thrown back in. */
import type {
  AppFailure,
  AppRequest,
  AppResponse,
  Connector,
  CredentialValues,
  Steps,
} from '../../src/definition/connector.ts'
import { createAppClient } from '../../src/outbound/http.ts'

export interface Driver {
  /** @throws AppError, WriteRefusal: what the steps do not catch themselves */
  run<Result>(steps: Steps<Result>): Promise<Result>
  stop(): Promise<void>
}

/**
 * Steps by any means of sending.
 * @throws what `send` throws and the steps do not catch
 */
export const driveSteps = async <Result>(
  steps: Steps<Result>,
  send: (request: AppRequest) => AppResponse | Promise<AppResponse>,
): Promise<Result> => {
  let turn = steps.next()
  while (!turn.done) {
    let answer: AppResponse
    try {
      answer = await send(turn.value)
    } catch (error) {
      turn = steps.throw(error)
      continue
    }
    turn = steps.next(answer)
  }
  return turn.value
}

/** Steps against the app itself, with one credential. */
export const createDriver = (connector: Connector, credential: CredentialValues): Driver => {
  const client = createAppClient({ allowPrivateAddresses: true, firstPauseMs: 1, maxPauseMs: 5 })
  return {
    run: (steps) => driveSteps(steps, (request) => client.send(connector, credential, request)),
    stop: client.stop,
  }
}

/** What the driver throws in for a failure of the app. */
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

/** Steps against an app without a client: its failures are told apart by the connector alone. @throws StepFailure */
export const runSteps = <Result>(
  connector: Connector,
  steps: Steps<Result>,
  send: (request: AppRequest) => Promise<AppResponse>,
): Promise<Result> =>
  driveSteps(steps, async (request) => {
    const response = await send(request)
    const failure = connector.readFailure(response)
    if (failure) throw new StepFailure(failure)
    return response
  })
