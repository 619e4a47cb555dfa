/** The log lines of a webhook endpoint: one when it starts to fail, and one when it recovers. */
import type { Log } from '../log.ts'
import type { AttemptOutcome } from './attempt.ts'

/** From one reported failure to the next: an endpoint that fails now and then is not reported each time. */
const QUIET_MS = 60_000

/** Receives the changes of an endpoint's health. */
export interface EndpointLog {
  /** An attempt failed. @param failures consecutive failures, including this one */
  failed(outcome: AttemptOutcome, failures: number): void
  /** An attempt succeeded after failures. */
  recovered(failures: number, failingSince: Date): void
}

/** Creates the log of an endpoint. @param isFailing whether it already failed when this process took it over */
export const createEndpointLog = (log: Log, webhook: string, isFailing: boolean): EndpointLog => {
  let isReported = isFailing
  let quietUntilMs = Number.NEGATIVE_INFINITY
  return {
    failed: ({ status, failure, latencyMs }, failures) => {
      const nowMs = performance.now()
      if (isReported || nowMs < quietUntilMs) return
      isReported = true
      quietUntilMs = nowMs + QUIET_MS
      log.warn(
        { webhook, status, reason: failure ?? `it answered ${status}`, latencyMs, failures },
        'a webhook endpoint has started to fail',
      )
    },
    recovered: (failures, failingSince) => {
      if (!isReported) return
      isReported = false
      log.info({ webhook, failures, failingSince }, 'a webhook endpoint has recovered')
    },
  }
}
