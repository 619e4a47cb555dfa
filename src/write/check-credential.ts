/** Checks that an app accepts a credential, before it is stored. */
import type { AuthMethod } from '../definition/auth.ts'
import { baseUrlOf, methodOf } from '../definition/authenticate.ts'
import type { Connector } from '../definition/connector.ts'
import { describeFailureReason } from '../definition/failure-reason.ts'
import { namesIn } from '../definition/fill-template.ts'
import { storableText } from '../definition/value.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { readAccountName } from '../outbound/account-name.ts'
import { type AppError, AppRefusedError, isAppError } from '../outbound/app-error.ts'
import type { AppCredential } from '../outbound/compose-request.ts'
import type { AppClient } from '../outbound/http.ts'
import { appFailure } from './app-failure.ts'

// The end user waits for the result.
const TIMEOUT_MS = 10_000

/** What the check of a credential found out. */
export interface CheckedCredential {
  /** The account's own name in the app, if the app reports one. */
  readonly label?: string | undefined
  /** Why the app did not respond; undefined: it did. */
  readonly checkFailure?: string
}

/** The name of the entered value that an error is about; undefined if it is about none of them, or about several. */
const enteredNameOf = (error: AppError, { fields, baseUrl }: AuthMethod): string | undefined => {
  const rejected = error instanceof AppRefusedError && error.field ? [error.field] : []
  const names = error.code === 'APP_ADDRESS' ? namesIn(baseUrl) : rejected
  const [name, ...others] = names.filter((one) => Object.hasOwn(fields, one))
  return others.length === 0 ? name : undefined
}

/** The value that the app rejects, or that is not an address; the whole credential if that value is not known. */
const detailOf = (
  error: AppError,
  { name: appName, auth }: Connector,
  { method: methodName }: AppCredential,
): ErrorDetail => {
  const method = methodOf(auth, methodName)
  const name = method && enteredNameOf(error, method)
  const field = name === undefined ? 'credential' : `credential.${name}`
  if (error.code !== 'APP_ADDRESS') return { field, expected: `a value that ${appName} accepts` }
  const example = name === undefined ? undefined : method?.fields[name]?.example
  const expected = `an address of ${appName} to which this service connects`
  return { field, expected: example === undefined ? expected : `${expected}, such as ${example}` }
}

/** Why the app did not respond, as the app client reports it; undefined: it responded. */
const noResponse = (error: unknown): string | undefined => {
  if (!isAppError(error)) return `no response within ${TIMEOUT_MS / 1000} s`
  return error.code === 'APP_UNAVAILABLE' ? storableText(error.reason) : undefined
}

/** The origin of the app's address, which the end user knows; undefined: the values contain none. */
const addressOf = ({ auth }: Connector, { method, values }: AppCredential): string | undefined => {
  const declared = methodOf(auth, method)
  return declared && URL.parse(baseUrlOf(declared, values))?.origin
}

/**
 * Creates the credential check. It passes if the app limits the rate, and, unless `requireResponse` is true, if
 * the app is unavailable: the first sync then uses the credential and reports a failure.
 * @throws ApiError APP_AUTHENTICATION, APP_REFUSED, APP_ADDRESS naming the value, if it is known; APP_UNAVAILABLE
 */
export const createCredentialCheck =
  ({ appClient }: { readonly appClient: AppClient }) =>
  async (
    connector: Connector,
    credential: AppCredential,
    requireResponse = false,
  ): Promise<CheckedCredential> => {
    const timeout = AbortSignal.timeout(TIMEOUT_MS)
    try {
      return { label: await readAccountName(appClient, connector, credential, timeout) }
    } catch (error) {
      if (!isAppError(error) && !timeout.aborted) throw error
      const failure = noResponse(error)
      if (failure !== undefined && !requireResponse) return { checkFailure: failure }
      if (failure !== undefined) {
        const reason = describeFailureReason(failure, addressOf(connector, credential))
        throw new ApiError('APP_UNAVAILABLE', `${connector.name} did not respond: ${reason}.`)
      }
      if (!isAppError(error) || error.code === 'APP_RATE_LIMITED') return {}
      const { code, message } = appFailure(error)
      throw new ApiError(code, message, [detailOf(error, connector, credential)])
    }
  }
