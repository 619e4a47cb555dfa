/** The server for operators: health checks and metrics of a process of any role, on a port of its own. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Log } from '../log.ts'
import type { Metrics } from './metrics.ts'

/** The server for operators. */
export interface OperatorServer {
  /** `http://127.0.0.1:9090` */
  readonly address: string
  stop(): Promise<void>
}

export interface OperatorServerOptions {
  readonly port: number
  readonly host: string
  readonly metrics: Metrics
  readonly log: Log
}

interface Page {
  readonly status: number
  readonly type: string
  readonly text: string
}

const json = (status: number, body: object): Page => ({
  status,
  type: 'application/json',
  text: JSON.stringify(body),
})

const readiness = ({ findUnreadiness }: Metrics): Page => {
  if (!findUnreadiness) return json(503, { status: 'starting' })
  const failure = findUnreadiness()
  return failure
    ? json(503, { status: 'unavailable', reason: failure.message })
    : json(200, { status: 'ready' })
}

const pageAt = async (path: string, metrics: Metrics): Promise<Page> => {
  switch (path) {
    case '/health':
      return json(200, { status: 'ok' })
    case '/ready':
      return readiness(metrics)
    case '/metrics':
      return { status: 200, type: metrics.contentType, text: await metrics.scrape() }
    default:
      return json(404, { status: 'not found', paths: ['/health', '/ready', '/metrics'] })
  }
}

/** Starts the server. @throws Error naming the variable, if it cannot listen */
export const startOperatorServer = async ({
  port,
  host,
  metrics,
  log,
}: OperatorServerOptions): Promise<OperatorServer> => {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path = ''] = (request.url ?? '').split('?', 1)
    const page =
      request.method === 'GET'
        ? await pageAt(path, metrics)
        : json(405, { status: 'method not allowed' })
    response.writeHead(page.status, { 'content-type': page.type }).end(page.text)
  }
  const server = createServer((request, response) => {
    respond(request, response).catch((error: unknown) => {
      log.error({ err: error }, 'the metrics could not be read')
      response.writeHead(500).end()
    })
  })
  server.listen(port, host)
  try {
    await once(server, 'listening')
  } catch (error) {
    throw new Error(`OPERATOR_PORT, OPERATOR_HOST: cannot listen on ${host}:${port}: ${error}`, {
      cause: error,
    })
  }
  // A server on TCP has an address of that kind.
  const { port: actualPort } = server.address() as AddressInfo
  return {
    address: `http://${host.includes(':') ? `[${host}]` : host}:${actualPort}`,
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}
