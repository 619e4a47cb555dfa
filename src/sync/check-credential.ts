/** Whether an app accepts a credential, asked before it is stored. */
import type { Connector, CredentialValues } from '../definition/connector.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { type AppError, AppRefusedError, isAppError } from '../outbound/app-error.ts'
import type { AppClient } from '../outbound/http.ts'
import { appFailure } from './push-failure.ts'

// The end user waits for it.
const PATIENCE_MS = 10_000

/** Where the app's objection lies: in one of the values, as far as it says so. */
const detailOf = (error: AppError, { name, credential }: Connector): ErrorDetail => {
  const named = error instanceof AppRefusedError ? error.field : undefined
  const field =
    named !== undefined && Object.hasOwn(credential, named) ? `credential.${named}` : 'credential'
  return { field, expected: `what ${name} accepts` }
}

/**
 * An app that does not answer now is no reason to refuse: the first sync asks again, and its failure is told.
 * @throws ApiError APP_AUTHENTICATION, APP_REFUSED, APP_ADDRESS naming the value, if it is known
 */
export const createCredentialCheck =
  ({ appClient }: { readonly appClient: AppClient }) =>
  async (connector: Connector, values: CredentialValues): Promise<void> => {
    const patience = AbortSignal.timeout(PATIENCE_MS)
    try {
      await appClient.check(connector, values, patience)
    } catch (error) {
      if (!isAppError(error) && !patience.aborted) throw error
      if (!isAppError(error) || error.code === 'APP_UNAVAILABLE') return
      if (error.code === 'APP_RATE_LIMITED') return
      const { code, message } = appFailure(error)
      throw new ApiError(code, message, [detailOf(error, connector)])
    }
  }
