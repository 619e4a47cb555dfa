/** What a failure is called where it is kept and told. */
import { storableText } from '../definition/value.ts'
import { type AppError, isAppError } from './app-error.ts'

export interface Judgement {
  readonly code: AppError['code'] | 'INTERNAL'
  readonly reason: string
  /** As the app asked; undefined where it named no time. */
  readonly retryAfterMs: number | undefined
}

/** Judges whatever was thrown: an app's failure in its own words, all else as one of ours. */
export const judge = (error: unknown): Judgement => {
  if (!isAppError(error)) {
    // Ours to find in the log, and nobody else's to read.
    const reason = 'an unexpected failure of this service'
    return { code: 'INTERNAL', reason, retryAfterMs: undefined }
  }
  const retryAfterMs = 'retryAfterMs' in error ? error.retryAfterMs : undefined
  return { code: error.code, reason: storableText(error.reason), retryAfterMs }
}
