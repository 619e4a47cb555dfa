/** The API's documentation: the OpenAPI document, and a page that shows it and asks no other host. */
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'

// The build of Swagger UI in Fastify's package: that of swagger-ui-dist reports each install to a third party.
const UI = join(dirname(createRequire(import.meta.url).resolve('@fastify/swagger-ui')), 'static')
const DOCUMENT = new URL('../generated/openapi.json', import.meta.url)

// The browser itself refuses whatever does not come from here.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const START = `window.addEventListener('load', () => {
  SwaggerUIBundle({
    url: '/openapi.json',
    dom_id: '#docs',
    deepLinking: true,
    docExpansion: 'none',
    filter: true,
    validatorUrl: null,
    displayRequestDuration: true,
  })
})
`

const page = (styles: string, scripts: readonly string[]): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trunkline API</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="${styles}">
  </head>
  <body>
    <main id="docs"></main>
    ${scripts.map((script) => `<script src="${script}"></script>`).join('\n    ')}
    <noscript>The document behind this page: <a href="/openapi.json">openapi.json</a></noscript>
  </body>
</html>
`

type Handler = (request: FastifyRequest, reply: FastifyReply) => Buffer

/** Answers with a text that never changes, compressed for whoever takes that. */
const always = (text: string | Buffer, type: string, cacheControl: string): Handler => {
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

/** Adds `GET /openapi.json`, `GET /docs` and what the page is made of, below `/docs/assets`. No key is asked. */
export const addDocsRoutes = (server: FastifyInstance): void => {
  const addAsset = (name: string, text: string | Buffer, type: string): string => {
    // The address changes with the text: a browser may keep it for good.
    const path = `/docs/assets/${hash('sha256', text, 'hex').slice(0, 12)}/${name}`
    const answer = always(text, `${type}; charset=utf-8`, 'public, max-age=31536000, immutable')
    server.get(path, async (request, reply) => answer(request, reply))
    return path
  }
  const fromPackage = (name: string, type: string): string =>
    addAsset(name, readFileSync(join(UI, name)), type)

  const html = page(fromPackage('swagger-ui.css', 'text/css'), [
    fromPackage('swagger-ui-bundle.js', 'text/javascript'),
    addAsset('start.js', START, 'text/javascript'),
  ])
  const document = always(readFileSync(DOCUMENT), 'application/json; charset=utf-8', 'no-cache')
  const docs = always(html, 'text/html; charset=utf-8', 'no-cache')
  server.get('/openapi.json', async (request, reply) => document(request, reply))
  server.get('/docs', async (request, reply) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    return docs(request, reply)
  })
}
