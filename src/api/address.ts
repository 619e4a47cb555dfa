/** The address that a request comes from, as callers without a key are counted by it. */
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import ipaddr from 'ipaddr.js'

// RFC 4291, section 2.5.4: the last 64 bits are the host's own choice.
const NETWORK_BYTES = 8

/** The address; of IPv6 the /64, all of whose addresses one host can have. */
const networkOf = (address: string): string => {
  if (!ipaddr.isValid(address)) return address
  // An IPv6 address that holds an IPv4 one is that one.
  const parsed = ipaddr.process(address)
  if (parsed.kind() === 'ipv4') return parsed.toString()
  return `${parsed.toByteArray().slice(0, NETWORK_BYTES).join('.')}/64`
}

/** Who asked the first of our proxies, by its own word; undefined: the request did not come through them. */
const forwardedFor = (
  headers: IncomingMessage['headers'],
  trustedProxies: number,
): string | undefined => {
  const names = [headers['x-forwarded-for'] ?? []].flat().join(',').split(',')
  // Fewer names than proxies: somebody came past them.
  const named = names.at(-trustedProxies)?.trim()
  return named !== undefined && ipaddr.isValid(named) ? named : undefined
}

// Read once a connection, and not at each of its requests.
const peers = new WeakMap<Socket, string>()

const peerOf = (socket: Socket): string => {
  const known = peers.get(socket)
  if (known !== undefined) return known
  const address = networkOf(socket.remoteAddress ?? '')
  // One that is closing has none.
  if (socket.remoteAddress !== undefined) peers.set(socket, address)
  return address
}

/**
 * Where a request comes from. Each proxy adds the address of whoever asked it at the end of
 * X-Forwarded-For: what stands before those of our own proxies, anyone may have written.
 */
export const addressOf = (
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: number,
): string => {
  const named = trustedProxies > 0 ? forwardedFor(headers, trustedProxies) : undefined
  return named === undefined ? peerOf(socket) : networkOf(named)
}
