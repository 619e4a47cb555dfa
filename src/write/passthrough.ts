/** Passes a caller's request to the app's own API with the stored credential, and returns the response unchanged. */
import type { AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import { ApiError } from '../errors.ts'
import { isAppError } from '../outbound/app-error.ts'
import type { AppClient } from '../outbound/http.ts'
import type { OpenCredential } from '../store/accounts/credentials.ts'
import { appFailure } from './app-failure.ts'
import { mayHaveArrived } from './run-steps.ts'

/** The dependencies of the passthrough. */
export interface PassthroughOptions {
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly loadCredential: (credentialId: string) => Promise<OpenCredential | undefined>
}

/**
 * Creates the passthrough.
 * @throws ApiError APP_AUTHENTICATION, APP_ADDRESS, APP_UNAVAILABLE, WRITE_OUTCOME_UNKNOWN, NOT_SUPPORTED
 */
export const createPassthrough =
  ({ connectors, appClient, loadCredential }: PassthroughOptions) =>
  async (credentialId: string, request: AppRequest): Promise<AppResponse> => {
    const credential = await loadCredential(credentialId)
    const connector = credential && connectors.get(credential.app)
    if (!credential || !connector)
      throw new ApiError(
        'NOT_SUPPORTED',
        'This service has no connector for the app of this credential.',
      )
    try {
      return await appClient.pass(connector, credential, request)
    } catch (error) {
      if (request.method !== 'GET' && mayHaveArrived(error))
        throw new ApiError(
          'WRITE_OUTCOME_UNKNOWN',
          `The request to ${connector.name} was interrupted and may have been carried out. Check in the app before you send it again.`,
        )
      throw isAppError(error) ? appFailure(error) : error
    }
  }
