/** A simulator behind HTTP on a loopback port, with the faults of the transport. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import type { ArrivedRequest, Profile } from './profile.ts'
import type { SentReply, StartedResponse } from './responder.ts'
import { createSimulator, type Simulator, type SimulatorOptions } from './simulator.ts'

export interface ListenOptions extends SimulatorOptions {
  /** Default: a free one. */
  readonly port?: number
  /** How often due webhooks are sent, in real time; 0: only by `webhooks.deliver()`. Default: 0. */
  readonly webhookIntervalMs?: number
}

export interface ListeningSimulator extends Simulator, AsyncDisposable {
  /** The origin: `http://127.0.0.1:40123`. */
  readonly url: string
  /**
   * Closes the port.
   * @throws if there are defects
   */
  stop(): Promise<void>
}

const readRequest = async (incoming: IncomingMessage): Promise<ArrivedRequest> => {
  const chunks: Buffer[] = []
  for await (const chunk of incoming) chunks.push(chunk)
  const { method = 'GET', url = '/', headers } = incoming
  return { method, url, headers, body: Buffer.concat(chunks) }
}

const send = (response: ServerResponse, { status, headers, body }: SentReply): void => {
  response.writeHead(status, { ...headers, 'content-length': Buffer.byteLength(body) }).end(body)
}

/** Announces the whole body, sends half of it and closes the connection. */
const sendHalf = (response: ServerResponse, { status, headers, body }: SentReply): void => {
  const bytes = Buffer.from(body)
  response.writeHead(status, { ...headers, 'content-length': bytes.length })
  const half = bytes.subarray(0, Math.floor(bytes.length / 2))
  response.write(half, () => response.destroy())
}

const sendReply = async (
  { reply, fault }: StartedResponse,
  response: ServerResponse,
): Promise<void> => {
  if (fault?.kind === 'hang') return
  if (reply === undefined) {
    response.destroy()
    return
  }
  if (fault?.kind === 'slow') await wait(fault.ms, undefined, { ref: false })
  if (fault?.kind === 'half-response') sendHalf(response, reply)
  else send(response, reply)
}

const close = async (server: Server): Promise<void> => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
}

/** Adds a port to a simulator. */
export const listen = async (
  simulator: Simulator,
  { port = 0, webhookIntervalMs = 0 }: Pick<ListenOptions, 'port' | 'webhookIntervalMs'> = {},
): Promise<ListeningSimulator> => {
  const server = createServer((incoming, response) => {
    const serve = async (): Promise<void> => {
      const closed = once(response, 'close')
      const started = await simulator.begin(await readRequest(incoming))
      void closed.then(started.end)
      await sendReply(started, response)
    }
    // The client closed the connection before the whole request arrived.
    serve().catch(() => response.destroy())
  })
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  const deliver = () => void simulator.webhooks.deliver()
  const timer = webhookIntervalMs > 0 ? setInterval(deliver, webhookIntervalMs) : undefined
  const stop = async (): Promise<void> => {
    clearInterval(timer)
    if (server.listening) await close(server)
    simulator.assertSound()
  }
  // A server that listens on a TCP port has an address of this type.
  const { port: used } = server.address() as AddressInfo
  const url = `http://127.0.0.1:${used}`
  return { ...simulator, url, stop, [Symbol.asyncDispose]: stop }
}

/** Creates a simulator and listens on a loopback port. */
export const startSimulator = (
  profile: Profile,
  options: ListenOptions = {},
): Promise<ListeningSimulator> => listen(createSimulator(profile, options), options)
