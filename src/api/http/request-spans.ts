/** A span for each request, in which its hooks and its handler run. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
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

/** Traces requests; call it before other hooks are added. */
export const traceRequests = (server: FastifyInstance): void => {
  server.decorateRequest('span', undefined)
  if (!isTracing()) return
  server.addHook('onRequest', (request, _reply, done) => {
    request.span = startRequestSpan(request)
    if (request.span) request.span.within(done)
    else done()
  })
  // The events of the body's stream, after which a request continues, do not belong to the span.
  server.addHook('preValidation', (request, _reply, done) => {
    if (request.span) request.span.within(done)
    else done()
  })
  server.addHook('onResponse', async ({ span, errorCode }, { statusCode }) => {
    span?.set({ 'http.response.status_code': statusCode, 'trunkline.error_code': errorCode })
    if (statusCode >= 500) span?.fail(String(statusCode))
    span?.end()
  })
  server.addHook('onRequestAbort', async ({ span }) => {
    span?.fail('aborted')
    span?.end()
  })
}
