/** The dependencies and limits that the parts of webhook delivery share. */
import type { Log } from '../log.ts'
import type { WebhookTransport } from '../outbound/webhook-transport.ts'
import type { CircuitOptions } from './circuit.ts'

export interface DeliveryLimits extends CircuitOptions {
  /** Maximum number of messages to one endpoint, in flight or completed, whose outcome is not saved. */
  readonly window: number
}

export interface DeliveryContext {
  readonly transport: Pick<WebhookTransport, 'open'>
  readonly log: Log
  readonly limits: DeliveryLimits
  /** The time of the database's clock. */
  readonly nowMs: () => number
  /** Whether the lease of the process is valid, so that it may send. */
  readonly hasLease: () => boolean
  /** Called after each message, with whether the endpoint has room for more changes. */
  readonly onProgress: (needsPage: boolean) => void
}
