/** Security headers, cross-origin access, and 405 responses. */
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../../errors.ts'

/** Adds security headers to every response. */
export const addSecurityHeaders = (server: FastifyInstance): void => {
  server.register(helmet, {
    // Most responses are data. The pages, /docs and GraphiQL, set their own policy.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // HSTS belongs to the proxy that terminates TLS for the domain.
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
  })
}

/** The request headers that pages of other origins may send. */
const ALLOWED = 'authorization, content-type, idempotency-key, traceparent, tracestate'
/** The response headers that pages of other origins may read. */
const EXPOSED = [
  'x-request-id',
  'retry-after',
  'ratelimit',
  'ratelimit-policy',
  'idempotency-replayed',
  'www-authenticate',
].join(', ')
const PREFLIGHT_SECONDS = 3600

export interface OpenRoute {
  readonly method: string
  readonly path: string
}

/**
 * Allows cross-origin requests from any origin to these routes, and to no others. The routes use bearer
 * tokens and no cookies, so a page gains no access beyond the token that it already has.
 */
export const addCrossOriginAccess = (
  server: FastifyInstance,
  routes: readonly OpenRoute[],
): void => {
  const routesByPath = Map.groupBy(routes, ({ path }) => path)
  const isOpen = (method: string, path: string | undefined): boolean =>
    routesByPath
      .get(path ?? '')
      ?.some((route) => method === 'OPTIONS' || method === route.method) === true
  server.addHook('onRequest', async ({ method, routeOptions }, reply) => {
    if (!isOpen(method, routeOptions.url)) return
    // Set before later hooks can reject the request, so that the page can read the error too.
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', EXPOSED)
    // Helmet's default allows only the same origin.
    reply.header('cross-origin-resource-policy', 'cross-origin')
  })
  for (const [url, sameUrl] of routesByPath) {
    const methods = sameUrl.map(({ method }) => method).join(', ')
    server.options(url, { config: { isPreflight: true } }, async (_request, reply) => {
      reply.header('access-control-allow-methods', methods)
      reply.header('access-control-allow-headers', ALLOWED)
      reply.header('access-control-max-age', PREFLIGHT_SECONDS)
      return reply.code(204).send()
    })
  }
}

/**
 * Responds with 405 and `Allow` to methods that a URL does not support. Call it before the routes are added,
 * and the returned function after them.
 */
export const rejectOtherMethods = (server: FastifyInstance): (() => void) => {
  const methodsByUrl = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    const methods = methodsByUrl.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    methodsByUrl.set(url, methods)
  })
  return () => {
    for (const [url, methods] of [...methodsByUrl]) {
      const others = server.supportedMethods.filter((method) => !methods.has(method))
      const allow = [...methods].sort().join(', ')
      if (others.length > 0)
        server.route({
          url,
          method: others,
          // Rejected before the body is read.
          onRequest: async (_request, reply) => {
            reply.header('allow', allow)
            throw new ApiError('METHOD_NOT_ALLOWED', `This URL supports only ${allow}.`)
          },
          handler: async () => {},
        })
    }
  }
}
