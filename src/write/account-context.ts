/** Reads the context of an account in its app. */
import type { AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import type { ContextDefinition } from '../definition/context.ts'
import type { Json } from '../definition/json.ts'
import type { AppCredential } from '../outbound/compose-request.ts'
import type { AppClient } from '../outbound/http.ts'
import { malformedResponse } from '../outbound/malformed-response.ts'
import { contextOf, saveContext } from '../store/accounts/credential-context.ts'
import type { OpenCredential } from '../store/accounts/credentials.ts'
import type { Database } from '../store/database/database.ts'
import { resultOf, runSteps } from './run-steps.ts'

const MAX_LENGTH = 256 * 1024

/** An account in its app. */
export interface ConnectedAccount {
  readonly database: Database
  /** Its requests spend the budget of the caller's purpose. */
  readonly appClient: AppClient
  readonly connector: Connector
  readonly credential: OpenCredential
  readonly signal?: AbortSignal
}

/** Reads the context of an account. @throws AppError, also for a context that cannot be stored */
export const readContext = async (
  {
    appClient,
    connector,
    credential,
    signal,
  }: Omit<ConnectedAccount, 'database' | 'credential'> & { readonly credential: AppCredential },
  definition: ContextDefinition,
): Promise<Json> => {
  const send = (request: AppRequest): Promise<AppResponse> =>
    appClient.send(connector, credential, { ...request, read: true }, signal)
  const text = JSON.stringify(resultOf(await runSteps(connector, definition.read(), send)))
  if (text.length > MAX_LENGTH)
    throw malformedResponse(
      connector,
      { request: connector.check },
      'the settings of the account are too large',
    )
  // In the stored form, so that the next one equals it.
  return JSON.parse(text) as Json
}

/**
 * Reads the context of an account in its app, and stores it.
 * @returns the credential with the context, and whether its resources are listed again because the context has changed
 * @throws AppError
 */
export const refreshContext = async (
  account: ConnectedAccount,
  definition: ContextDefinition,
): Promise<{ readonly credential: OpenCredential; readonly isRelisted: boolean }> => {
  const { database, credential } = account
  const { version } = definition
  const value = await readContext(account, definition)
  const previous = credential.context
  const isRelisted = await saveContext(database, credential.id, { version, value }, previous)
  return { credential: { ...credential, context: { version, value, isDue: false } }, isRelisted }
}

/** The credential with a context: one that was never read is read now. @throws AppError */
export const withContext = async (account: ConnectedAccount): Promise<OpenCredential> => {
  const { connector, credential } = account
  const { context: definition } = connector
  if (!definition || contextOf(connector, credential) !== undefined) return credential
  return (await refreshContext(account, definition)).credential
}
