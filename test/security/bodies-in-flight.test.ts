/** Partially received bodies: bounded for each caller and in total, and no caller shuts out another. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createKey } from '../support/keys.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'

const MIB = 1024 * 1024
/** The number of bodies of 1 MiB that one caller may have in flight: see src/api/http/body-budget.ts. */
const MAX_BODIES_PER_CALLER = 16

let service: TestService
let tenant: Tenant
let address: string
const sockets: Socket[] = []

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  address = await service.server.listen({ port: 0, host: '127.0.0.1' })
})
afterAll(() => service.stop())
afterEach(async () => {
  const closed = sockets.splice(0).map((socket) => {
    const end = socket.closed ? undefined : once(socket, 'close')
    socket.destroy()
    return end
  })
  await Promise.all(closed)
})

const createTenantKey = () => createKey(service.database, tenant.environmentId)

interface Sent {
  /** Status, code and Retry-After of the response; undefined until it arrives. */
  response: string | undefined
  /** Sends the last byte. */
  end(): void
}

/** A short form of the response. */
const summaryOf = (text: string): string | undefined => {
  const [, status] = /^HTTP\/1.1 (\d+)/.exec(text) ?? []
  const [, code] = /"code":"(\w+)"/.exec(text) ?? []
  const [, retryAfter = ''] = /\r\nretry-after: (\d+)/i.exec(text) ?? []
  return code && `${status} ${code} ${retryAfter}`.trim()
}

