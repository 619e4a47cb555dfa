/** Requests during shutdown: those under way and those that still arrive. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { Client } from 'pg'
import pino from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startService, type TestService } from '../support/service.ts'

const logged: { readonly level: number; readonly err?: object; readonly requestId?: string }[] = []

let service: TestService
let port: number

beforeAll(async () => {
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(JSON.parse(line)) })
  service = await startService({ log })
  port = Number(new URL(await service.server.listen({ port: 0, host: '127.0.0.1' })).port)
})
afterAll(() => service.stop())

test('shutdown completes the request under way, and rejects and logs the next one', async () => {
  const { key } = await service.createTenant('development', [])
  const locker = new Client({ connectionString: service.url })
  await locker.connect()
  await locker.query('BEGIN; LOCK TABLE end_users')
  const socket = connect({ port, host: '127.0.0.1' })
  const received = text(socket)
  const send = async (path: string): Promise<void> => {
    const hasArrived = once(service.server.server, 'request')
    const head = [`GET ${path} HTTP/1.1`, 'Host: localhost', `Authorization: Bearer ${key}`]
    socket.write(`${head.join('\r\n')}\r\n\r\n`)
    await hasArrived
  }
  await send('/2024-03/one/users')
  const closed = service.server.close()
  await send('/ready')
  await locker.end()
  await closed
  const responses = await received
  expect(responses).toMatch(/^HTTP\/1\.1 200 /)
  const [, refusal = ''] = responses.split('HTTP/1.1 503')
  expect(refusal.toLowerCase()).toContain('\r\nconnection: close\r\n')
  const { error } = JSON.parse(refusal.slice(refusal.indexOf('{')))
  expect(error).toMatchObject({
    code: 'NOT_READY',
    message: expect.stringContaining('shutting down'),
  })
  expect(logged).toContainEqual(
    expect.objectContaining({ level: 40, requestId: error.requestId, msg: expect.any(String) }),
  )
})
