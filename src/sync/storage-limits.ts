/** Limits of what one credential may store: an app whose lists never end would fill the disk. */
import type { StoredTotals } from '../store/records/record-totals.ts'

/** The maximum that may be stored for one credential. */
export interface StorageLimits {
  /** Records of all resources, including those that were deleted in the app. */
  readonly maxRecords: number
  /** Bytes of JSON of the records and of their changes in the change log. */
  readonly maxBytes: number
}

/** The code of a run that failed because its credential has reached a limit. */
export const LIMIT_REACHED = 'LIMIT_REACHED'

/** A page exceeds a storage limit of its credential; nothing of the page is stored. */
export class StorageLimitError extends Error {
  override readonly name = 'StorageLimitError'
  readonly code = LIMIT_REACHED
}

const format = (count: number): string => count.toLocaleString('en-US')

/**
 * Checks the totals after a page. A page that adds nothing always passes.
 * @throws StorageLimitError that names the limit
 */
export const checkStorage = (
  { records, bytes }: StoredTotals,
  { maxRecords, maxBytes }: StorageLimits,
  added: { readonly created: number; readonly changed: number },
): void => {
  if (added.created > 0 && records > maxRecords)
    throw new StorageLimitError(
      `The next page would bring the credential to ${format(records)} records; the limit is ${format(maxRecords)} (MAX_RECORDS_PER_CREDENTIAL).`,
    )
  if (added.changed > 0 && bytes > maxBytes)
    throw new StorageLimitError(
      `The next page would bring the credential to ${format(bytes)} bytes of records and changes; the limit is ${format(maxBytes)} (MAX_BYTES_PER_CREDENTIAL).`,
    )
}
