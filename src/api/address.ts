/** The address that a request comes from, as callers without a key are counted by it. */
import type { IncomingMessage } from 'node:http'
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

/**
 * Where a request comes from. Each proxy adds the address of whoever asked it at the end of
 * X-Forwarded-For: what stands before those of our own proxies, anyone may have written.
 */
export const addressOf = (
  { headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>,
  trustedProxies: number,
): string => {
  const forwarded = trustedProxies > 0 ? [headers['x-forwarded-for'] ?? []].flat().join(',') : ''
  const named = forwarded.split(',').at(-trustedProxies)?.trim() ?? ''
  // Fewer names than proxies: somebody came past them.
  return networkOf(ipaddr.isValid(named) ? named : (socket.remoteAddress ?? ''))
}
