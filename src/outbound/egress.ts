/** Outgoing connections: direct or through a proxy, and only to public addresses. */
import { isIP } from 'node:net'
import { Agent, buildConnector, type Dispatcher } from 'undici'
import { ForbiddenAddressError, isPublicAddress, lookupPublic, withoutBrackets } from './address.ts'
import { createTunnels } from './tunnels.ts'

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
export interface Egress {
  readonly dispatcher: Dispatcher
  /** Closes all connections. */
  stop(): Promise<void>
}

const CONNECT_TIMEOUT_MS = 10_000

const createDirectConnector = ({
  allowPrivateAddresses,
  localAddress,
}: EgressOptions): buildConnector.connector => {
  const connect = buildConnector({
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

/** Opens a pool of outgoing connections. */
export const createEgress = (options: EgressOptions): Egress => {
  const { proxy, allowPrivateAddresses } = options
  const tunnels =
    proxy && createTunnels({ proxy, allowPrivateAddresses, timeoutMs: CONNECT_TIMEOUT_MS })
  const connect = tunnels?.connect ?? createDirectConnector(options)
  const agent = new Agent({ allowH2: false, connect })
  return {
    dispatcher: agent,
    stop: async () => {
      await agent.destroy()
      await tunnels?.stop()
    },
  }
}
