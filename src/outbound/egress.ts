/** Outgoing connections: direct or through a proxy, and only to public addresses. */
import { isIP } from 'node:net'
import type { buildConnector, Dispatcher, fetch } from 'undici'
import { ForbiddenAddressError, isPublicAddress, lookupPublic, withoutBrackets } from './address.ts'

/** The route of outgoing connections, and the addresses that are allowed. */
export interface EgressOptions {
  /**
   * Also allows loopback, private networks and metadata services. Use it in tests, if every end user is trusted,
   * or with a proxy that rejects such addresses.
   */
  readonly allowPrivateAddresses: boolean
  /** The HTTP proxy for all connections: `http://user:password@proxy.internal:3128`. */
  readonly proxy?: URL | undefined
  /** The local address of connections; undefined: the system chooses. */
  readonly localAddress?: string | undefined
}

/** A pool of outgoing connections. */
export interface OutgoingConnections {
  readonly dispatcher: Dispatcher
  /** The `fetch` that accepts the dispatcher. */
  readonly fetch: typeof fetch
  /** Closes all connections. */
  readonly stop: () => Promise<void>
}

/** The outgoing connections of one purpose. */
export interface Egress {
  /** Opens the pool at the first call. */
  readonly open: () => Promise<OutgoingConnections>
  /** Closes the pool if it is open. */
  readonly stop: () => Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000

const createDirectConnector = (
  createConnector: typeof buildConnector,
  { allowPrivateAddresses, localAddress }: EgressOptions,
): buildConnector.connector => {
  const connect = createConnector({
    timeout: CONNECT_TIMEOUT_MS,
    allowH2: false,
    ...(localAddress !== undefined && { localAddress, family: isIP(localAddress) }),
    ...(!allowPrivateAddresses && { lookup: lookupPublic }),
  })
  return (target, callback) => {
    // A literal address does not reach `lookup`, so it is checked here.
    const literal = withoutBrackets(target.hostname)
    const isForbidden = isIP(literal) > 0 && !isPublicAddress(literal)
    if (isForbidden && !allowPrivateAddresses)
      callback(new ForbiddenAddressError('The IP address is not public.'), null)
    else connect({ ...target, localAddress: localAddress ?? null }, callback)
  }
}

const openConnections = async (options: EgressOptions): Promise<OutgoingConnections> => {
  const { proxy, allowPrivateAddresses } = options
  const { Agent, buildConnector, fetch } = await import('undici')
  const { createTunnels } = await import('./tunnels.ts')
  const tunnels =
    proxy && createTunnels({ proxy, allowPrivateAddresses, timeoutMs: CONNECT_TIMEOUT_MS })
  const connect = tunnels?.connect ?? createDirectConnector(buildConnector, options)
  const dispatcher = new Agent({ allowH2: false, connect })
  return {
    dispatcher,
    fetch,
    stop: async () => {
      await dispatcher.destroy()
      await tunnels?.stop()
    },
  }
}

/** Creates the outgoing connections. The first request loads undici, which takes 5 MB and 30 ms. */
export const createEgress = (options: EgressOptions): Egress => {
  let connections: Promise<OutgoingConnections> | undefined
  return {
    open: () => {
      connections ??= openConnections(options)
      return connections
    },
    stop: async () => (await connections)?.stop(),
  }
}
