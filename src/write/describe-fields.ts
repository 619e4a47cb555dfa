/** Reads the fields that an app describes: the candidates for custom fields. */
import type { AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import type { AppField } from '../definition/custom-field.ts'
import { ApiError } from '../errors.ts'
import { isAppError } from '../outbound/app-error.ts'
import type { AppClient } from '../outbound/http.ts'
import { contextOf } from '../store/accounts/credential-context.ts'
import type { OpenCredential } from '../store/accounts/credentials.ts'
import type { Database } from '../store/database/database.ts'
import { withContext } from './account-context.ts'
import { appFailure } from './app-failure.ts'
import { resultOf, runSteps } from './run-steps.ts'

/** The dependencies of the description of fields. */
export interface DescribeFieldsOptions {
  readonly database: Database
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly loadCredential: (credentialId: string) => Promise<OpenCredential | undefined>
}

/** Reads the fields of a resource of a credential from its app. */
export type DescribeFields = (credentialId: string, topic: string) => Promise<readonly AppField[]>

/**
 * Creates the function that reads the fields of a resource.
 * @throws ApiError NOT_SUPPORTED, APP_AUTHENTICATION, APP_REFUSED, APP_ADDRESS, APP_RATE_LIMITED, APP_UNAVAILABLE
 */
export const createDescribeFields =
  ({ database, connectors, appClient, loadCredential }: DescribeFieldsOptions): DescribeFields =>
  async (credentialId, topic) => {
    const loaded = await loadCredential(credentialId)
    const connector = loaded && connectors.get(loaded.app)
    const describeFields = connector?.resources[topic]?.describeFields
    if (!loaded || !connector || !describeFields)
      throw new ApiError(
        'NOT_SUPPORTED',
        `${connector?.name ?? 'The app'} does not describe the fields of ${topic.slice(0, 64)}. Take their paths from the remoteFields of a record.`,
      )
    const { environmentId } = loaded
    const client = appClient.spending({ environmentId, credentialId, purpose: 'write' })
    const account = { database, appClient: client, connector, credential: loaded }
    try {
      const credential = await withContext(account)
      const send = (request: AppRequest): Promise<AppResponse> =>
        client.send(connector, credential, request)
      const steps = describeFields(contextOf(connector, credential))
      return resultOf(await runSteps(connector, steps, send))
    } catch (error) {
      throw isAppError(error) ? appFailure(error) : error
    }
  }
