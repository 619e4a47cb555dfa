/** The API as far as an end user's token opens it. */

/** One thing that is wrong with what was given. */
export interface ProblemDetail {
  /** As in `credential.apiKey`. */
  readonly field: string
  readonly expected: string
}

/** A refusal by the service, or that it could not be reached (`UNREACHABLE`). */
export class TrunklineError extends Error {
  override readonly name = 'TrunklineError'
  /** One of the service's error codes, or `UNREACHABLE`, or `NO_TOKEN`. */
  readonly code: string
  readonly details: readonly ProblemDetail[]

  constructor(code: string, message: string, details: readonly ProblemDetail[] = []) {
    super(message)
    this.code = code
    this.details = details
  }
}

export interface Client {
  /** Whose token it is. */
  readonly userId: string
  /** Asks and gives the member of the answer that holds what was asked for. @throws TrunklineError */
  get<T>(path: string, key?: string): Promise<T>
  /** Asks for what may be done twice. @throws TrunklineError */
  post<T>(path: string, body: object, key?: string): Promise<T>
  /** Asks for what must be done once, however often it is asked for until it is answered. @throws TrunklineError */
  create<T>(path: string, body: object, key?: string): Promise<T>
  delete(path: string): Promise<void>
}

const NOT_A_TOKEN = 'setToken expects the token of an end user, as GET /2023-12/user/:userId/token.'

/** The end user of a token, unproven: the service proves it at each request. @throws TrunklineError NO_TOKEN */
const userOf = (token: string): string => {
  try {
    const text = atob((token.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const { sub } = JSON.parse(text)
    if (typeof sub === 'string') return sub
  } catch {
    // Said below, as for a token without a user.
  }
  throw new TrunklineError('NO_TOKEN', NOT_A_TOKEN)
}

/** Random, also where the page is not served over TLS. */
const randomKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('')

interface Ask {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly body?: object
  readonly isOnce?: boolean
}

/** @param url Of the service, ending in a slash. @throws TrunklineError NO_TOKEN */
export const createClient = (url: string, token: string): Client => {
  /** Of what was to be created and was not answered: asked again, it is done once. */
  const openKeys = new Map<string, string>()

  const ask = async ({ method, path, body, isOnce = false }: Ask): Promise<unknown> => {
    const text = body && JSON.stringify(body)
    const asked = `${path} ${text}`
    const key = isOnce ? (openKeys.get(asked) ?? randomKey()) : undefined
    if (key !== undefined) openKeys.set(asked, key)
    const headers = {
      authorization: `Bearer ${token}`,
      ...(text !== undefined && { 'content-type': 'application/json' }),
      ...(key !== undefined && { 'idempotency-key': key }),
    }
    const unreachable = (): TrunklineError =>
      new TrunklineError('UNREACHABLE', 'The service cannot be reached.')
    const given = { method, headers, ...(text !== undefined && { body: text }) }
    const answer = await fetch(new URL(path, url), given).catch(() => {
      throw unreachable()
    })
    const read = await answer.json().catch(() => {
      throw unreachable()
    })
    const { code, message, details } = read.error ?? {}
    const isSettled = answer.status < 500 && code !== 'IDEMPOTENCY_KEY_IN_FLIGHT'
    if (isSettled) openKeys.delete(asked)
    if (answer.ok) return read
    throw new TrunklineError(code ?? 'INTERNAL', message ?? `Status ${answer.status}.`, details)
  }
  // The service's own document says what is in an answer; its tests hold every answer to it.
  const member = <T>(answer: unknown, key: string): T => Object(answer)[key]
  return {
    userId: userOf(token),
    get: async <T>(path: string, key = 'data') =>
      member<T>(await ask({ method: 'GET', path }), key),
    post: async <T>(path: string, body: object, key = 'data') =>
      member<T>(await ask({ method: 'POST', path, body }), key),
    create: async <T>(path: string, body: object, key = 'data') =>
      member<T>(await ask({ method: 'POST', path, body, isOnce: true }), key),
    delete: async (path) => void (await ask({ method: 'DELETE', path })),
  }
}
