/** Static responses that are constant for the life of the process: pages, scripts and documents. */
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type StaticHandler = (request: FastifyRequest, reply: FastifyReply) => Buffer

/** Cache-Control for a URL that contains a hash of its content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

/**
 * Creates a handler that returns constant content, gzipped for clients that accept it.
 * @param content a function is called at the first request
 */
export const always = (
  content: string | (() => Buffer),
  type: string,
  cacheControl: string,
): StaticHandler => {
  let plain: Buffer | undefined
  let compressed: Buffer | undefined
  return (request, reply) => {
    reply.type(type).header('cache-control', cacheControl).header('vary', 'accept-encoding')
    plain ??= typeof content === 'string' ? Buffer.from(content) : content()
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return plain
    reply.header('content-encoding', 'gzip')
    compressed ??= gzipSync(plain)
    return compressed
  }
}