/** Opens a connection and sends the head of a request. `peer`: the service's end of the connection. */
const openRequest = async (key: string, path: string, ...headers: readonly string[]) => {
  const accepted = once(service.server.server, 'connection')
  const socket = connect({ port: Number(new URL(address).port), host: '127.0.0.1' })
  sockets.push(socket)
  socket.on('error', () => {})
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${key}`,
    'Content-Type: application/json',
    ...headers,
  ]
  socket.write(`${head.join('\r\n')}\r\n\r\n`)
  // Connections open one after another, so the next one that the service accepts is this one.
  const [peer]: Socket[] = await accepted
  return { socket, peer }
}

/** Sends a body without its last byte and waits until the service has read or rejected it. */
const sendAlmost = async (key: string, bytes = 200_000, path = '/2023-12/users'): Promise<Sent> => {
  // Longer than a username may be: once complete, the request is rejected with INVALID_PARAMETER.
  const body = JSON.stringify({ username: 'x'.repeat(bytes) })
  const { socket, peer } = await openRequest(key, path, `Content-Length: ${body.length}`)
  const sent: Sent = { response: undefined, end: () => void socket.write(body.slice(-1)) }
  let text = ''
  socket.on('data', (piece) => {
    text += piece
    sent.response = summaryOf(text)
  })
  socket.write(body.slice(0, -1))
  // A body that is rejected is not read to its end.
  const isProcessed = () => sent.response !== undefined || (peer?.bytesRead ?? 0) > body.length
  await expect.poll(isProcessed, { interval: 2 }).toBe(true)
  return sent
}

/** Sends bodies of almost 1 MiB, each without its last byte. */
const sendMany = async (key: string, count: number): Promise<readonly Sent[]> => {
  const all: Sent[] = []
  for (let n = 0; n < count; n++) all.push(await sendAlmost(key, MIB - 50_000))
  return all
}

const responsesOf = (all: readonly Sent[]): readonly string[] =>
  all.flatMap(({ response }) => response ?? [])

/** Completes the bodies that are held; each gets 400 for its content. */
const endHeld = async (all: readonly Sent[]): Promise<void> => {
  const held = all.filter(({ response }) => response === undefined)
  for (const { end } of held) end()
  for (const body of held) await expect.poll(() => body.response).toBe('400 INVALID_PARAMETER')
}

test('a caller has 16 MiB of bodies in flight and gets 429 past them; another caller has its own', async () => {
  const all = await sendMany(tenant.key, MAX_BODIES_PER_CALLER + 8)
  await expect.poll(() => responsesOf(all).length).toBeGreaterThanOrEqual(8)
  expect(new Set(responsesOf(all))).toEqual(new Set(['429 RATE_LIMITED 1']))
  // The same over GraphQL: its bodies share the memory.
  const graph = await sendAlmost(tenant.key, MIB - 50_000, '/graphql')
  await expect.poll(() => graph.response).toBe('429 RATE_LIMITED 1')
  await endHeld([await sendAlmost(await createTenantKey())])
  // A request without a body is not affected.
  expect((await fetch(`${address}/health`)).status).toBe(200)
})

test('completed and aborted bodies free their memory', async () => {
  const first = await sendMany(tenant.key, MAX_BODIES_PER_CALLER + 4)
  await expect.poll(() => responsesOf(first).length).toBeGreaterThanOrEqual(4)
  await endHeld(first)
  const second = await sendMany(tenant.key, MAX_BODIES_PER_CALLER - 2)
  expect(responsesOf(second)).toEqual([])
  for (const socket of sockets) socket.destroy()
  const sendThirdBody = async () => {
    const body = await sendAlmost(tenant.key, MIB - 50_000)
    body.end()
    await expect.poll(() => body.response).toBeDefined()
    return body.response
  }
  await expect.poll(sendThirdBody).toBe('400 INVALID_PARAMETER')
})

test('greedy callers leave room for the next one', async () => {
  const all: Sent[] = []
  const callers = 5
  const each = MAX_BODIES_PER_CALLER + 1
  for (let caller = 0; caller < callers; caller++)
    all.push(...(await sendMany(await createTenantKey(), each)))
  // The fourth caller gets half of the last 16 MiB, the fifth half of what is left.
  await expect.poll(() => responsesOf(all).length).toBeGreaterThanOrEqual(callers * each - 62)
  expect(new Set(responsesOf(all))).toEqual(new Set(['429 RATE_LIMITED 1', '503 NOT_READY 1']))
  await endHeld([await sendAlmost(await createTenantKey())])
})

test('a Content-Length that is announced and not sent takes no room', async () => {
  for (let n = 0; n < 100; n++) {
    const { socket } = await openRequest(tenant.key, '/2023-12/users', `Content-Length: ${MIB}`)
    socket.write('{')
  }
  await endHeld([await sendAlmost(tenant.key)])
})

test('a body without a key is not read at an unknown address', async () => {
  const { socket } = await openRequest('none', '/nowhere', 'Content-Length: 500000')
  const [text] = await once(socket, 'data')
  expect(summaryOf(String(text))).toBe('404 NOT_FOUND')
})

test('a body in pieces of one byte counts with the memory that it costs', async () => {
  const { socket } = await openRequest(tenant.key, '/2023-12/users', 'Transfer-Encoding: chunked')
  socket.write('1\r\nx\r\n'.repeat(100_000))
  const [text] = await once(socket, 'data')
  expect(summaryOf(String(text))).toBe('429 RATE_LIMITED 1')
})

test('partially received WebSocket messages share the same budget', async () => {
  const key = await createTenantKey()
  const open = async () => {
    const socket = new WebSocket(`${address.replace('http', 'ws')}/graphql`, 'graphql-transport-ws')
    await once(socket, 'open')
    socket.send(
      JSON.stringify({ type: 'connection_init', payload: { authorization: `Bearer ${key}` } }),
    )
    await once(socket, 'message')
    return socket
  }
  const piece = Buffer.alloc(200_000, ' ')
  const all: { socket: WebSocket; code?: string }[] = []
  for (let n = 0; n < 110; n++) {
    const connection: { socket: WebSocket; code?: string } = { socket: await open() }
    connection.socket.on('close', (code, reason) => {
      connection.code = `${code} ${reason}`
    })
    all.push(connection)
    connection.socket.send(piece, { fin: false, binary: false })
  }
  await expect.poll(() => all.filter(({ code }) => code !== undefined).length).toBeGreaterThan(20)
  expect(new Set(all.flatMap(({ code }) => code ?? []))).toEqual(
    new Set(['4503 Too many bytes in flight']),
  )
  // Complete messages free their memory, so a socket may stay open forever.
  for (const { socket } of all) socket.terminate()
  const socket = await open()
  for (let n = 0; n < 120; n++) {
    socket.send(JSON.stringify({ type: 'ping', payload: { text: 'x'.repeat(200_000) } }))
    expect(JSON.parse(String((await once(socket, 'message'))[0])).type).toBe('pong')
    socket.ping('x')
  }
  socket.terminate()
})
