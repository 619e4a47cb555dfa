/**
 * Connections through an HTTP proxy (RFC 9110, section 9.3.6: CONNECT). This process resolves and checks names
 * and sends the address to the proxy, which could otherwise resolve the name to a private address.
 */
import type { Socket } from 'node:net'
import { buildConnector, Pool } from 'undici'
import { resolvePublic, withoutBrackets } from './address.ts'
import { EgressProxyError } from './egress-proxy-error.ts'

/** The options of tunnels. */
export interface TunnelOptions {
  readonly proxy: URL
  /** Whether the proxy resolves names and checks addresses, instead of this process. */
  readonly allowPrivateAddresses: boolean
  readonly timeoutMs: number
}

/** Connections through one proxy. */
export interface Tunnels {
  readonly connect: buildConnector.connector
  stop(): Promise<void>
}

const authorizationOf = ({ username, password }: URL): Record<string, string> => {
  if (username === '') return {}
  const userInfo = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`
  return { 'proxy-authorization': `Basic ${Buffer.from(userInfo).toString('base64')}` }
}

const reasonOf = (error: unknown): string => {
  if (error instanceof Error && 'code' in error && typeof error.code === 'string') return error.code
  return error instanceof Error && error.name === 'TimeoutError'
    ? 'no response in time'
    : 'the connection failed'
}

const describeStatus = (status: number): string =>
  status === 407
    ? 'the egress proxy rejected the user and password of EGRESS_PROXY (407)'
    : `the egress proxy did not connect to the address (${status})`

/** Creates tunnels through a proxy. */
export const createTunnels = ({
  proxy,
  allowPrivateAddresses,
  timeoutMs,
}: TunnelOptions): Tunnels => {
  // A pool, so that a tunnel that opens slowly does not delay others.
  const pool = new Pool(proxy.origin, { allowH2: false, connect: { timeout: timeoutMs } })
  const headers = authorizationOf(proxy)
  const startTls = buildConnector({ timeout: timeoutMs, allowH2: false })

  const open = async (host: string, port: string): Promise<Socket> => {
    const authority = `${host.includes(':') ? `[${host}]` : host}:${port}`
    const { socket, statusCode } = await pool
      .connect({
        path: authority,
        headers: { ...headers, host: authority },
        signal: AbortSignal.timeout(timeoutMs),
      })
      .catch((error: unknown) => {
        // Without a cause: undici's errors name the proxy, and undici retries forever on its own codes.
        throw new EgressProxyError(`the egress proxy cannot be reached (${reasonOf(error)})`)
      })
    if (statusCode >= 200 && statusCode < 300)
      // undici returns the socket of the connection to the proxy.
      return socket as Socket
    socket.on('error', () => {}).destroy()
    throw new EgressProxyError(describeStatus(statusCode))
  }

  /** Opens a tunnel to the host: to the first of its addresses that the proxy can connect to. */
  const openToHost = async (hostname: string, port: string): Promise<Socket> => {
    if (allowPrivateAddresses) return open(withoutBrackets(hostname), port)
    let failure: unknown
    for (const { address } of await resolvePublic(hostname)) {
      try {
        return await open(address, port)
      } catch (error) {
        failure ??= error
      }
    }
    throw failure
  }

  return {
    connect: (target, callback) => {
      const isSecure = target.protocol === 'https:'
      openToHost(target.hostname, target.port || (isSecure ? '443' : '80')).then(
        (socket) => {
          if (isSecure) startTls({ ...target, httpSocket: socket }, callback)
          else callback(null, socket)
        },
        (error: unknown) =>
          callback(error instanceof Error ? error : new Error(String(error)), null),
      )
    },
    stop: () => pool.destroy(),
  }
}
