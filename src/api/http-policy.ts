/** What a browser may do with an answer, and which methods an address takes. */
import helmet from '@fastify/helmet'
import type { FastifyInstance } from 'fastify'
import { ApiError } from '../errors.ts'

/** Headers that keep a browser from doing more with an answer than it was made for. */
export const addSecurityHeaders = (server: FastifyInstance): void => {
  server.register(helmet, {
    // Answers are data. The pages among them, /docs and GraphiQL, name what they load themselves.
    contentSecurityPolicy: {
      useDefaults: false,
      directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
    },
    // Said by whatever ends TLS in front of this service, if it is for the whole domain.
    strictTransportSecurity: false,
    referrerPolicy: { policy: 'no-referrer' },
  })
}

/** What a page of another origin may read beside the body. */
const EXPOSED = [
  ...['x-request-id', 'retry-after', 'ratelimit', 'ratelimit-policy'],
  ...['idempotency-replayed', 'www-authenticate'],
].join(', ')
const PREFLIGHT_SECONDS = 3600

export interface OpenRoute {
  readonly method: string
  readonly path: string
}

/**
 * Lets pages of any origin ask at these routes, with a token of theirs: no cookie is ever taken, so an
 * origin gains nothing that its page does not hold already. No other route answers another origin.
 */
export const addCrossOriginAccess = (
  server: FastifyInstance,
  routes: readonly OpenRoute[],
): void => {
  const opened = Map.groupBy(routes, ({ path }) => path)
  const isOpen = (method: string, path: string | undefined): boolean =>
    opened.get(path ?? '')?.some((route) => method === 'OPTIONS' || method === route.method) ===
    true
  server.addHook('onRequest', async ({ method, routeOptions }, reply) => {
    if (!isOpen(method, routeOptions.url)) return
    // Said before anything can refuse the request: the page is to read the refusal too.
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', EXPOSED)
    // Helmet's default is for the same origin alone.
    reply.header('cross-origin-resource-policy', 'cross-origin')
  })
  for (const [url, there] of opened) {
    const methods = there.map(({ method }) => method).join(', ')
    server.options(url, { config: { isPreflight: true } }, async (_request, reply) => {
      reply.header('access-control-allow-methods', methods)
      reply.header('access-control-allow-headers', 'authorization, content-type, idempotency-key')
      reply.header('access-control-max-age', PREFLIGHT_SECONDS)
      return reply.code(204).send()
    })
  }
}

/**
 * Answers, at each address of the server, the methods that it does not take. To be called before the
 * routes are added; the returned function after them.
 */
export const refuseOtherMethods = (server: FastifyInstance): (() => void) => {
  const taken = new Map<string, Set<string>>()
  server.addHook('onRoute', ({ url, method }) => {
    const methods = taken.get(url) ?? new Set()
    for (const name of [method].flat()) methods.add(name)
    taken.set(url, methods)
  })
  return () => {
    for (const [url, methods] of [...taken]) {
      const others = server.supportedMethods.filter((method) => !methods.has(method))
      const allow = [...methods].sort().join(', ')
      if (others.length > 0)
        server.route({
          url,
          method: others,
          // Before a body is read.
          onRequest: async (_request, reply) => {
            reply.header('allow', allow)
            throw new ApiError('METHOD_NOT_ALLOWED', `This address takes ${allow}.`)
          },
          handler: async () => {},
        })
    }
  }
}
