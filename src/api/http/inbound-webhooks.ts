/** The route at which apps deliver webhooks. It needs no key: a delivery is verified by its signature. */
import type { FastifyInstance, FastifyRequest } from 'fastify'

import type { WebhookHandler } from '../../definition/inbound.ts'

const MIB = 1024 * 1024
// Events of apps are a few kilobytes; some repeat the whole record.
const BODY_LIMIT_BYTES = 4 * MIB

/** Headers as single texts. */
const headersOf = ({ headers }: FastifyRequest): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, [value].flat().join(', ')]],
    ),
  )

const searchOf = ({ url }: FastifyRequest): string => {
  const at = url.indexOf('?')
  return at < 0 ? '' : url.slice(at)
}

/** Adds `POST /webhooks/:app/:endpointId`, and `GET` for apps that verify an address with it. */
export const addInboundRoutes = (server: FastifyInstance, handle: WebhookHandler): void => {
  // A scope of its own: the body stays as bytes, whatever its type.
  server.register((scope, _options, done) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      '*',
      { parseAs: 'buffer' },
      async (_request: unknown, body: unknown) => body,
    )
    scope.route<{ Params: { app: string; endpointId: string } }>({
      method: ['GET', 'POST'],
      url: '/webhooks/:app/:endpointId',
      bodyLimit: BODY_LIMIT_BYTES,
      config: { isUnauthenticated: true },
      handler: async (request, reply) => {
        const { app, endpointId } = request.params
        const { status, text } = await handle({
          app,
          endpointId,
          method: request.method,
          search: searchOf(request),
          headers: headersOf(request),
          body: Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0),
        })
        return reply
          .code(status)
          .type('text/plain; charset=utf-8')
          .send(text ?? '')
      },
    })
    done()
  })
}
