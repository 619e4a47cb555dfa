/** The HTTP responses that serve the documentation. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { buildSchema, lexicographicSortSchema, printSchema } from 'graphql'
import { expect, test } from 'vitest'
import { buildSchema as buildSchemaOf } from '../../src/api/graphql/schema.ts'
import { addDocsRoutes } from '../../src/api/http/docs.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { openapiText } from '../support/openapi.ts'

const DOCS = join(import.meta.dirname, '../../docs')

const server = Fastify()
addDocsRoutes(server)

test('serves the generated document unchanged, compressed if the client accepts it', async () => {
  const plain = await server.inject('/openapi.json')
  expect(plain.headers['content-type']).toBe('application/json; charset=utf-8')
  expect(plain.body).toBe(openapiText)
  const { rawPayload, headers } = await server.inject({
    url: '/openapi.json',
    headers: { 'accept-encoding': 'br, gzip' },
  })
  expect(headers['content-encoding']).toBe('gzip')
  expect(gunzipSync(rawPayload).toString()).toBe(openapiText)
})

test('serves the GraphQL schema as text', async () => {
  const { headers, body } = await server.inject('/schema.graphql')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(printSchema(lexicographicSortSchema(buildSchema(body)))).toBe(
    printSchema(lexicographicSortSchema(buildSchemaOf(catalogue))),
  )
  for (const path of ['/llms.txt', '/docs']) {
    const { body: listing } = await server.inject(path)
    expect(listing).toContain('/schema.graphql')
  }
})

test.each(['/schema.graphql', '/openapi.json', '/llms.txt'])(
  '%s is not sent again to a client that has it',
  async (url) => {
    const first = await server.inject({ url, headers: { 'accept-encoding': 'gzip' } })
    const etag = String(first.headers.etag)
    expect(etag).toMatch(/^W\/"[\w-]{22}"$/)
    expect(first.headers['cache-control']).toBe('no-cache')
    for (const header of [etag, `"other", ${etag}`, '*']) {
      const again = await server.inject({ url, headers: { 'if-none-match': header } })
      expect([again.statusCode, again.body, again.headers.etag]).toEqual([304, '', etag])
    }
    const changed = await server.inject({ url, headers: { 'if-none-match': 'W/"other"' } })
    expect(changed.statusCode).toBe(200)
  },
)

test('/llms.txt lists the pages of docs/, each of which is served as text', async () => {
  const { body, headers } = await server.inject('/llms.txt')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  const listed = [...body.matchAll(/\]\(\/docs\/((?:apps\/)?[\w-]+\.md)\): .+\./g)].map(
    ([, name]) => String(name),
  )
  expect(listed.toSorted()).toEqual(globSync('**/*.md', { cwd: DOCS }).toSorted())
  for (const name of listed) {
    const page = await server.inject(`/docs/${name}`)
    expect(page.headers['content-type']).toBe('text/markdown; charset=utf-8')
    expect(page.body).toBe(readFileSync(join(DOCS, name), 'utf8'))
  }
})

test('the page refers only to existing addresses of its own server', async () => {
  const { body, headers } = await server.inject('/docs')
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
  const addresses = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => String(url))
  const assets = addresses.filter((url) => url.startsWith('/docs/assets/'))
  expect(addresses).toEqual(['data:,', ...assets, '/openapi.json', '/schema.graphql'])
  expect(assets).toHaveLength(2)
  for (const url of assets) {
    const asset = await server.inject(url)
    expect(asset.statusCode).toBe(200)
    expect(asset.headers['cache-control']).toContain('immutable')
  }
})
