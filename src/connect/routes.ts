/**
 * Routes of the Connect UI, where an end user connects an app and installs an integration, and of the SDK
 * that opens it. Both are static files. They call the API with the end user's token, which the integrator's
 * page passes to the frame. No cookies are used, so any page may frame the Connect UI: without a token it
 * shows nothing.
 */
import { hash } from 'node:crypto'
import { globSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { createStaticHandler, IMMUTABLE } from '../api/http/static.ts'

const MODULES = fileURLToPath(new URL('../generated/browser/', import.meta.url))
const STYLES = fileURLToPath(new URL('window/window.css', import.meta.url))

const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  // The integrator hosts the icons.
  'img-src https: data:',
  "base-uri 'none'",
  "form-action 'none'",
  'frame-ancestors *',
].join('; ')

const page = (base: string): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Connect</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${base}/window.css">
    <script type="module" src="${base}/connect/window/main.js"></script>
  </head>
  <body></body>
</html>
`

/**
 * The hosted script. It defines `Trunkline` immediately; the methods return promises and wait until the
 * modules are loaded. Calls run in the order of the page.
 */
const script = (base: string): string => `(() => {
  const url = new URL('.', document.currentScript.src).href
  const loading = import(new URL('${base}/sdk/index.js', url).href).then(({ createTrunkline }) =>
    createTrunkline({ url }),
  )
  const method = (name) => async (...args) => (await loading)[name](...args)
  const names = ['configure', 'setToken', 'authenticate', 'install', 'getIntegrations', 'deactivate', 'reactivate']
  globalThis.Trunkline = Object.fromEntries(names.map((name) => [name, method(name)]))
})()
`

/** Adds `GET /sdk.js`, `GET /connect` and their assets below `/connect/assets`. They need no API key. */
export const addConnectRoutes = (server: FastifyInstance): void => {
  const files = [
    ...globSync('**/*.js', { cwd: MODULES }).map((name) => ({ name, from: `${MODULES}${name}` })),
    { name: 'window.css', from: STYLES },
  ].map(({ name, from }) => ({ name, text: readFileSync(from) }))
  // One version for all files, because the modules import each other by relative path.
  const texts = files.map(({ text }) => text)
  const version = hash('sha256', Buffer.concat(texts), 'hex').slice(0, 12)
  const base = `connect/assets/${version}`
  const sdk = createStaticHandler(script(base), 'text/javascript; charset=utf-8', 'no-cache')
  const window = createStaticHandler(page(base), 'text/html; charset=utf-8', 'no-cache')

  /** Lets pages of any origin load the response. */
  const allowAnyOrigin = (reply: FastifyReply): void => {
    reply.header('access-control-allow-origin', '*')
    reply.header('cross-origin-resource-policy', 'cross-origin')
  }
  for (const { name, text } of files) {
    const type = name.endsWith('.css') ? 'text/css' : 'text/javascript'
    const asset = createStaticHandler(() => text, `${type}; charset=utf-8`, IMMUTABLE)
    server.get(`/${base}/${name}`, async (request, reply) => {
      allowAnyOrigin(reply)
      return asset(request, reply)
    })
  }
  server.get('/sdk.js', async (request, reply) => {
    allowAnyOrigin(reply)
    return sdk(request, reply)
  })
  server.get('/connect', async (request, reply) => {
    allowAnyOrigin(reply)
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    reply.removeHeader('x-frame-options')
    return window(request, reply)
  })
}
