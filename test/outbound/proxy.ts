/** An HTTP proxy in this process: it opens CONNECT tunnels, all to one target, and records the requests. */
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'

/** A request for a tunnel. */
export interface RequestedTunnel {
  /** `8.8.8.8:443` */
  readonly authority: string
  readonly headers: IncomingHttpHeaders
}

export interface TestProxy {
  /** A proxy with a user and a password. */
  readonly url: URL
  readonly tunnels: RequestedTunnel[]
  /** Responses in place of a tunnel, by authority: a status, or no response. */
  readonly refusals: Map<string, number | 'silence' | 'hang-up'>
  stop(): Promise<void>
}

export const PROXY_PASSWORD = 'canary-proxy/p@ss-0b91'

/** Listens at an address. @returns its port */
export const listen = async (server: Server, host = '127.0.0.1'): Promise<number> => {
  await new Promise<void>((done) => server.listen(0, host, done))
  // A server that listens on TCP has an address of that kind.
  return (server.address() as AddressInfo).port
}

/** Opens a proxy. `target`: where the tunnel to a port leads. */
export const openProxy = async (target: (port: string) => number): Promise<TestProxy> => {
  const tunnels: RequestedTunnel[] = []
  const refusals: TestProxy['refusals'] = new Map()
  const sockets = new Set<Socket>()
  const server = createServer((_request, response) => response.writeHead(500).end())
  server.on('connection', (socket: Socket) => sockets.add(socket))
  server.on('connect', ({ url = '', headers }, client: Socket) => {
    tunnels.push({ authority: url, headers })
    const refusal = refusals.get(url)
    if (refusal === 'silence') return
    if (refusal === 'hang-up') return void client.destroy()
    if (refusal !== undefined) return void client.end(`HTTP/1.1 ${refusal} No\r\n\r\n`)
    const upstream = connect(target(url.slice(url.lastIndexOf(':') + 1)), '127.0.0.1', () => {
      client.write('HTTP/1.1 200 Connected\r\n\r\n')
      upstream.pipe(client).pipe(upstream)
    })
    sockets.add(upstream)
    for (const socket of [client, upstream]) socket.on('error', () => socket.destroy())
  })
  const port = await listen(server)
  const url = new URL(`http://127.0.0.1:${port}`)
  url.username = 'trunk line'
  url.password = PROXY_PASSWORD
  return {
    url,
    tunnels,
    refusals,
    stop: async () => {
      for (const socket of sockets) socket.destroy()
      await new Promise((done) => server.close(done))
    },
  }
}
