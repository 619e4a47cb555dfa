/** Converts failures of an app into API errors. */
import { storableText } from '../definition/value.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { type AppError, AppRefusedError } from '../outbound/app-error.ts'

/** Converts the app's name of a field into the name that the caller used; undefined if there is none. */
export type NameField = (appField: string) => string | undefined

/** The app's reason with the caller's name of the field. `invalid (lines.0.item)` becomes `invalid (lineItems)`. */
const reasonOf = ({ reason, field }: AppRefusedError, named: string | undefined): string => {
  if (field === undefined) return reason
  if (named === undefined) return reason.replaceAll(` (${field})`, '')
  // Replaced only as a whole: the name may be a part of other words.
  return reason.replaceAll(`(${field})`, `(${named})`).replaceAll(`"${field}"`, `"${named}"`)
}

const refusal = (error: AppRefusedError, nameField: NameField | undefined): ApiError => {
  const { appName, field } = error
  const named = field === undefined ? undefined : nameField?.(field)
  const reason = storableText(reasonOf(error, named))
  const expected = `a value that ${appName} accepts: ${reason}`
  const details: readonly ErrorDetail[] =
    named === undefined ? [] : [{ field: storableText(named), expected }]
  return new ApiError('APP_REFUSED', `${appName} refused: ${reason}`, details)
}

/** The API error for a failure of an app. It names the caller's field if the app names one. */
export const appFailure = (error: AppError, nameField?: NameField): ApiError => {
  const { appName } = error
  if (error instanceof AppRefusedError) return refusal(error, nameField)
  const reason = storableText(error.reason)
  switch (error.code) {
    case 'APP_AUTHENTICATION':
      return new ApiError(
        error.code,
        `${appName} rejected the credential (${reason}). Reconnect it with valid values.`,
      )
    case 'APP_ADDRESS':
      return new ApiError(error.code, `${appName} was not called: ${reason}.`)
    case 'APP_RATE_LIMITED':
      return new ApiError(
        error.code,
        `${appName} accepts no more requests now. Retry after the delay in Retry-After.`,
        [],
        {
          retryAfterMs: error.retryAfterMs ?? 1000,
        },
      )
    case 'APP_UNAVAILABLE':
      return new ApiError(error.code, `${appName} returned no usable response: ${reason}.`, [], {
        retryAfterMs: error.retryAfterMs,
        cause: error.cause,
      })
  }
}
