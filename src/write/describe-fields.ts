/** Reads the fields that an app describes: the candidates for custom fields. */
import type { AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import type { AppField } from '../definition/custom-field.ts'
import { ApiError } from '../errors.ts'
import { isAppError } from '../outbound/app-error.ts'
import type { AppClient } from '../outbound/http.ts'
import type { OpenCredential } from '../store/accounts/credentials.ts'
import { appFailure } from './app-failure.ts'
import { resultOf, runSteps } from './run-steps.ts'

/** The dependencies of the description of fields. */
export interface DescribeFieldsOptions {
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
  ({ connectors, appClient, loadCredential }: DescribeFieldsOptions): DescribeFields =>
  async (credentialId, topic) => {
    const credential = await loadCredential(credentialId)
    const connector = credential && connectors.get(credential.app)
    const describeFields = connector?.resources[topic]?.describeFields
    if (!credential || !connector || !describeFields)
      throw new ApiError(
        'NOT_SUPPORTED',
        `${connector?.name ?? 'The app'} does not describe the fields of ${topic.slice(0, 64)}.`,
      )
    const { environmentId } = credential
    const client = appClient.spending({ environmentId, credentialId, purpose: 'write' })
    const send = (request: AppRequest): Promise<AppResponse> =>
      client.send(connector, credential, request)
    try {
      return resultOf(await runSteps(describeFields(), send))
    } catch (error) {
      throw isAppError(error) ? appFailure(error) : error
    }
  }
