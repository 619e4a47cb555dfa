/** A webhook endpoint on a real socket that records requests and answers as configured. */
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Received {
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly atMs: number
  /** The `webhook-id` header. */
  readonly id: string
}

/** Answers a message; the default is 204. */
export type Behaviour = (response: ServerResponse, received: Received, index: number) => void

export const ok: Behaviour = (response) => void response.writeHead(204).end()
export const status =
  (code: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) =>
    void response.writeHead(code, headers).end(body)

export type Receiver = Awaited<ReturnType<typeof startReceiver>>

export const startReceiver = async () => {
  const received: Received[] = []
  const behaviours = new Map<string, Behaviour>()
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const path = request.url ?? ''
      const message: Received = {
        path,
        headers: request.headers,
        body: Buffer.concat(chunks).toString(),
        atMs: performance.now(),
        id: String(request.headers['webhook-id']),
      }
      const place = received.filter((other) => other.path === path).length
      received.push(message)
      const behave = behaviours.get(path) ?? ok
      behave(response, message, place)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const at = (path: string): Received[] => received.filter((message) => message.path === path)
  return {
    received,
    at,
    /** `http://127.0.0.1:<port>` */
    origin: `http://127.0.0.1:${port}`,
    behave: (path: string, behaviour: Behaviour): void => void behaviours.set(path, behaviour),
    clear: (): void => {
      received.length = 0
      behaviours.clear()
    },
    stop: async (): Promise<void> => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
