/** The outcomes of an endpoint's messages. */
import type { StoredAttempt } from '../store/webhooks/webhook-attempts.ts'
import type { NewRetry } from '../store/webhooks/webhook-progress.ts'

/** A finished delivery attempt. */
export interface EndedAttempt {
  readonly messageId: string
  readonly stored: StoredAttempt
}

/** The outcomes of an endpoint that are not saved yet. */
export interface UnsavedOutcomes {
  readonly attempts: readonly EndedAttempt[]
  readonly retries: readonly NewRetry[]
  readonly ended: readonly string[]
}
