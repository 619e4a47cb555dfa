/**
 * Traces of the work of the service. Without a tracer, work runs as it is. `process/tracing.ts`, which is loaded
 * only if OpenTelemetry is configured, provides the tracer.
 */

/** Attributes of a span, by name; undefined ones are left out. Never a secret, a value of a record or a query string. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | undefined>>

export interface SpanOptions {
  readonly name: string
  /** `server`: a received request · `client`: a request to another system. Default: work of this process. */
  readonly kind?: 'server' | 'client'
  readonly attributes?: SpanAttributes
  /**
   * W3C Trace Context, as headers (`traceparent`, `tracestate`): the span continues this trace, or starts one if
   * there is none. Default: the span is part of the active one.
   * @see https://www.w3.org/TR/trace-context/
   */
  readonly parent?: Readonly<Record<string, unknown>>
}

/** A piece of work in a trace. */
export interface Span {
  readonly traceId: string
  /** The position in the trace as a `traceparent` header; undefined: the trace is not sampled. */
  readonly traceparent: string | undefined
  set(attributes: SpanAttributes): void
  /** Marks the span as failed. @param type a code or the name of a class, such as `APP_UNAVAILABLE` */
  fail(type: string): void
  /** Runs work with this span as the active one. */
  within<Result>(work: () => Result): Result
  end(): void
}

export interface Tracer {
  start(options: SpanOptions): Span
  /** The span that the calling code runs in; undefined: none. */
  readonly active: Span | undefined
  /** Runs work without an active span. */
  detach<Result>(work: () => Result): Result
}

let tracer: Tracer | undefined

/** Sets the tracer of the process, before its parts are created; undefined: nothing is traced. */
export const setTracer = (next: Tracer | undefined): void => {
  tracer = next
}

export const isTracing = (): boolean => tracer !== undefined

/** The active span; undefined: there is none, or nothing is traced. */
export const activeSpan = (): Span | undefined => tracer?.active

/** Starts a span, which the caller ends; undefined: nothing is traced. */
export const startSpan = (options: SpanOptions): Span | undefined => tracer?.start(options)

/** Runs work outside of the active trace: it outlives the request that starts it. */
export const detached = <Result>(work: () => Result): Result =>
  tracer === undefined ? work() : tracer.detach(work)

/** The type of an error for a span: its code, or the name of its class. Never its message, which may quote data. */
export const errorType = (error: unknown): string => {
  if (!(error instanceof Error)) return 'unknown'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}

const runIn = async <Result>(
  span: Span,
  work: (span: Span) => Promise<Result>,
): Promise<Result> => {
  try {
    return await span.within(() => work(span))
  } catch (error) {
    span.fail(errorType(error))
    throw error
  } finally {
    span.end()
  }
}

/**
 * Runs work in a span, which fails if the work rejects. If nothing is traced, `span` is undefined and `optionsOf` is
 * not called.
 */
export const trace = <Result>(
  optionsOf: () => SpanOptions,
  work: (span?: Span) => Promise<Result>,
): Promise<Result> => (tracer === undefined ? work() : runIn(tracer.start(optionsOf()), work))

/** The attributes of the server that an HTTP request is sent to. */
export const serverAttributes = ({ hostname, port, protocol }: URL): SpanAttributes => ({
  'server.address': hostname,
  'server.port': Number(port || (protocol === 'https:' ? 443 : 80)),
})
