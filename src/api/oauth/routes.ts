/**
 * The routes that the browser of an end user visits during an authorization: the start, which redirects to the
 * app, and the redirect URI, to which the app returns. They need no API key: the ticket, and then the state with the
 * cookie, identify the authorization.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Authorizations } from './authorizations.ts'
import { addAuthorizationHeaders, sendPage } from './pages.ts'

/** Like the lifetime of an authorization. */
const COOKIE_SECONDS = 600

/** The value of a cookie of a request; undefined if it is absent or repeated. */
const readCookie = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const values = (headers.cookie ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${name}=`))
  return values.length === 1 ? values[0]?.slice(name.length + 1) : undefined
}

const cookieHeader = (name: string, value: string, maxAgeSeconds: number): string => {
  const secure = name.startsWith('__Host-') ? '; Secure' : ''
  // Lax: the app's redirect is a navigation from another site.
  return `${name}=${value}; Path=/; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=Lax${secure}`
}

// A HEAD request would use up the ticket or the state.
const options = { exposeHeadRoute: false }

/** Adds `GET /oauth/start/:ticket` and `GET /oauth/callback`. */
export const addOAuthRoutes = (server: FastifyInstance, authorizations: Authorizations): void => {
  server.get<{ Params: { ticket: string } }>(
    '/oauth/start/:ticket',
    options,
    async ({ params }, reply) => {
      const opened = await authorizations.open(params.ticket)
      if (opened === undefined) return sendPage(reply, 'unknown')
      const { location, cookie } = opened
      return addAuthorizationHeaders(reply)
        .header('set-cookie', cookieHeader(cookie.name, cookie.value, COOKIE_SECONDS))
        .redirect(location, 302)
    },
  )
  server.get('/oauth/callback', options, async (request, reply) => {
    const [, query = ''] = request.url.split(/\?(.*)/s)
    const parameters = new URLSearchParams(query)
    const { outcome, cookieName } = await authorizations.complete(parameters, (name) =>
      readCookie(request, name),
    )
    if (cookieName !== undefined) reply.header('set-cookie', cookieHeader(cookieName, '', 0))
    return sendPage(reply, outcome)
  })
}
