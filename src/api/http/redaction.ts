/** Keeps secrets of this service out of the log. */

const MAX_LOGGED_PATH = 512

// API keys, tickets of authorizations, webhook secrets and user tokens, also truncated ones. No pattern continues after a repetition, so
// matching never backtracks: the time is linear in the length of the text.
const SECRET = /tl_(?:dev|prod|auth)_[0-9a-f]*|whsec_[\w+/=%-]*|eyJ[\w.-]{8,}/gi

/** The text with `[redacted]` in place of each API key, ticket, webhook secret and user token. */
export const redactSecrets = (text: string): string => text.replaceAll(SECRET, '[redacted]')

// Printable ASCII, because secrets contain nothing else. Other bytes stay encoded.
const ENCODED_CHARACTER = /%(?:[2-6][0-9a-f]|7[0-9a-e])/gi

const decodeCharacter = (encoded: string): string =>
  String.fromCharCode(Number.parseInt(encoded.slice(1), 16))

/** The text without percent-encoding, also where it was applied several times. */
const decodeFully = (text: string): string => {
  const decoded = text.replaceAll(ENCODED_CHARACTER, decodeCharacter)
  return decoded === text ? text : decodeFully(decoded)
}

/**
 * The path of a URL for the log: its first 512 characters, without secrets in plain or percent-encoded form.
 * The query string is left out, because filters contain customer data.
 */
export const loggedPath = (url: string): string => {
  // Truncated first, so that an unauthenticated request costs little time and log space.
  const [path = ''] = url.slice(0, MAX_LOGGED_PATH + 1).split('?', 1)
  const truncated = path.slice(0, MAX_LOGGED_PATH)
  const decoded = decodeFully(truncated)
  const redacted = redactSecrets(decoded)
  const safe = redacted === decoded ? truncated : redacted
  return path.length > MAX_LOGGED_PATH ? `${safe}…` : safe
}
