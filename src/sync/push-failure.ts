/** What a failed write is told as: the app's words and field where they are known, in the API's codes. */
import { WriteRefusal } from '../definition/connector.ts'
import type { Resource } from '../definition/resource.ts'
import { storableText } from '../definition/value.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import { type AppError, AppRefusedError, isAppError } from '../outbound/app-error.ts'
import type { WriteAttempt } from '../query/write-request.ts'
import { STAMPS } from '../store/record-sql.ts'
import { OutcomeUnknownError, PartlyWrittenError } from './perform.ts'

type Shown = Readonly<Record<string, unknown>>

/** The fields in which two versions of a record differ, stamps of ours aside. */
const differing = ({ allFields }: Resource, stored: Shown, current: Shown): readonly string[] =>
  Object.keys(allFields).filter(
    (field) =>
      !STAMPS.has(field) && JSON.stringify(stored[field]) !== JSON.stringify(current[field]),
  )

/**
 * Whether a write to `current` would overwrite what the writer of `stored` has not seen. The time alone
 * does not say so: apps move it without a change, as Vendure does for a write that it has refused.
 */
export const isStale = (resource: Resource, stored: Shown, current: Shown): boolean =>
  differing(resource, stored, current).some((field) => field !== 'remoteUpdatedAt')

const bothVersions = (resource: Resource, stored: Shown, current: Shown): readonly ErrorDetail[] =>
  differing(resource, stored, current).map((field) => ({
    field,
    expected: 'the value that the app has now',
    stored: stored[field],
    current: current[field],
  }))

/** A record that is another in the app than it is stored here: the fields that differ, both versions of each. */
export const conflict = (resource: Resource, stored: Shown, current: Shown): ApiError => {
  // Of a deleted record, reading it again brings nothing.
  if (current.remoteDeleted === true)
    return new ApiError('WRITE_CONFLICT', `The ${resource.name} is deleted in the app.`, [
      {
        field: 'remoteDeleted',
        expected: 'a record that the app still has',
        stored: stored.remoteDeleted,
        current: true,
      },
    ])
  return new ApiError(
    'WRITE_CONFLICT',
    `The ${resource.name} was changed in the app since it was read. Read it again, then write.`,
    bothVersions(resource, stored, current),
  )
}

/** @throws WRITE_CONFLICT if the caller has seen another version than the stored one */
export const checkSeen = (
  resource: Resource,
  stored: { readonly updatedAt: string },
  { seenUpdatedAt }: WriteAttempt,
): void => {
  if (seenUpdatedAt === undefined || stored.updatedAt === seenUpdatedAt) return
  const expected = `the value that the caller has seen, ${seenUpdatedAt}`
  throw new ApiError(
    'WRITE_CONFLICT',
    `The ${resource.name} has changed since it was read. Read it again, then write.`,
    [{ field: 'updatedAt', expected, current: stored.updatedAt }],
  )
}

/** @throws WRITE_CONFLICT if the record has changed since an earlier try of the same write was broken off */
export const checkUntouched = (
  resource: Resource,
  stored: { readonly updatedAt: string },
  { brokenOffSince }: WriteAttempt,
): void => {
  if (brokenOffSince === undefined || Date.parse(stored.updatedAt) < brokenOffSince.getTime())
    return
  const expected = `a time before the try that was broken off, ${brokenOffSince.toISOString()}`
  throw new ApiError(
    'WRITE_CONFLICT',
    `The ${resource.name} has changed since an earlier try of this write was broken off, by that try or by another. Read it again, then write what it lacks, with another Idempotency-Key.`,
    [{ field: 'updatedAt', expected, current: stored.updatedAt }],
  )
}

/** Tells a field by the app's name as the caller knows it. */
export type NameField = (appField: string) => string

const refusal = (error: AppRefusedError, nameField: NameField | undefined): ApiError => {
  const { app, field } = error
  const reason = storableText(error.reason)
  const expected = `what ${app} takes: ${reason}`
  const details: readonly ErrorDetail[] =
    field === undefined || nameField === undefined
      ? []
      : [{ field: storableText(nameField(field)), expected }]
  return new ApiError('APP_REFUSED', `${app} refused: ${reason}`, details)
}

/** A failure of an app in the API's words, and the field that it names if the caller has given any. */
export const appFailure = (error: AppError, nameField?: NameField): ApiError => {
  const { app } = error
  const reason = storableText(error.reason)
  if (error instanceof AppRefusedError) return refusal(error, nameField)
  switch (error.code) {
    case 'APP_AUTHENTICATION':
      return new ApiError(error.code, `${app} does not accept the credential: ${reason}`)
    case 'APP_ADDRESS':
      return new ApiError(error.code, `${app} was not dialled: ${reason}.`)
    case 'APP_RATE_LIMITED':
      return new ApiError(error.code, `${app} is not accepting more requests now.`, [], {
        retryAfterMs: error.retryAfterMs ?? 1000,
      })
    case 'APP_UNAVAILABLE':
      return new ApiError(error.code, `${app} gave no usable answer: ${reason}.`, [], {
        retryAfterMs: error.retryAfterMs,
        cause: error.cause,
      })
  }
}

const connectorRefusal = ({ message, field, reason }: WriteRefusal, app: string): ApiError =>
  new ApiError(
    'FIELD_NOT_SUPPORTED',
    `${app} cannot take this: ${storableText(message)}`,
    field === undefined ? [] : [{ field, expected: reason }],
  )

/** A refusal after which the record is another than it was, with what has changed; or else the refusal alone. */
export const withChanges = (
  { refusal }: PartlyWrittenError,
  resource: Resource,
  before: Shown,
  current: Shown,
): Error =>
  isStale(resource, before, current)
    ? new PartlyWrittenError(refusal, bothVersions(resource, before, current))
    : refusal

const partlyWritten = (
  { refusal, changes }: PartlyWrittenError,
  app: string,
  nameField: NameField,
): ApiError => {
  const { message, details } =
    refusal instanceof WriteRefusal
      ? connectorRefusal(refusal, app)
      : appFailure(refusal, nameField)
  const where = changes.length > 0 ? 'the details name it' : 'the next sync brings it'
  return new ApiError(
    'PARTLY_WRITTEN',
    `A part of the write is done in ${app} (${where}), the rest is not. ${message}`,
    [...details, ...changes],
  )
}

const MAX_NAMED = 10

const unknownOutcome = ({ perhaps, cause }: OutcomeUnknownError, app: string): ApiError => {
  const hint =
    perhaps.length === 0
      ? ' and may have happened. With the same Idempotency-Key it is looked up before it is sent again.'
      : ', and a new record there may be what it has made. It is not sent again with the same Idempotency-Key.'
  return new ApiError(
    'WRITE_OUTCOME_UNKNOWN',
    `The write to ${app} was broken off${hint}`,
    perhaps.slice(0, MAX_NAMED).map((remoteId) => ({
      field: 'remoteId',
      expected: 'to be looked at in the app: it may be the record that was asked for',
      current: storableText(remoteId),
    })),
    { cause },
  )
}

/** The failure of a write as the caller is told it; what is not the app's is thrown on as it is. */
export const toPushError = (error: unknown, app: string, nameField: NameField): unknown => {
  if (error instanceof WriteRefusal) return connectorRefusal(error, app)
  if (error instanceof PartlyWrittenError) return partlyWritten(error, app, nameField)
  if (error instanceof OutcomeUnknownError) return unknownOutcome(error, app)
  return isAppError(error) ? appFailure(error, nameField) : error
}
