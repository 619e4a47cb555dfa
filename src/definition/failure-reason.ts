/** Reasons of failed requests in words, for end users and operators. */

/** Codes of Node.js and of undici for connections that failed, in words. `place` is an address or a name. */
const WORDS: Readonly<Record<string, (place: string) => string>> = {
  ECONNREFUSED: (place) => `nothing answers at ${place}: connection refused`,
  ECONNRESET: (place) => `the connection to ${place} broke: it was reset`,
  UND_ERR_SOCKET: (place) => `the connection to ${place} broke: it was closed`,
  ENOTFOUND: (place) => `no server has the name of ${place}: host not found`,
  EAI_AGAIN: (place) => `the name of ${place} could not be looked up: DNS failure`,
  ETIMEDOUT: (place) => `nothing answers at ${place}: connection timed out`,
  UND_ERR_CONNECT_TIMEOUT: (place) => `nothing answers at ${place}: connection timed out`,
  EHOSTUNREACH: (place) => `nothing answers at ${place}: no route to the host`,
  ENETUNREACH: (place) => `nothing answers at ${place}: the network is unreachable`,
  CERT_HAS_EXPIRED: (place) => `the TLS certificate of ${place} has expired`,
  DEPTH_ZERO_SELF_SIGNED_CERT: (place) => `the TLS certificate of ${place} is self-signed`,
  ERR_TLS_CERT_ALTNAME_INVALID: (place) => `the TLS certificate of ${place} has another name`,
}

/**
 * The reason of an app's failure in words: `ECONNREFUSED 203.0.113.7:443` becomes "nothing answers at
 * 203.0.113.7:443: connection refused (ECONNREFUSED)". Other reasons stay as they are.
 * @param address The address that the end user knows, in place of the one in the reason.
 */
export const describeFailureReason = (reason: string, address?: string): string => {
  const [cause = '', ...rest] = reason.split('; ')
  const [code = '', place] = cause.split(' ')
  const words = Object.hasOwn(WORDS, code) ? WORDS[code] : undefined
  if (!words) return reason
  return [`${words(address ?? place ?? "the app's address")} (${code})`, ...rest].join('; ')
}
