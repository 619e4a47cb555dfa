/** A span for each request; its hooks and its handler run inside it. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isTracing, type Span, startSpan } from '../../tracing.ts'
import { loggedPath } from './redaction.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Undefined: nothing is traced. */
    span: Span | undefined
  }
}

const startRequestSpan = ({ id, method, url, headers, routeOptions, is404 }: FastifyRequest) => {
  const route = is404 ? undefined : routeOptions.url
  return startSpan({
    name: route === undefined ? method : `${method} ${route}`,
    kind: 'server',
    parent: headers,
    attributes: {
      'http.request.method': method,
      'http.route': route,
      'url.path': loggedPath(url),
      'url.scheme': 'http',
      'trunkline.request_id': id,
    },
  })
}

/** Ends the span of a request, whose response is complete or whose client has disconnected. */
const endRequestSpan = (span: Span, { errorCode }: FastifyRequest, { raw }: FastifyReply): void => {
  if (raw.headersSent) span.set({ 'http.response.status_code': raw.statusCode })
  else span.fail('aborted')
  if (raw.headersSent && raw.statusCode >= 500) span.fail(String(raw.statusCode))
  span.set({ 'trunkline.error_code': errorCode })
  span.end()
}

/** Traces requests; call it before other hooks are added. */
export const traceRequests = (server: FastifyInstance): void => {
  server.decorateRequest('span', undefined)
  if (!isTracing()) return
  server.addHook('onRequest', (request, reply, done) => {
    const span = startRequestSpan(request)
    if (span === undefined) return done()
    request.span = span
    // Unlike the hooks of Fastify, this also happens when the client of an event stream disconnects.
    reply.raw.once('close', () => endRequestSpan(span, request, reply))
    span.within(done)
  })
  // The events of the body's stream, after which a request continues, do not belong to the span.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.span) request.span.within(done)
    else done()
  })
}
