/** Sends one request to an app, and reports it: as a span, a measurement and a line of the debug log. */
import type { AppResponse } from '../definition/connector.ts'
import type { Log } from '../log.ts'
import { type Span, type SpanOptions, serverAttributes, trace } from '../tracing.ts'
import { type AppErrorFacts, isAppError } from './app-error.ts'
import type { ExchangeResponse, OutgoingRequest } from './exchange.ts'
import { toAppError } from './exchange-failure.ts'

type Facts = Omit<AppErrorFacts, 'reason'>

/** Receives a request to an app and its duration, in milliseconds. */
export type OnAppRequest = (app: string, outcome: string, tookMs: number) => void

/** What requests are reported to. */
export interface PerformerOptions {
  readonly log?: Log
  /** Receives each request: its HTTP status, or the problem of one without a usable response. */
  readonly onRequest?: OnAppRequest | undefined
}

/** Without the path, which may contain ids, and without headers. The app receives no trace context. */
const spanOf = ({ app }: Facts, { method, url }: OutgoingRequest): SpanOptions => ({
  name: `${method} ${app}`,
  kind: 'client',
  attributes: {
    'http.request.method': method,
    ...serverAttributes(url),
    'trunkline.app': app,
  },
})

/** Sends a request, and reads its response before the memory of its body is released. */
interface ExchangeSteps {
  readonly send: () => Promise<ExchangeResponse>
  readonly read: (response: ExchangeResponse) => AppResponse
}

/** Sends one request and reads its response. @throws AppError */
export type Perform = (
  facts: Facts,
  outgoing: OutgoingRequest,
  steps: ExchangeSteps,
) => Promise<AppResponse>

/** Creates the function that sends requests and reports them. */
export const createPerformer = ({ log, onRequest }: PerformerOptions): Perform => {
  const exchangeAndRead = async (
    facts: Facts,
    { send, read }: ExchangeSteps,
    span: Span | undefined,
  ): Promise<AppResponse> => {
    const startedMs = performance.now()
    const report = (outcome: number | string, problem?: string): void => {
      const tookMs = performance.now() - startedMs
      onRequest?.(facts.app, problem ?? String(outcome), tookMs)
      log?.debug({ ...facts, outcome, tookMs: Math.round(tookMs) }, 'sent a request to an app')
    }
    try {
      const response = await send()
      report(response.status)
      span?.set({ 'http.response.status_code': response.status })
      try {
        return read(response)
      } finally {
        response.release()
      }
    } catch (error) {
      const classified = toAppError(error, facts) ?? error
      if (isAppError(classified) && classified !== error)
        report(classified.reason, 'problem' in classified ? classified.problem : classified.code)
      throw classified
    }
  }

  return (facts, outgoing, steps) =>
    trace(
      () => spanOf(facts, outgoing),
      (span) => exchangeAndRead(facts, steps, span),
    )
}
