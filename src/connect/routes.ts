/**
 * The window in which an end user connects an app and installs an integration, and the SDK that opens it.
 * Both are files; what they show and do goes through the API, with the token of the end user that the
 * integrator's page hands over. Nothing here knows a cookie, so any page may frame the window: without a
 * token of its own it shows nothing.
 */
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { always, FOR_GOOD } from '../api/static.ts'

const MODULES = fileURLToPath(new URL('../generated/browser/', import.meta.url))
const STYLES = fileURLToPath(new URL('window/window.css', import.meta.url))

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // Icons stand where the integrator keeps them.
  'img-src https: data:',
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join('; ')

const page = (place: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Connect</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${place}/window.css">
    <script type="module" src="${place}/connect/window/main.js"></script>
  </head>
  <body></body>
</html>
`

/**
 * The hosted script: `Trunkline` is there at once, and its methods, which answer with promises, wait for
 * the modules. They are called in the order in which the page called them.
 */
const script = (place: string): string => `(() => {
  const url = new URL('.', document.currentScript.src).href
  const loading = import(new URL('${place}/sdk/index.js', url).href).then(({ createTrunkline }) =>
    createTrunkline({ url }),
  )
  const method = (name) => async (...given) => (await loading)[name](...given)
  const names = ['setToken', 'authenticate', 'install', 'getIntegrations', 'deactivate', 'reactivate']
  globalThis.Trunkline = Object.fromEntries(names.map((name) => [name, method(name)]))
})()
`

/** Adds `GET /sdk.js`, `GET /connect` and what they load, below `/connect/assets`. No key is asked. */
export const addConnectRoutes = (server: FastifyInstance): void => {
  const files = [
    ...globSync('**/*.js', { cwd: MODULES }).map((name) => ({ name, from: `${MODULES}${name}` })),
    { name: 'window.css', from: STYLES },
  ].map(({ name, from }) => ({ name, text: readFileSync(from) }))
  // One address for all, which changes with any of them: modules name each other by their places.
  const texts = files.map(({ text }) => text)
  const version = hash('sha256', Buffer.concat(texts), 'hex').slice(0, 12)
  const place = `connect/assets/${version}`
  const sdk = always(script(place), 'text/javascript; charset=utf-8', 'no-cache')
  const window = always(page(place), 'text/html; charset=utf-8', 'no-cache')

  /** For the integrator's page, whatever its origin. */
  const open = (reply: FastifyReply): void => {
    reply.header('access-control-allow-origin', '*')
    reply.header('cross-origin-resource-policy', 'cross-origin')
  }
  for (const { name, text } of files) {
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
    const answer = always(text, `${type}; charset=utf-8`, FOR_GOOD)
    server.get(`/${place}/${name}`, async (request, reply) => {
      open(reply)
      return answer(request, reply)
    })
  }
  server.get('/sdk.js', async (request, reply) => {
    open(reply)
    return sdk(request, reply)
  })
  server.get('/connect', async (request, reply) => {
    open(reply)
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    reply.removeHeader('x-frame-options')
    return window(request, reply)
  })
}
