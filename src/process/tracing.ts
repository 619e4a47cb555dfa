/** Traces with OpenTelemetry, sent to a collector. Loaded only if one is configured. */
import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as wait } from 'node:timers/promises'
import {
  type Context,
  defaultTextMapGetter,
  type Span as OtelSpan,
  type Tracer as OtelTracer,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from '@opentelemetry/api'
import type { ExportResult } from '@opentelemetry/core'
import type { Sampler, SpanExporter } from '@opentelemetry/sdk-trace'
import type { Log } from '../log.ts'
import { installCommand, isNotInstalled, type OptionalPackage, version } from '../package-json.ts'
import {
  type Span,
  type SpanAttributes,
  type SpanOptions,
  setTracer,
  type Tracer,
} from '../tracing.ts'
import type { TracingConfig } from './config.ts'

// Spans that cannot be sent by then are lost: a stop does not wait for an unreachable collector.
const FLUSH_MS = 3_000

const PACKAGES: readonly OptionalPackage[] = [
  '@opentelemetry/core',
  '@opentelemetry/resources',
  '@opentelemetry/sdk-trace',
  '@opentelemetry/exporter-trace-otlp-proto',
]

/** @returns undefined, after a warning with the command that installs them, if they are missing */
const loadPackages = async (log: Log) => {
  try {
    const [core, resources, sdk, exporter] = await Promise.all([
      import('@opentelemetry/core'),
      import('@opentelemetry/resources'),
      import('@opentelemetry/sdk-trace'),
      import('@opentelemetry/exporter-trace-otlp-proto'),
    ])
    return { ...core, ...resources, ...sdk, ...exporter }
  } catch (error) {
    if (!PACKAGES.some((name) => isNotInstalled(error, name))) throw error
    log.warn(
      { install: installCommand(...PACKAGES) },
      'OTEL_EXPORTER_OTLP_ENDPOINT is set, but the packages for traces are not installed: nothing is traced',
    )
    return undefined
  }
}

type Packages = NonNullable<Awaited<ReturnType<typeof loadPackages>>>

const createSampler = (packages: Packages, { sampler, ratio }: TracingConfig): Sampler => {
  const { AlwaysOffSampler, AlwaysOnSampler, ParentBasedSampler, TraceIdRatioBasedSampler } =
    packages
  switch (sampler) {
    case 'always_on':
      return new AlwaysOnSampler()
    case 'always_off':
      return new AlwaysOffSampler()
    case 'traceidratio':
      return new TraceIdRatioBasedSampler(ratio)
    case 'parentbased_always_on':
      return new ParentBasedSampler({ root: new AlwaysOnSampler() })
    case 'parentbased_always_off':
      return new ParentBasedSampler({ root: new AlwaysOffSampler() })
    case 'parentbased_traceidratio':
      return new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(ratio) })
  }
}

/** The same exporter, which logs the first failure, and the first success after it. */
const logFailures = (exporter: SpanExporter, log: Log): SpanExporter => {
  let isFailing = false
  const note = ({ code, error }: ExportResult): void => {
    const hasFailed = code !== 0
    if (hasFailed === isFailing) return
    isFailing = hasFailed
    if (hasFailed) log.warn({ err: error }, 'traces cannot be sent to the collector; they are lost')
    else log.info({}, 'traces are sent to the collector again')
  }
  return {
    export: (spans, onResult) =>
      exporter.export(spans, (result) => {
        note(result)
        onResult(result)
      }),
    forceFlush: async () => exporter.forceFlush?.(),
    shutdown: () => exporter.shutdown(),
  }
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT }

const definedOf = (attributes: SpanAttributes) =>
  Object.fromEntries(
    Object.entries(attributes).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, value]],
    ),
  )

/** Creates the tracer. The active span is that of the asynchronous context. */
const createTracer = (otel: OtelTracer, readParent: (headers: object) => Context): Tracer => {
  const active = new AsyncLocalStorage<ActiveSpan | undefined>()

  class ActiveSpan implements Span {
    readonly #span: OtelSpan
    readonly context: Context

    constructor(span: OtelSpan, parent: Context) {
      this.#span = span
      this.context = trace.setSpan(parent, span)
    }

    get traceId(): string {
      return this.#span.spanContext().traceId
    }

    get traceparent(): string | undefined {
      const { traceId, spanId, traceFlags } = this.#span.spanContext()
      return traceFlags & TraceFlags.SAMPLED ? `00-${traceId}-${spanId}-01` : undefined
    }

    set(attributes: SpanAttributes): void {
      this.#span.setAttributes(definedOf(attributes))
    }

    fail(type: string): void {
      this.#span.setAttribute('error.type', type)
      this.#span.setStatus({ code: SpanStatusCode.ERROR })
    }

    within<Result>(work: () => Result): Result {
      return active.run(this, work)
    }

    end(): void {
      this.#span.end()
    }
  }

  return {
    get active() {
      return active.getStore()
    },
    start: ({ name, kind, attributes = {}, parent }: SpanOptions) => {
      const context = parent ? readParent(parent) : (active.getStore()?.context ?? ROOT_CONTEXT)
      const options = {
        kind: kind ? KINDS[kind] : SpanKind.INTERNAL,
        attributes: definedOf(attributes),
      }
      return new ActiveSpan(otel.startSpan(name, options, context), context)
    },
    detach: (work) => active.run(undefined, work),
  }
}

/**
 * Starts tracing. The exporter reads OTEL_EXPORTER_OTLP_*, the resource OTEL_SERVICE_NAME and
 * OTEL_RESOURCE_ATTRIBUTES.
 * @returns stops it: sends the spans that have ended, as far as that is possible within 3 s. Undefined, after a
 *   warning: the packages are not installed
 */
export const startTracing = async (
  config: TracingConfig,
  role: string,
  log: Log,
): Promise<(() => Promise<void>) | undefined> => {
  const packages = await loadPackages(log)
  if (packages === undefined) return undefined
  const detectors = [packages.resourceAttributesEnvDetector, packages.serviceNameEnvDetector]
  const provider = new packages.TracerProvider({
    resource: packages
      .defaultResource()
      .merge(
        packages.resourceFromAttributes({
          'service.name': 'trunkline',
          'service.version': version,
          'trunkline.role': role,
        }),
      )
      .merge(packages.detectResources({ detectors })),
    sampler: createSampler(packages, config),
    spanProcessors: [
      new packages.BatchSpanProcessor({
        exporter: logFailures(new packages.OTLPTraceExporter(), log),
        scheduledDelayMillis: config.delayMs,
      }),
    ],
  })
  const propagator = new packages.W3CTraceContextPropagator()
  setTracer(
    createTracer(provider.getTracer('trunkline', version), (headers) =>
      propagator.extract(ROOT_CONTEXT, headers, defaultTextMapGetter),
    ),
  )
  return async () => {
    setTracer(undefined)
    // The exporter has logged the failure of the last spans.
    const flushed = provider.shutdown().catch(() => {})
    await Promise.race([flushed, wait(FLUSH_MS, undefined, { ref: false })])
  }
}
