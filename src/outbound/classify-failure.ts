/** The classification of failures that are stored and reported. */
import { storableText } from '../definition/value.ts'
import { type AppError, isAppError } from './app-error.ts'

export interface ClassifiedFailure {
  readonly code: AppError['code'] | 'INTERNAL'
  readonly reason: string
  /** The pause that the app requested; undefined: none. */
  readonly retryAfterMs: number | undefined
}

/** Classifies an error: a failure of an app with its reason, any other error as `INTERNAL`. */
export const classifyFailure = (error: unknown): ClassifiedFailure => {
  if (!isAppError(error)) {
    // The details are only in the log.
    const reason = 'an unexpected failure of this service'
    return { code: 'INTERNAL', reason, retryAfterMs: undefined }
  }
  const retryAfterMs = 'retryAfterMs' in error ? error.retryAfterMs : undefined
  return { code: error.code, reason: storableText(error.reason), retryAfterMs }
}
