/** Detects write conflicts: the record has changed since the writer read it. */
import type { Resource } from '../definition/resource.ts'
import { ApiError, type ErrorDetail } from '../errors.ts'
import type { WriteAttempt } from '../query/write-request.ts'
import { TIMESTAMP_FIELDS } from '../store/records/record-sql.ts'

/** The values of a record as the API returns it. */
export type RecordValues = Readonly<Record<string, unknown>>

/** The fields that differ between two versions of a record, except this service's own timestamps. */
const differingFields = (
  { allFields }: Resource,
  stored: RecordValues,
  current: RecordValues,
): readonly string[] =>
  Object.keys(allFields).filter(
    (field) =>
      !TIMESTAMP_FIELDS.has(field) &&
      JSON.stringify(stored[field]) !== JSON.stringify(current[field]),
  )

/**
 * Whether a write to `current` would overwrite changes that the writer of `stored` has not seen. A newer
 * timestamp alone does not count: Vendure updates it even for a write that it rejects.
 */
export const isStale = (resource: Resource, stored: RecordValues, current: RecordValues): boolean =>
  differingFields(resource, stored, current).some((field) => field !== 'remoteUpdatedAt')

/** The fields that differ, with both versions of each. */
export const bothVersions = (
  resource: Resource,
  stored: RecordValues,
  current: RecordValues,
): readonly ErrorDetail[] =>
  differingFields(resource, stored, current).map((field) => ({
    field,
    expected: 'the value that the app has now',
    stored: stored[field],
    current: current[field],
  }))

/** WRITE_CONFLICT for a record that changed in the app: the fields that differ, with both versions of each. */
export const conflict = (
  resource: Resource,
  stored: RecordValues,
  current: RecordValues,
): ApiError => {
  if (current.remoteDeleted === true)
    return new ApiError(
      'WRITE_CONFLICT',
      `The ${resource.name} is deleted in the app, and cannot be changed. Create a new one.`,
      [
        {
          field: 'remoteDeleted',
          expected: 'a record that the app still has',
          stored: stored.remoteDeleted,
          current: true,
        },
      ],
    )
  return new ApiError(
    'WRITE_CONFLICT',
    `The ${resource.name} was changed in the app since it was read. Read it again, then write.`,
    bothVersions(resource, stored, current),
  )
}

/** Checks `If-Match` / `ifUpdatedAt`. @throws WRITE_CONFLICT if the stored record has another version */
export const checkExpectedVersion = (
  resource: Resource,
  stored: { readonly updatedAt: string },
  { seenUpdatedAt }: WriteAttempt,
): void => {
  if (seenUpdatedAt === undefined || stored.updatedAt === seenUpdatedAt) return
  const expected = `the version that the caller read, ${seenUpdatedAt}`
  throw new ApiError(
    'WRITE_CONFLICT',
    `The ${resource.name} has changed since it was read. Read it again, then write.`,
    [{ field: 'updatedAt', expected, current: stored.updatedAt }],
  )
}

/** Checks the retry of an interrupted write. @throws WRITE_CONFLICT if the record has changed since that attempt */
export const checkUnchangedSinceAttempt = (
  resource: Resource,
  stored: { readonly updatedAt: string },
  { interruptedSince }: WriteAttempt,
): void => {
  if (interruptedSince === undefined || Date.parse(stored.updatedAt) < interruptedSince.getTime())
    return
  const expected = `a time before the interrupted attempt, ${interruptedSince.toISOString()}`
  throw new ApiError(
    'WRITE_CONFLICT',
    `The ${resource.name} has changed since an earlier attempt at this write was interrupted, by that attempt or by another write. Read it again, then write what is missing with another Idempotency-Key.`,
    [{ field: 'updatedAt', expected, current: stored.updatedAt }],
  )
}
