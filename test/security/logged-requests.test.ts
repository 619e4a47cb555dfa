/** The logged path of a request: without secrets and of limited length. */
import { connect } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const CREDENTIAL = 'aaaaaaaa-0000-4000-8000-000000000001'

interface Line {
  readonly path?: string
  readonly msg: string
}

const lines: Line[] = []
let service: TestService
let tenant: Tenant
let address: string

beforeAll(async () => {
  const log = pino({ level: 'trace' }, { write: (line) => void lines.push(JSON.parse(line)) })
  service = await startService({ log })
  tenant = await service.createTenant('development', [CREDENTIAL])
  address = await service.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => service.stop())
beforeEach(() => {
  lines.length = 0
})

/** Sends a request unchanged, without a key. @returns the logged path */
const loggedPathOf = async (target: string): Promise<string> => {
  const { port } = new URL(address)
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  socket.write(`GET ${target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`)
  socket.resume()
  await vi.waitFor(() => expect(lines).not.toEqual([]))
  return lines[0]?.path ?? ''
}

const key = generateApiKey('development')
const encodeAll = (text: string): string =>
  [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')

test.each([
  ['as plain text', key],
  ['with an encoded underscore', key.replaceAll('_', '%5F')],
  ['with an underscore that is encoded twice', key.replaceAll('_', '%255f')],
  ['encoded as a whole', encodeAll(key)],
  ['in upper case', key.toUpperCase()],
  ['after other segments', `2024-03/one/crm/accounts/${key}`],
])('an API key %s is not logged', async (_how, segment) => {
  const path = await loggedPathOf(`/${segment}`)
  expect(path).toContain('[redacted]')
  expect(path.toLowerCase()).not.toContain(key.slice(7, 20))
  expect(path).not.toContain(encodeAll(key).slice(24, 48))
})

test('a webhook secret and a user token are not logged, encoded or not', async () => {
  const { token } = await service.tokens.issue(tenant)
  const [, payload = '', signature = ''] = token.split('.')
  for (const segment of [token, token.replaceAll('.', '%2E')]) {
    lines.length = 0
    const path = await loggedPathOf(`/${segment}`)
    expect(path).not.toContain(payload)
    expect(path).not.toContain(signature)
  }
  lines.length = 0
  const secret = 'c2VjcmV0/c2Vj+cmV0Cg=='
  expect(await loggedPathOf(`/whsec%5f${encodeURIComponent(secret)}`)).toBe('/[redacted]')
})

test('a path without secrets is logged as it was sent', async () => {
  expect(await loggedPathOf('/2024-03/caf%C3%A9%20au%20lait?q=secret')).toBe(
    '/2024-03/caf%C3%A9%20au%20lait',
  )
})

test.each([
  ['plain', 'x'],
  ['text that starts like a user token', 'eyJ'],
  ['percent signs, encoded repeatedly', '%25'],
])('of 15 KB of %s only the beginning is logged', async (_what, piece) => {
  const path = await loggedPathOf(`/${piece.repeat(15_000 / piece.length)}`)
  expect(path.length).toBeLessThan(520)
})

test('the path of an aborted request is logged in the same way', async () => {
  const { port } = new URL(address)
  const isRead = new Promise<void>((resolve) => {
    service.server.server.once('request', (request) => request.once('data', () => resolve()))
  })
  const socket = connect({ port: Number(port), host: '127.0.0.1' })
  socket.write(
    `POST /2023-12/users?${key}/tl%5Fdev_ HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${tenant.key}\r\n` +
      'Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"a":',
  )
  await isRead
  socket.destroy()
  await vi.waitFor(() => expect(lines.map(({ msg }) => msg)).toContain('request aborted'))
  expect(JSON.stringify(lines)).not.toContain(key.slice(7, 20))
})

test('a number of half a million digits is rejected like other invalid numbers', async () => {
  const response = await fetch(
    `${address}/2024-03/one/accounting/items?credentialId=${CREDENTIAL}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${tenant.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ itemName: 'x', unitPrice: `${'1'.repeat(500_000)}x` }),
    },
  )
  const { error } = await response.json()
  expect(error).toMatchObject({ code: 'INVALID_PARAMETER', details: [{ field: 'unitPrice' }] })
})
