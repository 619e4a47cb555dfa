/**
 * The documentation: the OpenAPI document, the GraphQL schema, a page that renders it without other hosts, and the Markdown pages as
 * text.
 */
import { hash } from 'node:crypto'
import { readFileSync, statSync } from 'node:fs'
import type { FastifyInstance } from 'fastify'
import { llmsText, pages } from '../../generated/guide.ts'
import { isNotInstalled } from '../../package-json.ts'
import { missingPage } from './missing-page.ts'
import { type Prefill, READ_KEY } from './prefill.ts'
import { createStaticHandler, IMMUTABLE } from './static.ts'

const SCALAR = '@scalar/fastify-api-reference'
const DOCUMENT = new URL('../../generated/openapi.json', import.meta.url)
const SCHEMA = new URL('../../generated/schema.graphql', import.meta.url)

// The browser blocks requests to other hosts.
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

/** Script: the document with a credential that exists, and the key of the URL. */
const prefilled = (credentialId: string | undefined): string => `const key = ${READ_KEY}
const response = await fetch('/openapi.json')
const content = await response.json()
const credentialId = ${JSON.stringify(credentialId ?? null)}
const replaceExample = (parameter) => {
  if (credentialId !== null && parameter.name === 'credentialId') parameter.example = credentialId
}
Object.values(content.components.parameters).forEach(replaceExample)
for (const path of Object.values(content.paths))
  for (const { parameters = [] } of Object.values(path)) parameters.forEach(replaceExample)
const filledIn = {
  content,
  ...(key && {
    authentication: {
      preferredSecurityScheme: 'apiKey',
      securitySchemes: { apiKey: { token: key } },
    },
  }),
}
`

const AS_IS = `const filledIn = { url: '/openapi.json' }
`

// Disables every feature that contacts Scalar's servers: fonts, telemetry, hosted assistant and client.
const CREATE = `Scalar.createApiReference('#docs', {
  ...filledIn,
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  hideClientButton: true,
  showDeveloperTools: 'never',
  documentDownloadType: 'direct',
  persistAuth: false,
  theme: 'default',
})
`

/** The file of Scalar's page, which is one script; undefined if its package is not installed. */
const findScalar = (): URL | undefined => {
  try {
    // The package no longer contains this file from 1.62.1 on.
    return new URL('js/standalone.js', import.meta.resolve(SCALAR))
  } catch (error) {
    if (isNotInstalled(error, SCALAR)) return undefined
    throw error
  }
}

const page = (scripts: readonly string[]): string => `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Trunkline API</title>
    <link rel="icon" href="data:,">
  </head>
  <body>
    <div id="docs"></div>
    ${scripts.map((script) => `<script src="${script}"></script>`).join('\n    ')}
    <noscript>This page needs JavaScript. The OpenAPI document: <a href="/openapi.json">openapi.json</a>. The GraphQL schema: <a href="/schema.graphql">schema.graphql</a></noscript>
  </body>
</html>
`

const MISSING = missingPage(
  'Trunkline API',
  SCALAR,
  'The OpenAPI document, for any other reader: <a href="/openapi.json">openapi.json</a>. The GraphQL schema: <a href="/schema.graphql">schema.graphql</a>',
)

/** Adds `GET /llms.txt` and `GET /docs/<page>.md`. */
const addGuideRoutes = (server: FastifyInstance): void => {
  const add = (path: string, text: string, type: string): void => {
    const serve = createStaticHandler(text, `${type}; charset=utf-8`, 'no-cache')
    server.get(path, async (request, reply) => serve(request, reply))
  }
  add('/llms.txt', llmsText, 'text/plain')
  for (const [name, text] of pages) add(`/docs/${name}`, text, 'text/markdown')
}

/**
 * Adds `GET /openapi.json`, `GET /schema.graphql`, `GET /docs` with its scripts below `/docs/assets`, the Markdown pages and
 * `GET /llms.txt`, all without authentication.
 * @param prefill undefined: the page fills in nothing
 */
export const addDocsRoutes = (server: FastifyInstance, prefill?: Prefill): void => {
  /** `version` differs whenever the content does, so that a browser may cache it forever. */
  const addScript = (name: string, version: string, content: string | (() => Buffer)): string => {
    const path = `/docs/assets/${hash('sha256', version, 'hex').slice(0, 12)}/${name}`
    const serve = createStaticHandler(content, 'text/javascript; charset=utf-8', IMMUTABLE)
    server.get(path, async (request, reply) => serve(request, reply))
    return path
  }
  const addFile = (name: string, file: URL): string => {
    const { size, mtimeMs } = statSync(file)
    return addScript(name, `${size} ${mtimeMs}`, () => readFileSync(file))
  }
  const scalar = findScalar()
  const filledIn = prefill ? prefilled(prefill.credentialId) : AS_IS
  const start = `(async () => {\n${filledIn}${CREATE}})()\n`
  const html =
    scalar === undefined
      ? MISSING
      : page([addFile('scalar.js', scalar), addScript('start.js', start, start)])
  // Files are read when they are first requested: they take 5 MB.
  const document = createStaticHandler(
    () => readFileSync(DOCUMENT),
    'application/json; charset=utf-8',
    'no-cache',
  )
  const schema = createStaticHandler(
    () => readFileSync(SCHEMA),
    'text/plain; charset=utf-8',
    'no-cache',
  )
  const docs = createStaticHandler(html, 'text/html; charset=utf-8', 'no-cache')
  addGuideRoutes(server)
  server.get('/openapi.json', async (request, reply) => document(request, reply))
  server.get('/schema.graphql', async (request, reply) => schema(request, reply))
  server.get('/docs', async (request, reply) => {
    reply.header('content-security-policy', CONTENT_SECURITY_POLICY)
    return docs(request, reply)
  })
}
