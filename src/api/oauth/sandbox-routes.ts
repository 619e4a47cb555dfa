/** The page of the sandbox app on which its user allows access. The service serves it, because the app has no host. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { addAuthorizationHeaders, sendFormPage } from './pages.ts'

/** Handles a request of a browser to the sandbox app: a redirect, or the content of a page as HTML. */
export type SandboxPageHandler = (request: Request) => Promise<Response>

const PATH = '/sandbox/oauth/authorize'
const FORM = 'application/x-www-form-urlencoded'
const FORM_LIMIT_BYTES = 16_384

const respond = async (
  { method, url, body }: FastifyRequest,
  reply: FastifyReply,
  page: SandboxPageHandler,
): Promise<FastifyReply> => {
  const response = await page(
    new Request(new URL(url, 'http://localhost'), {
      method,
      ...(typeof body === 'string' && { body }),
    }),
  )
  const location = response.headers.get('location')
  return location === null
    ? sendFormPage(reply, response.status, 'Sandbox', await response.text())
    : addAuthorizationHeaders(reply).redirect(location, response.status)
}

/** Adds `GET` and `POST /sandbox/oauth/authorize`. */
export const addSandboxRoutes = (server: FastifyInstance, page: SandboxPageHandler): void => {
  // In a scope of its own: no other route accepts forms.
  server.register((scope, _options, done) => {
    scope.addContentTypeParser(
      FORM,
      { parseAs: 'string', bodyLimit: FORM_LIMIT_BYTES },
      (_request, body, parsed) => parsed(null, body),
    )
    scope.get(PATH, async (request, reply) => respond(request, reply, page))
    scope.post(PATH, async (request, reply) => respond(request, reply, page))
    done()
  })
}
