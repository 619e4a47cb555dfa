/** Limits the memory of request bodies in flight, for each caller and in total. */
import { Transform } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { ByteBudget, ExceededLimit } from '../../byte-budget.ts'
import { ApiError } from '../../errors.ts'

const MIB = 1024 * 1024
/** Shared by HTTP bodies and WebSocket messages. */
export const BODY_BUDGET = { totalBytes: 64 * MIB, bytesPerHolder: 16 * MIB }

// Memory of a chunk in addition to its bytes: a body may arrive in chunks of one byte.
const CHUNK_OVERHEAD_BYTES = 200
const RETRY_AFTER_MS = 1000

const refuse = (refusal: ExceededLimit): ApiError => {
  const options = { retryAfterMs: RETRY_AFTER_MS }
  return refusal === 'holder'
    ? new ApiError(
        'RATE_LIMITED',
        `This caller has more than ${BODY_BUDGET.bytesPerHolder / MIB} MiB of request bodies in flight. Send fewer requests at a time.`,
        [],
        options,
      )
    : new ApiError(
        'NOT_READY',
        `The process has ${BODY_BUDGET.totalBytes / MIB} MiB of request bodies in flight, the limit. Retry later.`,
        [],
        options,
      )
}

const hasBody = ({ headers }: FastifyRequest): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0

/**
 * Counts the bytes of each body from their arrival until the response begins, because the body stays in
 * memory while the request waits, e.g. for a slow app. Content-Length is not reserved: otherwise requests that
 * announce a large body and send nothing would block others. Call it after the hook that sets `request.subject`.
 */
export const limitBodies = (server: FastifyInstance, budget: ByteBudget): void => {
  server.decorateRequest('releaseBody', undefined)
  server.addHook('preParsing', (request, reply, payload, done) => {
    if (!hasBody(request)) return done(null, payload)
    const held = budget.open(request.subject)
    request.releaseBody = held.release
    reply.raw.once('close', held.release)
    const counted = new Transform({
      transform: (chunk: Buffer, _encoding, next) => {
        const refusal = held.take(chunk.byteLength + CHUNK_OVERHEAD_BYTES)
        if (refusal === undefined) next(null, chunk)
        else next(refuse(refusal))
      },
    })
    payload.once('error', (error) => counted.destroy(error))
    // Discard the rest of a rejected body, so that the client can read the response.
    counted.once('error', () => payload.resume())
    done(null, payload.pipe(counted))
  })
  server.addHook('onSend', (request, _reply, _payload, done) => {
    request.releaseBody?.()
    done()
  })
}

declare module 'fastify' {
  interface FastifyRequest {
    /** Releases the budget held for the body; undefined without a body. */
    releaseBody: (() => void) | undefined
  }
}
