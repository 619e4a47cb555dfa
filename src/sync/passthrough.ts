/** The app's own API with the stored credential: a request as the caller gives it, the answer as the app gives it. */
import type { AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import { ApiError } from '../errors.ts'
import { isAppError } from '../outbound/app-error.ts'
import type { AppClient } from '../outbound/http.ts'
import type { OpenCredential } from '../store/credentials.ts'
import { mayHaveArrived } from './perform.ts'
import { appFailure } from './push-failure.ts'

export interface PassthroughOptions {
  readonly connectors: ReadonlyMap<string, Connector>
  readonly appClient: AppClient
  readonly loadCredential: (credentialId: string) => Promise<OpenCredential | undefined>
}

/** @throws ApiError APP_AUTHENTICATION, APP_ADDRESS, APP_UNAVAILABLE, WRITE_OUTCOME_UNKNOWN, NOT_SUPPORTED */
export const createPassthrough =
  ({ connectors, appClient, loadCredential }: PassthroughOptions) =>
  async (credentialId: string, request: AppRequest): Promise<AppResponse> => {
    const credential = await loadCredential(credentialId)
    const connector = credential && connectors.get(credential.app)
    if (!credential || !connector)
      throw new ApiError('NOT_SUPPORTED', 'The app of this credential cannot be reached here.')
    try {
      return await appClient.pass(connector, credential.values, request)
    } catch (error) {
      if (request.method !== 'GET' && mayHaveArrived(error))
        throw new ApiError(
          'WRITE_OUTCOME_UNKNOWN',
          `${connector.name} broke off: what was asked may have happened. Look there before you ask again.`,
        )
      throw isAppError(error) ? appFailure(error) : error
    }
  }
