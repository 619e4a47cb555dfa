/** The page at `/`: for browsers only, and without facts about the service in production. */
import { afterEach, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

let service: TestService
afterEach(() => service.stop())

const open = async (accept: string, settings: Parameters<typeof startService>[0]) => {
  service = await startService(settings)
  return service.server.inject({ url: '/', headers: { accept } })
}

test('shows browsers the state, the links and the next steps, without scripts', async () => {
  const { statusCode, headers, body } = await open('text/html,*/*;q=0.8', { graphiql: true })
  expect([statusCode, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8'])
  expect(headers['content-security-policy']).toMatch(/^default-src 'none'; style-src 'sha256-/)
  expect(headers['content-security-policy']).not.toContain('script-src')
  expect(body).toContain('>Ready<')
  for (const path of ['graphql', 'docs', 'openapi.json', 'schema.graphql'])
    expect(body).toContain(`href="${path}"`)
  expect(body.match(/<ol>[\s\S]*<\/ol>/)?.[0].match(/<li>/g)).toHaveLength(3)
})

test('says when the database does not respond', async () => {
  service = await startService()
  await service.runtime.pgListener.stop()
  const headers = { accept: 'text/html' }
  expect((await service.server.inject({ url: '/', headers })).body).toContain('>Not ready<')
})

test.each(['application/json', '*/*'])('is the error of an unknown URL for %s', async (accept) => {
  const response = await open(accept, {})
  expect(response.statusCode).toBe(404)
  expect(response.json().error.code).toBe('NOT_FOUND')
})

test('links no GraphiQL and mentions nothing that the start printed in production', async () => {
  const { statusCode, body } = await open('text/html', { isDevelopment: false })
  expect(statusCode).toBe(200)
  expect(body).not.toMatch(/graphiql|"graphql"|printed|export|tl_dev/i)
  for (const path of ['docs', 'schema.graphql']) expect(body).toContain(`href="${path}"`)
})
