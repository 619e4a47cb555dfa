/** Which addresses are dialled. An end user names the host, so it is judged where it is dialled. */
import { type LookupAddress, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, buildConnector } from 'undici'

const CONNECT_TIMEOUT_MS = 10_000

// RFC 4291, section 2.4 and IANA's registry: what is handed out to hosts on the internet begins 001.
const GLOBAL_UNICAST = ipaddr.IPv6.parse('2000::')
// Azure's platform address, reachable from every machine there, stands in a public range.
const PUBLIC_METADATA = new Set(['168.63.129.16'])

/** Whether an address is one of the public internet, and no cloud's metadata service. */
export const isPublicAddress = (address: string): boolean => {
  // An IPv6 address that holds an IPv4 one is judged as that one.
  const parsed = ipaddr.isValid(address) ? ipaddr.process(address) : undefined
  if (parsed?.range() !== 'unicast' || PUBLIC_METADATA.has(parsed.toString())) return false
  return parsed.kind() === 'ipv4' || parsed.match([GLOBAL_UNICAST, 3])
}

/**
 * Judges a host by its name alone, as an address is given: a literal address that is never dialled, or this
 * machine's own name. What another name resolves to is judged where it is dialled.
 */
export const createHostJudge =
  (allowPrivateAddresses: boolean) =>
  (hostname: string): boolean => {
    if (allowPrivateAddresses) return true
    const literal = hostname.replace(/^\[|\]$/g, '')
    if (isIP(literal) > 0) return isPublicAddress(literal)
    // RFC 6761, section 6.3: names that end in localhost are this machine's.
    return !/(^|\.)localhost\.?$/i.test(hostname)
  }

/** The host's address, or each of its name's, is private, local or a metadata service. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError'
  readonly code = 'FORBIDDEN_ADDRESS'
}

// Filtered in the look-up of the dial itself: a name cannot resolve to another address in between.
const lookupPublic: LookupFunction = (hostname, options, callback) => {
  lookup(hostname, { ...options, all: true }, (error, addresses: LookupAddress[]) => {
    if (error) return callback(error, [])
    const allowed = addresses.filter(({ address }) => isPublicAddress(address))
    const [first] = allowed
    if (!first) return callback(new ForbiddenAddressError('No public address.'), [])
    if (options.all) callback(null, allowed)
    else callback(null, first.address, first.family)
  })
}

/** A pool of connections; unless told otherwise it dials public addresses alone. */
export const createAgent = (allowPrivateAddresses: boolean): Agent => {
  const options = { timeout: CONNECT_TIMEOUT_MS, allowH2: false }
  if (allowPrivateAddresses) return new Agent({ connect: options, allowH2: false })
  const connect = buildConnector({ ...options, lookup: lookupPublic })
  return new Agent({
    allowH2: false,
    connect: (target, callback) => {
      // A literal address is never looked up. The URL parser has brought every spelling of it to one.
      const literal = target.hostname.replace(/^\[|\]$/g, '')
      if (isIP(literal) > 0 && !isPublicAddress(literal))
        callback(new ForbiddenAddressError('Not a public address.'), null)
      else connect(target, callback)
    },
  })
}
