/** The check of addresses before a connection. End users choose hosts, so resolved addresses are checked. */
import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'

// RFC 4291, section 2.4 and the IANA registry: addresses of internet hosts start with the bits 001.
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::')
// The address of the Azure platform, reachable from every machine there, is in a public range.
const PUBLIC_METADATA = new Set(['168.63.129.16'])

/** Whether an address is on the public internet and not a metadata service of a cloud. */
export const isPublicAddress = (address: string): boolean => {
  // An IPv6 address that contains an IPv4 address is checked as the IPv4 address.
  const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : undefined
  if (parsed?.range() !== 'unicast' || PUBLIC_METADATA.has(parsed.toString())) return false
  return parsed.kind() === 'ipv4' || parsed.match([GLOBAL_UNICAST, 3])
}

/** The host of a URL, without the brackets of an IPv6 address. */
export const withoutBrackets = (hostname: string): string => hostname.replace(/^\[|\]$/g, '')

/**
 * Creates the check of a host name in input: rejects private literal addresses and names of this machine.
 * The addresses of other names are checked when a connection is made.
 */
export const createHostPolicy =
  (allowPrivateAddresses: boolean) =>
  (hostname: string): boolean => {
    if (allowPrivateAddresses) return true
    const literal = withoutBrackets(hostname)
    if (isIP(literal) > 0) return isPublicAddress(literal)
    // RFC 6761, section 6.3: names that end in localhost are names of this machine.
    return !/(^|\.)localhost\.?$/i.test(hostname)
  }

/** Every address of the host is private, local or a metadata service. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError'
  readonly code = 'FORBIDDEN_ADDRESS'
}

interface ResolvedAddress {
  readonly address: string
  readonly family: number
}

/**
 * The public addresses of a host, in the resolver's order.
 * @throws ForbiddenAddressError if it has none
 */
export const resolvePublic = async (
  hostname: string,
  options: Parameters<LookupFunction>[1] = {},
): Promise<[ResolvedAddress, ...ResolvedAddress[]]> => {
  // A literal address needs no resolver. The URL parser has normalised its spelling.
  const literal = withoutBrackets(hostname)
  const family = isIP(literal)
  const addresses =
    family > 0 ? [{ address: literal, family }] : await lookup(hostname, { ...options, all: true })
  const [first, ...others] = addresses.filter(({ address }) => isPublicAddress(address))
  if (!first) throw new ForbiddenAddressError('The host has no public IP address.')
  return [first, ...others]
}

/**
 * Resolves the host of a connection to its public addresses. It runs as part of the connection, so that a
 * name cannot resolve to another address between the check and the connection.
 */
export const lookupPublic: LookupFunction = (hostname, options, callback) => {
  resolvePublic(hostname, options).then(
    (addresses) => {
      const [{ address, family }] = addresses
      if (options.all) callback(null, addresses)
      else callback(null, address, family)
    },
    (error: NodeJS.ErrnoException) => callback(error, []),
  )
}
