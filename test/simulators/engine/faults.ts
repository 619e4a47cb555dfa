/** Failures that a test requests, each for the next requests that it matches. */

export type Fault =
  /**
   * A response of this status without processing the request: 429 with or without `retry-after`, 5xx, a proxy's
   * page.
   */
  | {
      readonly kind: 'status'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** The vendor's own response to too many requests, without processing the request. */
  | { readonly kind: 'rate-limited'; readonly retryAfterMs: number }
  /** The vendor's own response to an access token that is not valid. */
  | { readonly kind: 'unauthenticated' }
  /** Never responds and does not process the request. */
  | { readonly kind: 'hang' }
  /** Closes the connection without processing the request. */
  | { readonly kind: 'reset' }
  /** Processes the request and closes the connection instead of responding. */
  | { readonly kind: 'lost-response' }
  /** Processes the request, sends half of the response's body and closes the connection. */
  | { readonly kind: 'half-response' }
  /** Processes the request and responds late. */
  | { readonly kind: 'slow'; readonly ms: number }

/** The requests that a fault is for. */
export interface FaultTarget {
  /** Default: any. */
  readonly method?: string
  /** A part of the URL's path and query. Default: any. */
  readonly url?: string
  /** How many matching requests pass first. Default: 0. */
  readonly after?: number
  /** How many requests fail. Default: 1. */
  readonly times?: number
}

export interface Faults {
  add(fault: Fault, target?: FaultTarget): void
  /** Returns the fault for this request, and counts it as used. */
  take(request: { readonly method: string; readonly url: string }): Fault | undefined
  /** The number of faults that have not occurred. */
  pending(): number
  clear(): void
}

export const createFaults = (): Faults => {
  let planned: {
    readonly fault: Fault
    readonly target: FaultTarget
    after: number
    times: number
  }[] = []
  return {
    add: (fault, target = {}) => {
      const { after = 0, times = 1 } = target
      planned.push({ fault, target, after, times })
    },
    take: ({ method, url }) => {
      for (const plan of planned) {
        const { target } = plan
        const matches =
          (target.method ?? method) === method && url.includes(target.url ?? '') && plan.times > 0
        if (!matches) continue
        if (plan.after > 0) {
          plan.after--
          continue
        }
        plan.times--
        return plan.fault
      }
      return undefined
    },
    pending: () => planned.reduce((sum, { times }) => sum + times, 0),
    clear: () => {
      planned = []
    },
  }
}
