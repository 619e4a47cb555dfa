/** Answers whose text never changes while the process lives: pages, scripts and documents. */
import { gzipSync } from 'node:zlib'
import type { FastifyReply, FastifyRequest } from 'fastify'

export type StaticHandler = (request: FastifyRequest, reply: FastifyReply) => Buffer

/** Of an address that changes with its text: a browser may keep it. */
export const FOR_GOOD = 'public, max-age=31536000, immutable'

/** Answers with a text that never changes, compressed for whoever takes that. */
export const always = (
  text: string | Buffer,
  type: string,
  cacheControl: string,
): StaticHandler => {
  const plain = Buffer.from(text)
  let compressed: Buffer | undefined
  return (request, reply) => {
    reply.type(type).header('cache-control', cacheControl).header('vary', 'accept-encoding')
    if (!/\bgzip\b/.test(request.headers['accept-encoding'] ?? '')) return plain
    reply.header('content-encoding', 'gzip')
    compressed ??= gzipSync(plain)
    return compressed
  }
}
