/** The client address of a request: the rate-limit subject of unauthenticated callers. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

// RFC 4291, section 2.5.4: a host chooses its last 64 bits itself.
const NETWORK_BYTES = 8

/** The IPv4 address, or the /64 network of an IPv6 address, because one host can use all of it. */
const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  // `process` converts an IPv4-mapped IPv6 address to IPv4.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${parsed.toByteArray().slice(0, NETWORK_BYTES).join('.')}/64`
}

/** The client address that the first trusted proxy added; undefined if the request bypassed the proxies. */
const forwardedFor = (
  headers: IncomingMessage['headers'],
  trustedProxies: number,
): string | undefined => {
  const entries = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  // Fewer entries than trusted proxies: the request bypassed some of them.
  const client = entries.at(-trustedProxies)?.trim()
  return client !== undefined && ipaddr.isValid(client) ? client : undefined
}

// Cached for each connection, because it does not change between requests.
const peers = new WeakMap<Socket, string>()

const peerOf = (socket: Socket): string => {
  const cached = peers.get(socket)
  if (cached !== undefined) return cached
  const address = networkOf(socket.remoteAddress ?? '')
  // A closing socket has no remote address.
  if (socket.remoteAddress !== undefined) peers.set(socket, address)
  return address
}

/**
 * The client address of a request. Each proxy appends the address of its peer to X-Forwarded-For, so only
 * the entries of the trusted proxies count: a client can forge the ones before them.
 */
export const addressOf = (
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: number,
): string => {
  const client = trustedProxies > 0 ? forwardedFor(headers, trustedProxies) : undefined
  return client === undefined ? peerOf(socket) : networkOf(client)
}

/** The client's own address, for the log; empty if the connection closed before it was read. */
export const clientAddressOf = (
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: number,
): string => {
  const client = trustedProxies > 0 ? forwardedFor(headers, trustedProxies) : undefined
  const address = client ?? socket.remoteAddress ?? ''
  return ipaddr.isValid(address) ? ipaddr.process(address).toString() : address
}
