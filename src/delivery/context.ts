/** What the parts of the delivery of notifications share. */
import type { Postbox } from '../outbound/postbox.ts'
import type { CircuitOptions } from './circuit.ts'

/** Where the engine tells what it does: facts, then words. pino's shape. */
export interface DeliveryLog {
  debug(facts: object, message: string): void
  warn(facts: object, message: string): void
  error(facts: object, message: string): void
}

export interface DeliveryLimits extends CircuitOptions {
  /** Messages that may be sent beyond the position that is saved. */
  readonly window: number
}

export interface DeliveryContext {
  readonly postbox: Pick<Postbox, 'open'>
  readonly log: DeliveryLog
  readonly limits: DeliveryLimits
  readonly nowMs: () => number
  /** Whether the process still holds what it holds. */
  readonly mayStart: () => boolean
  /** Called whenever something is settled, with whether the endpoint has room for more of the log. */
  readonly onProgress: (isStarved: boolean) => void
}
