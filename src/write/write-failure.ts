/** Converts failed writes into API errors. */
import { RecordNotFoundError, WriteRejection } from '../definition/connector.ts'
import { storableText } from '../definition/value.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { appFailure, type NameField } from './app-failure.ts'
import type { StepsFailure, StepsOutcome } from './run-steps.ts'

/** A step outcome other than success. */
export type FailedOutcome = Exclude<StepsOutcome<unknown>, { readonly status: 'done' }>

const connectorRejection = (
  { code, message, field, reason }: WriteRejection,
  app: string,
): ApiError => {
  const text = storableText(message)
  return new ApiError(
    code,
    code === 'INVALID_PARAMETER' ? text : `${app} does not support this write: ${text}`,
    field === undefined ? [] : [{ field, expected: reason }],
  )
}

const refused = (error: StepsFailure, app: string, nameField: NameField): ApiError => {
  if (error instanceof WriteRejection) return connectorRejection(error, app)
  if (error instanceof RecordNotFoundError)
    return new ApiError('APP_REFUSED', `${app} has no such record: ${storableText(error.message)}`)
  return appFailure(error, nameField)
}

/** PARTLY_WRITTEN: the app rejected a part of the write. Names the fields that have changed, if they are known. */
export const partlyWritten = (
  refusal: StepsFailure,
  app: string,
  nameField: NameField,
  changes: readonly ErrorDetail[] = [],
): ApiError => {
  const { message, details } = refused(refusal, app, nameField)
  const where = changes.length > 0 ? 'see details' : 'the next sync stores it'
  return new ApiError(
    'PARTLY_WRITTEN',
    `${app} applied one part of the write (${where}) and rejected the rest. ${message}`,
    [...details, ...changes],
  )
}

const MAX_NAMED = 10

/**
 * WRITE_OUTCOME_UNKNOWN. `candidates`: the app's ids of new records that the write may have created; with
 * any, the write is not sent again under the same Idempotency-Key.
 */
export const unknownOutcome = (
  app: string,
  { cause, candidates = [] }: { cause?: unknown; candidates?: readonly string[] },
): ApiError => {
  const hint =
    candidates.length === 0
      ? ' and may have been applied. Send it again with the same Idempotency-Key: the app is checked before anything is sent.'
      : ', and a new record in the app may be its result. It is not sent again with the same Idempotency-Key.'
  return new ApiError(
    'WRITE_OUTCOME_UNKNOWN',
    `The write to ${app} was interrupted${hint}`,
    candidates.slice(0, MAX_NAMED).map((remoteId) => ({
      field: 'remoteId',
      expected: 'a check in the app, because this may be the requested record',
      current: storableText(remoteId),
    })),
    { cause },
  )
}

/** The API error for a failed step outcome. */
export const writeFailure = (
  outcome: FailedOutcome,
  app: string,
  nameField: NameField,
): ApiError => {
  switch (outcome.status) {
    case 'refused':
      return refused(outcome.error, app, nameField)
    case 'partly-written':
      return partlyWritten(outcome.refusal, app, nameField)
    case 'unknown':
      return unknownOutcome(app, outcome)
  }
}
