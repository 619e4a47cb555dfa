/** HTTP client for the part of the API that an end user's token gives access to. */

/** One invalid field of a request. */
export interface ProblemDetail {
  /** Path of the field, e.g. `credential.apiKey`. */
  readonly field: string
  readonly expected: string
}

/** An error response of the service, or a failure to reach it (`UNREACHABLE`). */
export class TrunklineError extends Error {
  override readonly name = 'TrunklineError'
  /** An error code of the service, or `UNREACHABLE`, `NO_TOKEN`, `WINDOW_OPEN` or `INVALID_OPTION`. */
  readonly code: string
  readonly details: readonly ProblemDetail[]

  constructor(code: string, message: string, details: readonly ProblemDetail[] = []) {
    super(message)
    this.code = code
    this.details = details
  }
}

export interface Client {
  /** Id of the end user that the token belongs to. */
  readonly userId: string
  /** Sends a GET request and returns the `key` member of the response. @throws TrunklineError */
  get<T>(path: string, key?: string): Promise<T>
  /** Sends a POST request that is safe to repeat. @throws TrunklineError */
  post<T>(path: string, body: object, key?: string): Promise<T>
  /** Sends a POST request with an idempotency key, which retries reuse until a response arrives. @throws TrunklineError */
  create<T>(path: string, body: object, key?: string): Promise<T>
  /** Sends a PUT request. @throws TrunklineError */
  put<T>(path: string, body: object, key?: string): Promise<T>
  /** @throws TrunklineError */
  delete(path: string): Promise<void>
}

const NOT_A_TOKEN =
  'setToken expects the token of an end user. Get one from GET /2023-12/user/:userId/token.'

/** Id of the token's end user, unverified: the service verifies the token on each request. @throws TrunklineError NO_TOKEN */
const userOf = (token: string): string => {
  try {
    const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const { sub } = JSON.parse(text)
    if (typeof sub === 'string') return sub
  } catch {
    // Reported below, like a token without a user.
  }
  throw new TrunklineError('NO_TOKEN', NOT_A_TOKEN)
}

// Not crypto.randomUUID: it is missing on pages that are not served over TLS.
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

interface SendOptions {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly isOnce?: boolean
}

/** Creates a client for one token. @param url URL of the service, with a trailing slash. @throws TrunklineError NO_TOKEN */
export const createClient = (url: string, token: string): Client => {
  /** Idempotency keys of requests without a response yet: a retry reuses the key. */
  const pendingKeys = new Map<string, string>()

  const send = async ({ method, path, body, isOnce = false }: SendOptions): Promise<unknown> => {
    const text = body && JSON.stringify(body)
    const requestKey = `${path} ${text}`
    const key = isOnce ? (pendingKeys.get(requestKey) ?? randomKey()) : undefined
    if (key !== undefined) pendingKeys.set(requestKey, key)
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    }
    const unreachable = (): TrunklineError =>
      new TrunklineError('UNREACHABLE', 'Trunkline cannot be reached. Try again.')
    const init = { method, headers, ...(text !== undefined && { body: text }) }
    const response = await fetch(new URL(path, url), init).catch(() => {
      throw unreachable()
    })
    const result = await response.json().catch(() => {
      throw unreachable()
    })
    const { code, message, details } = result.error ?? {}
    const isFinal = response.status < 500 && code !== 'IDEMPOTENCY_KEY_IN_FLIGHT'
    if (isFinal) pendingKeys.delete(requestKey)
    if (response.ok) return result
    const fallback = `Trunkline responded with status ${response.status}.`
    throw new TrunklineError(code ?? 'INTERNAL', message ?? fallback, details)
  }
  // The service's tests check every response against its OpenAPI document, which T comes from.
  const member = <T>(result: unknown, key: string): T => Object(result)[key]
  return {
    userId: userOf(token),
    get: async <T>(path: string, key = 'data') =>
      member<T>(await send({ method: 'GET', path }), key),
    post: async <T>(path: string, body: object, key = 'data') =>
      member<T>(await send({ method: 'POST', path, body }), key),
    create: async <T>(path: string, body: object, key = 'data') =>
      member<T>(await send({ method: 'POST', path, body, isOnce: true }), key),
    put: async <T>(path: string, body: object, key = 'data') =>
      member<T>(await send({ method: 'PUT', path, body }), key),
    delete: async (path) => void (await send({ method: 'DELETE', path })),
  }
}
