/** A caller that disconnects while it sends a body does not cause an error in the log. */
import { connect } from 'node:net'
import pino from 'pino'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

const logged: { readonly level: number; readonly msg: string; readonly path?: string }[] = []

let service: TestService
let key: string
let port: number

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) })
  service = await startService({ log })
  key = (await service.createTenant('development', [])).key
  port = Number(new URL(await service.server.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(() => service.stop())

test.each(['/2023-12/users', '/graphql'])(
  'a caller that disconnects in the middle of a body for %s causes no error',
  async (path) => {
    const isRead = new Promise<void>((resolve) => {
      service.server.server.once('request', (request) => {
        request.on('data', () => resolve())
      })
    })
    const socket = connect({ port, host: '127.0.0.1' }, () => {
      socket.write(
        [
          `POST ${path} HTTP/1.1`,
          'Host: localhost',
          `Authorization: Bearer ${key}`,
          'Content-Type: application/json',
          'Content-Length: 100',
          '',
          '{"a":',
        ].join('\r\n'),
      )
    })
    await isRead
    socket.destroy()
    await vi.waitFor(() => expect(logged.map((line) => line.path)).toContain(path))
    expect(logged.filter(({ level }) => level > 30)).toEqual([])
  },
)
