/** Authenticates each request once and rate-limits it by the verified caller, else by the address. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addressOf } from '../http/address.ts'
import {
  authenticateCaller,
  type Caller,
  type CallerDependencies,
  UnknownCallerError,
} from './caller.ts'
import { createRateLimit, type RateLimit, subjectOfAddress, type Use } from './rate-limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A CORS preflight route: it is not rate-limited. */
    readonly isPreflight?: boolean
    /** A route whose callers have no API key. Their Authorization header is not checked and never counts as a guess. */
    readonly isUnauthenticated?: boolean
  }
  interface FastifyRequest {
    /** The rate-limit subject: see Requester. */
    subject: string
    /** The caller, for the log; undefined: none was authenticated. */
    caller: Caller | undefined
    /** The caller, authenticated again if a body was read. @throws UNAUTHENTICATED, RATE_LIMITED */
    requireCaller(): Promise<Caller>
  }
}

export interface AdmissionLimits {
  /** Limit for each caller; 0: no limit. */
  readonly requestsPerMinute: number
  /** Limit of failed authentications for each address; 0: no limit. */
  readonly authFailuresPerMinute: number
}

/** The sender of a request or the peer of a socket. */
export type Requester = {
  readonly address: string
  /** The rate-limit subject: the key, the end user, or else the address. */
  readonly subject: string
} & (
  | { readonly caller: Caller }
  /** `error`: thrown only where a caller is required. `failure`: the counted authentication failure. */
  | { readonly caller: undefined; readonly error: unknown; readonly failure: Use | undefined }
)

export interface Admission {
  readonly requests: RateLimit
  readonly failures: RateLimit
  /** Identifies the requester. Never throws, so that public routes work without the database. */
  identify(authorization: string | undefined, address: string): Promise<Requester>
  /**
   * The caller, where one is required. `onFailure` receives the count of failures of the address.
   * @throws UNAUTHENTICATED; RATE_LIMITED instead after too many failures of the address
   */
  require(requester: Requester, onFailure?: (use: Use) => void): Promise<Caller>
}

const subjectOf = (caller: Caller): string =>
  caller.kind === 'key' ? `key ${caller.keyId}` : `user ${caller.userId}`

/** Route options that authenticate before the body is read, so that anonymous requests cost little. */
export const beforeBody = {
  onRequest: async (request: FastifyRequest): Promise<void> => {
    await request.requireCaller()
  },
}

export const createAdmission = (
  authentication: CallerDependencies,
  { requestsPerMinute, authFailuresPerMinute }: AdmissionLimits,
): Admission => {
  const failures = createRateLimit({
    name: 'authentication',
    counted: 'failed authentications of this address',
    perMinute: authFailuresPerMinute,
  })
  return {
    requests: createRateLimit({
      name: 'caller',
      counted: 'requests',
      perMinute: requestsPerMinute,
    }),
    failures,
    identify: async (authorization, address) => {
      const isTrusted = async () => !(await failures.isSpent(() => subjectOfAddress(address)))
      try {
        const caller = await authenticateCaller(authentication, authorization, isTrusted)
        return { address, subject: subjectOf(caller), caller }
      } catch (error) {
        const subject = subjectOfAddress(address)
        // A wrong key on a public route is a guess too, and is counted.
        const isGuess = authorization !== undefined && error instanceof UnknownCallerError
        const failure = isGuess ? await failures.count(subject) : undefined
        return { address, subject, caller: undefined, error, failure }
      }
    },
    require: async (requester, onFailure) => {
      if (requester.caller !== undefined) return requester.caller
      const { error, subject } = requester
      if (error instanceof UnknownCallerError && failures.perMinute > 0) {
        const use = requester.failure ?? (await failures.count(subject))
        onFailure?.(use)
        failures.check(use)
      }
      throw error
    },
  }
}

/**
 * Adds the rate limit of callers, the `RateLimit` headers, and `request.requireCaller` for the routes.
 */
export const addAdmission = (
  server: FastifyInstance,
  admission: Admission,
  /** Number of trusted reverse proxies. */
  trustedProxies: number,
): void => {
  const { requests, failures } = admission
  const identify = (request: FastifyRequest): Promise<Requester> =>
    admission.identify(
      request.routeOptions.config.isUnauthenticated ? undefined : request.headers.authorization,
      addressOf(request.raw, trustedProxies),
    )
  server.decorateRequest('requireCaller', () => {
    throw new Error('requireCaller was called before the onRequest hook of addAdmission ran.')
  })
  server.decorateRequest('subject', '')
  server.decorateRequest('caller', undefined)
  server.addHook('onRequest', async (request, reply) => {
    // A preflight carries no token: all users behind one address would share its limit.
    if (request.routeOptions.config.isPreflight) return
    const addHeaders = (limit: RateLimit, use: Use): void => {
      const { policy, left } = limit.describe(use)
      // Several limits form one list (RFC 9651, section 3.1).
      for (const [name, text] of [
        ['ratelimit-policy', policy],
        ['ratelimit', left],
      ] as const)
        reply.header(name, [reply.getHeader(name) ?? [], text].flat().join(', '))
    }
    const requester = await identify(request)
    request.subject = requester.subject
    request.caller = requester.caller
    request.requireCaller = async () =>
      admission.require(
        // A body may arrive slowly: check that the key or token has not been revoked in the meantime.
        request.body === undefined ? requester : await identify(request),
        (use) => addHeaders(failures, use),
      )
    if (requests.perMinute === 0) return
    const use = await requests.count(requester.subject)
    addHeaders(requests, use)
    requests.check(use)
  })
}
