/** The dependencies of inbound webhooks, and a connected app. */
import type { AppRequest, AppResponse, Connector, Steps } from '../definition/connector.ts'
import type { Webhooks } from '../definition/inbound.ts'
import type { Log } from '../log.ts'
import { type ClassifiedFailure, classifyFailure } from '../outbound/classify-failure.ts'
import type { AppClient } from '../outbound/http.ts'
import type { OpenCredential } from '../store/accounts/credentials.ts'
import type { Clock } from '../store/database/clock.ts'
import type { Database } from '../store/database/database.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { resultOf, runSteps } from '../write/run-steps.ts'

/** The dependencies of the work on subscriptions and events. */
export interface InboundContext {
  readonly database: Database
  readonly vault: Vault
  readonly clock: Clock
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly log: Log
  /** The address at which apps reach the service, without a slash at its end. */
  readonly publicUrl: string
}

/** A credential with the connector of its app. */
export interface ConnectedApp {
  readonly connector: Connector
  readonly webhooks: Webhooks
  readonly credential: OpenCredential
  readonly appClient: AppClient
  /** Aborted when the work has taken too long, and when it must end. */
  readonly signal: AbortSignal
  /** Aborted when the work must end: the process stops, or another one has taken over. */
  readonly ending: AbortSignal
}

/** How long the requests for one subscription may take, so that an app without response blocks no others. */
export const TIMEOUT_MS = 20_000

/** The failure of work in an app. @throws the reason why the work must end */
export const failureIn = ({ signal, ending }: ConnectedApp, error: unknown): ClassifiedFailure => {
  ending.throwIfAborted()
  if (!signal.aborted) return classifyFailure(error)
  const reason = `no response within ${TIMEOUT_MS / 1000} s`
  return { code: 'APP_UNAVAILABLE', reason, retryAfterMs: undefined }
}

/** The path at which an app delivers. */
export const webhookPath = (app: string, endpointId: string): string =>
  `/webhooks/${app}/${endpointId}`

/**
 * Runs a connector's steps in the app.
 * @throws AppError, WriteRejection, RecordNotFoundError, also if an earlier request changed the app
 */
export const runInApp = async <Result>(
  { connector, credential, appClient, signal }: ConnectedApp,
  steps: Steps<Result>,
): Promise<Result> => {
  const { id: credentialId, environmentId } = credential
  const client = appClient.spending({ environmentId, credentialId, purpose: 'webhook' })
  const send = (request: AppRequest): Promise<AppResponse> =>
    client.send(connector, credential, request, signal)
  return resultOf(await runSteps(connector, steps, send))
}
