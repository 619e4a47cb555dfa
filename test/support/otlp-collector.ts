/** An OpenTelemetry collector on a real socket: it receives spans in OTLP over HTTP, as Protocol Buffers. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'

export interface CollectedSpan {
  readonly traceId: string
  readonly spanId: string
  /** Empty: the span starts a trace. */
  readonly parentId: string
  readonly name: string
  readonly kind: 'internal' | 'server' | 'client'
  readonly attributes: Readonly<Record<string, string | number>>
  readonly isFailed: boolean
  readonly resource: Readonly<Record<string, string | number>>
}

/** A field of a message: a number, or the bytes of a text or of another message. */
interface Field {
  readonly number: number
  readonly value: bigint | Buffer
}

/** Reads the fields of a message. @see https://protobuf.dev/programming-guides/encoding/ */
const fieldsOf = (bytes: Buffer): readonly Field[] => {
  const fields: Field[] = []
  let at = 0
  const readVarint = (): bigint => {
    let value = 0n
    for (let shift = 0n; ; shift += 7n) {
      const byte = bytes.readUInt8(at++)
      value |= BigInt(byte & 0x7f) << shift
      if (byte < 0x80) return value
    }
  }
  const take = (length: number): Buffer => {
    at += length
    return bytes.subarray(at - length, at)
  }
  while (at < bytes.length) {
    const tag = Number(readVarint())
    const type = tag & 7
    const readValue = (): bigint | Buffer => {
      if (type === 0) return readVarint()
      if (type === 1) return take(8)
      if (type === 5) return take(4)
      return take(Number(readVarint()))
    }
    fields.push({ number: tag >> 3, value: readValue() })
  }
  return fields
}

/** The messages or texts in a field, which may be repeated. */
const bytesAt = (message: Buffer, number: number): readonly Buffer[] =>
  fieldsOf(message).flatMap((field) =>
    field.number === number && Buffer.isBuffer(field.value) ? [field.value] : [],
  )
const textAt = (message: Buffer, number: number): string =>
  String(bytesAt(message, number)[0] ?? '')
const hexAt = (message: Buffer, number: number): string =>
  (bytesAt(message, number)[0] ?? Buffer.alloc(0)).toString('hex')
const numberAt = (message: Buffer, number: number): number =>
  Number(fieldsOf(message).find((field) => field.number === number)?.value ?? 0)

/** The attributes in a field: keys and values. A value is a text (1), or here a whole number (3). */
const attributesAt = (message: Buffer, number: number) =>
  Object.fromEntries(
    bytesAt(message, number).map((attribute) => {
      const [value = Buffer.alloc(0)] = bytesAt(attribute, 2)
      const isText = fieldsOf(value)[0]?.number === 1
      return [textAt(attribute, 1), isText ? textAt(value, 1) : numberAt(value, 3)]
    }),
  )

const KINDS: Readonly<Record<number, CollectedSpan['kind']>> = {
  1: 'internal',
  2: 'server',
  3: 'client',
}
const STATUS_ERROR = 2

/** Field numbers: https://github.com/open-telemetry/opentelemetry-proto, `trace/v1/trace.proto`. */
const spansOf = (request: Buffer): readonly CollectedSpan[] =>
  bytesAt(request, 1).flatMap((resourceSpans) => {
    const [resource = Buffer.alloc(0)] = bytesAt(resourceSpans, 1)
    return bytesAt(resourceSpans, 2).flatMap((scopeSpans) =>
      bytesAt(scopeSpans, 2).map((span): CollectedSpan => {
        const [status = Buffer.alloc(0)] = bytesAt(span, 15)
        return {
          traceId: hexAt(span, 1),
          spanId: hexAt(span, 2),
          parentId: hexAt(span, 4),
          name: textAt(span, 5),
          kind: KINDS[numberAt(span, 6)] ?? 'internal',
          attributes: attributesAt(span, 9),
          isFailed: numberAt(status, 3) === STATUS_ERROR,
          resource: attributesAt(resource, 1),
        }
      }),
    )
  })

export type Collector = Awaited<ReturnType<typeof startCollector>>

export const startCollector = async () => {
  const spans: CollectedSpan[] = []
  const bodies: Buffer[] = []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const received = Buffer.concat(chunks)
    const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(received) : received
    if (request.url === '/v1/traces') {
      bodies.push(body)
      spans.push(...spansOf(body))
    }
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    /** `http://127.0.0.1:<port>`: the value of OTEL_EXPORTER_OTLP_ENDPOINT. */
    endpoint: `http://127.0.0.1:${port}`,
    spans: spans as readonly CollectedSpan[],
    /** All received bytes, so that a test can search them for texts. */
    text: (): string => Buffer.concat(bodies).toString('latin1'),
    /** The names from the start of the trace in the service to each span of this name. */
    pathsTo: (traceId: string, name: string): readonly (readonly string[])[] => {
      const trace = spans.filter((span) => span.traceId === traceId)
      const pathOf = (span: CollectedSpan): readonly string[] => {
        const parent = trace.find(({ spanId }) => spanId === span.parentId)
        return [...(parent ? pathOf(parent) : []), span.name]
      }
      return trace.filter((span) => span.name === name).map(pathOf)
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
