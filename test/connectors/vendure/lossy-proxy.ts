/** A proxy in front of Vendure that can drop responses. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

export interface LossyProxy {
  /** Forwards to a shop. @returns the address of the proxy */
  forwardTo(shop: string): string
  /** Vendure performs the next mutation of this name, and the response is dropped. */
  dropResponseTo(mutation: string): void
  stop(): Promise<void>
}

export const openLossyProxy = async (): Promise<LossyProxy> => {
  let target = ''
  let droppedMutation: string | undefined
  const forward = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await text(request)
    const { 'vendure-api-key': key = '' } = request.headers
    const upstream = await fetch(`${target}${request.url}`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'vendure-api-key': String(key) },
    })
    const responseText = await upstream.text()
    if (droppedMutation !== undefined && body.includes(`${droppedMutation}(`)) {
      droppedMutation = undefined
      response.destroy()
      return
    }
    response.writeHead(upstream.status, { 'content-type': 'application/json' }).end(responseText)
  }
  const server = createServer((request, response) => {
    forward(request, response).catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // A server that listens on TCP has an address of that kind.
  const { port } = server.address() as AddressInfo
  return {
    forwardTo: (shop) => {
      target = shop
      return `http://127.0.0.1:${port}`
    },
    dropResponseTo: (mutation) => {
      droppedMutation = mutation
    },
    stop: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
