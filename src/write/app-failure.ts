/** Converts failures of an app into API errors. */
import { storableText } from '../definition/value.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { type AppError, AppRefusedError } from '../outbound/app-error.ts'

/** Converts the app's name of a field into the name that the caller used. */
export type NameField = (appField: string) => string

const refusal = (error: AppRefusedError, nameField: NameField | undefined): ApiError => {
  const { app, field } = error
  const reason = storableText(error.reason)
  const expected = `a value that ${app} accepts: ${reason}`
  const details: readonly ErrorDetail[] =
    field === undefined || nameField === undefined
      ? []
      : [{ field: storableText(nameField(field)), expected }]
  return new ApiError('APP_REFUSED', `${app} refused: ${reason}`, details)
}

/** The API error for a failure of an app. It names the caller's field if the app names one. */
export const appFailure = (error: AppError, nameField?: NameField): ApiError => {
  const { app } = error
  const reason = storableText(error.reason)
  if (error instanceof AppRefusedError) return refusal(error, nameField)
  switch (error.code) {
    case 'APP_AUTHENTICATION':
      return new ApiError(
        error.code,
        `${app} rejected the credential (${reason}). Connect it again with valid values.`,
      )
    case 'APP_ADDRESS':
      return new ApiError(error.code, `${app} was not called: ${reason}.`)
    case 'APP_RATE_LIMITED':
      return new ApiError(
        error.code,
        `${app} accepts no more requests now. Retry after the delay in Retry-After.`,
        [],
        {
          retryAfterMs: error.retryAfterMs ?? 1000,
        },
      )
    case 'APP_UNAVAILABLE':
      return new ApiError(error.code, `${app} returned no usable response: ${reason}.`, [], {
        retryAfterMs: error.retryAfterMs,
        cause: error.cause,
      })
  }
}
