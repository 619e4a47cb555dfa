/** A proxy in front of Vendure that can drop responses. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface Line {
  /** Forwards to a shop. @returns the address of the proxy */
  leadTo(shop: string): string
  /** Vendure performs the next mutation of this name, and the response is dropped. */
  lose(mutation: string): void
  stop(): Promise<void>
}

export const openLine = async (): Promise<Line> => {
  let target = ''
  let lost: string | undefined
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { 'vendure-api-key': key = '' } = request.headers
    const answer = await fetch(`${target}${request.url}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'vendure-api-key': String(key) },
    })
    const answered = await answer.text()
    if (lost !== undefined && body.includes(`${lost}(`)) {
      lost = undefined
      response.destroy()
      return
    }
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(answered)
  }
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has an address of that kind.
  const { port } = server.address() as AddressInfo
  return {
    leadTo: (shop) => {
      target = shop
      return `http://127.0.0.1:${port}`
    },
    lose: (mutation) => {
      lost = mutation
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
