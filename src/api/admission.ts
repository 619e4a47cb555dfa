/** Who asks: authenticated once a request, and counted by what that shows, not by what was claimed. */
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { addressOf } from './address.ts'
import { type Authentication, authenticate, type Caller, UnknownCallerError } from './caller.ts'
import { createRateLimit, type RateLimit, subjectOfAddress, type Use } from './rate-limits.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** A browser asks here whether a page may ask: answered without a count. */
    readonly isPreflight?: boolean
  }
  interface FastifyRequest {
    /** The caller as of now, where one is needed. @throws UNAUTHENTICATED, RATE_LIMITED */
    requireCaller(): Promise<Caller>
  }
}

export interface AdmissionLimits {
  /** Of one caller; 0: as many as it likes. */
  readonly requestsPerMinute: number
  /** Keys and tokens that are not good, of one address; 0: as many as it likes. */
  readonly authFailuresPerMinute: number
}

/** Whoever sent a request or opened a socket. */
export type Asker = {
  readonly address: string
  /** Whose requests these are counted among: the key, the end user, or else the address. */
  readonly subject: string
} & (
  | { readonly caller: Caller }
  /** Why there is none: told only where one is needed. */
  | { readonly caller: undefined; readonly refusal: unknown }
)

export interface Admission {
  readonly requests: RateLimit
  readonly failures: RateLimit
  /** Never fails: what is open to all is so while the database is away. */
  identify(authorization: string | undefined, address: string): Promise<Asker>
  /**
   * The caller, where one is needed. `onFailure` is told how many the address has had.
   * @throws UNAUTHENTICATED; RATE_LIMITED in its place once the address has failed too often
   */
  require(asker: Asker, onFailure?: (use: Use) => void): Promise<Caller>
}

const subjectOf = (caller: Caller): string =>
  caller.kind === 'key' ? `key ${caller.keyId}` : `user ${caller.userId}`

/** Of a route with a body that is not read for just anybody: only a key or a token buys work. */
export const beforeBody = {
  onRequest: async (request: FastifyRequest): Promise<void> => {
    await request.requireCaller()
  },
}

export const createAdmission = (
  authentication: Authentication,
  { requestsPerMinute, authFailuresPerMinute }: AdmissionLimits,
): Admission => {
  const failures = createRateLimit({
    ...{ name: 'authentication', counted: 'failed authentications of this address' },
    perMinute: authFailuresPerMinute,
  })
  return {
    requests: createRateLimit({
      ...{ name: 'caller', counted: 'requests', perMinute: requestsPerMinute },
    }),
    failures,
    identify: async (authorization, address) => {
      try {
        const caller = await authenticate(authentication, authorization)
        return { address, subject: subjectOf(caller), caller }
      } catch (refusal) {
        return { address, subject: subjectOfAddress(address), caller: undefined, refusal }
      }
    },
    require: async (asker, onFailure) => {
      if (asker.caller !== undefined) return asker.caller
      const { refusal, subject } = asker
      if (refusal instanceof UnknownCallerError && failures.perMinute > 0) {
        const use = await failures.count(subject)
        onFailure?.(use)
        failures.check(use)
      }
      throw refusal
    },
  }
}

/**
 * Counts each request, refuses it past its caller's limit, tells every answer what is left, and gives the
 * routes the caller.
 */
export const addAdmission = (
  server: FastifyInstance,
  admission: Admission,
  /** How many proxies stand before the server. */
  trustedProxies: number,
): void => {
  const { requests, failures } = admission
  const identify = (request: FastifyRequest): Promise<Asker> =>
    admission.identify(request.headers.authorization, addressOf(request.raw, trustedProxies))
  server.decorateRequest('requireCaller', () => {
    throw new Error('A request that no hook has seen.')
  })
  server.addHook('onRequest', async (request, reply) => {
    // A browser asks for leave without the token, so all that sit behind one address would share a count.
    if (request.routeOptions.config.isPreflight) return
    const tell = (limit: RateLimit, use: Use): void => {
      const { policy, left } = limit.describe(use)
      // Two limits are said in one list (RFC 9651, section 3.1).
      for (const [name, text] of [
        ['ratelimit-policy', policy],
        ['ratelimit', left],
      ] as const)
        reply.header(name, [reply.getHeader(name) ?? [], text].flat().join(', '))
    }
    const asker = await identify(request)
    request.requireCaller = async () =>
      admission.require(
        // A body may take its time: a key or a token that has ended meanwhile buys nothing more.
        request.body === undefined ? asker : await identify(request),
        (use) => tell(failures, use),
      )
    if (requests.perMinute === 0) return
    const use = await requests.count(asker.subject)
    tell(requests, use)
    requests.check(use)
  })
}
