/** Static responses that are constant for the life of the process: pages, scripts and documents. */
import { hash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type StaticHandler = (request: FastifyRequest, reply: FastifyReply) => Buffer

/** Cache-Control for a URL that contains a hash of its content. */
export const IMMUTABLE = 'public, max-age=31536000, immutable'

/** The entity tag of content; weak, because its gzipped form has the same. */
const tagOf = (content: Buffer): string =>
  `W/"${hash('sha256', content, 'base64url').slice(0, 22)}"`

const EMPTY = Buffer.alloc(0)

/** Whether the client has the content with this tag (RFC 9110, section 13.1.2). */
const hasCopy = (ifNoneMatch: string | undefined, tag: string): boolean =>
  (ifNoneMatch ?? '').split(',').some((one) => ['*', tag].includes(one.trim()))

/**
 * Creates a handler that returns constant content, gzipped for clients that accept it; 304 for those that have it.
 * @param content a function is called at the first request
 */
export const createStaticHandler = (
  content: string | (() => Buffer),
  type: string,
  cacheControl: string,
): StaticHandler => {
  let plain: Buffer | undefined
  let compressed: Buffer | undefined
  let tag: string | undefined
  return (request, reply) => {
    plain ??= typeof content === 'string' ? Buffer.from(content) : content()
    tag ??= tagOf(plain)
    reply.type(type).header('cache-control', cacheControl).header('vary', 'accept-encoding')
    reply.header('etag', tag)
    if (hasCopy(request.headers['if-none-match'], tag)) {
      reply.code(304)
      return EMPTY
    }
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return plain
    reply.header('content-encoding', 'gzip')
    compressed ??= gzipSync(plain)
    return compressed
  }
}
