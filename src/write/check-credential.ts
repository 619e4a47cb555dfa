/** Checks that an app accepts a credential, before it is stored. */
import type { Connector, CredentialValues } from '../definition/connector.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { type AppError, AppRefusedError, isAppError } from '../outbound/app-error.ts'
import type { AppClient } from '../outbound/http.ts'
import { appFailure } from './app-failure.ts'

// The end user waits for the result.
const TIMEOUT_MS = 10_000

/** The value that the app rejects, or the whole credential if it names none. */
const detailOf = (error: AppError, { name, credential }: Connector): ErrorDetail => {
  const named = error instanceof AppRefusedError ? error.field : undefined
  const field =
    named !== undefined && Object.hasOwn(credential, named) ? `credential.${named}` : 'credential'
  return { field, expected: `a value that ${name} accepts` }
}

/**
 * Creates the credential check. It passes if the app is unavailable or limits the rate: the first sync then
 * uses the credential and reports a failure.
 * @throws ApiError APP_AUTHENTICATION, APP_REFUSED, APP_ADDRESS naming the value, if it is known
 */
export const createCredentialCheck =
  ({ appClient }: { readonly appClient: AppClient }) =>
  async (connector: Connector, values: CredentialValues): Promise<void> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    try {
      await appClient.check(connector, values, timeout)
    } catch (error) {
      if (!isAppError(error) && !timeout.aborted) throw error
      if (!isAppError(error) || error.code === 'APP_UNAVAILABLE') return
      if (error.code === 'APP_RATE_LIMITED') return
      const { code, message } = appFailure(error)
      throw new ApiError(code, message, [detailOf(error, connector)])
    }
  }
