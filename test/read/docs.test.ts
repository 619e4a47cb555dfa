/** What the documentation is served as. */
import { gunzipSync } from 'node:zlib'
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { addDocsRoutes } from '../../src/api/docs.ts'
import { openapiText } from '../support/openapi.ts'

const server = Fastify()
addDocsRoutes(server)

test('serves the generated document as it is, compressed for whoever takes that', async () => {
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

test('the page names only addresses of its own server, and each is there', async () => {
  const { body, headers } = await server.inject('/docs')
  expect(headers['content-type']).toBe('text/html; charset=utf-8')
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; script-src 'self';/)
  const addresses = [...body.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url]) => String(url))
  const assets = addresses.filter((url) => url.startsWith('/docs/assets/'))
  expect(addresses).toEqual(['data:,', ...assets, '/openapi.json'])
  expect(assets).toHaveLength(2)
  for (const url of assets) {
    const asset = await server.inject(url)
    expect(asset.statusCode).toBe(200)
    expect(asset.headers['cache-control']).toContain('immutable')
  }
})
