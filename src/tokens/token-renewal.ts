/**
 * Renews the access tokens of credentials: before they expire, and once after the app has rejected one. A lease on the
 * stored tokens lets one process renew them; the others wait for the new version. New tokens are committed before they
 * are used. If a process dies in the middle, its lease expires and another process repeats the renewal with the stored
 * refresh token. Apps accept it if they keep refresh tokens or allow a grace period for replaced ones.
 */
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type { AuthMethod } from '../definition/auth.ts'
import { methodOf } from '../definition/authenticate.ts'
import type { StoredTokens, TokenSet } from '../definition/token-set.ts'
import { storableText } from '../definition/value.ts'
import type { Log } from '../log.ts'
import { AppAuthenticationError, AppUnavailableError } from '../outbound/app-error.ts'
import type { TokenRequest, TokenSource, UsableTokens } from '../outbound/token-source.ts'
import {
  acquireRenewal,
  failRenewal,
  type RenewalLease,
  readTokens,
  releaseRenewal,
  saveRenewal,
  type TokenPlace,
} from '../store/accounts/credential-tokens.ts'
import type { Database } from '../store/database/database.ts'
import { retryTemporary } from '../store/database/retry.ts'
import type { Vault } from '../store/secrets/vault.ts'
import { reportAuthenticationFailure } from '../store/sync/authentication-failure.ts'
import { type ObtainOptions, obtainTokens } from './obtain-tokens.ts'
import { RENEWAL_TIMES, type RenewalTimes } from './renewal-times.ts'

export interface TokenRenewalOptions extends ObtainOptions {
  readonly database: Database
  readonly vault: Vault
  readonly log: Log
  readonly times?: Partial<RenewalTimes>
}

const FIRST_POLL_MS = 20
const MAX_POLL_MS = 500
const MAX_REMEMBERED = 10_000

const NONE: StoredTokens = { version: 0, tokens: undefined, storedMs: 0, failure: undefined }

const isUsable = (stored: StoredTokens): stored is UsableTokens =>
  stored.tokens !== undefined && stored.failure === undefined

const renewedElsewhere = ({ facts }: TokenRequest): AppUnavailableError =>
  new AppUnavailableError(
    { ...facts, reason: 'another process is renewing its access token' },
    'token',
  )

/** The renewal of the tokens of one credential. */
interface Renewal {
  readonly request: TokenRequest
  readonly method: AuthMethod
  readonly place: TokenPlace
  readonly known: StoredTokens
  /** Whether the app has rejected the known token; if not, it is used until it expires. */
  readonly isRejected: boolean
}

/** Creates the source of access tokens, which renews them. */
export const createTokenRenewal = (options: TokenRenewalOptions): TokenSource => {
  const { database, vault, log, nowMs } = options
  const times = { ...RENEWAL_TIMES, ...options.times }
  const remembered = new LRUCache<string, StoredTokens>({ max: MAX_REMEMBERED })
  const pausedUntilMs = new LRUCache<string, number>({ max: MAX_REMEMBERED })
  /** Until when a rejection of the tokens of a credential starts no renewal: they have just been renewed. */
  const trustedUntilMs = new LRUCache<string, number>({ max: MAX_REMEMBERED })
  const running = new Map<string, Promise<UsableTokens>>()

  const remember = <Tokens extends StoredTokens>(credentialId: string, stored: Tokens): Tokens => {
    remembered.set(credentialId, stored)
    return stored
  }

  /** The newest tokens that this process knows: those of the loaded credential, or of a renewal since. */
  const newestOf = ({ credential: { id, tokens = NONE } }: TokenRequest): StoredTokens => {
    const other = id === undefined ? undefined : remembered.get(id)
    return other && other.version >= tokens.version ? other : tokens
  }

  const validForMs = ({ tokens }: StoredTokens): number => {
    if (!tokens) return 0
    const { expiresAt } = tokens
    return expiresAt === undefined ? Number.POSITIVE_INFINITY : Date.parse(expiresAt) - nowMs()
  }

  const isDue = (stored: StoredTokens): boolean => {
    const restMs = validForMs(stored)
    const lifetimeMs = restMs + nowMs() - stored.storedMs
    return restMs <= Math.min(times.marginMs, lifetimeMs / 10)
  }

  const isBeforeEnd = (endsMs: LRUCache<string, number>, { credentialId }: TokenPlace): boolean =>
    performance.now() < (endsMs.get(credentialId) ?? 0)

  const leaseMsOf = (method: AuthMethod): number => {
    const graceMs = (method.type === 'oauth2' && method.refreshGraceSeconds) || 0
    return graceMs > 0 ? Math.min(times.leaseMs, graceMs * 500) : times.leaseMs
  }

  const requireUsable = ({ facts }: TokenRequest, stored: StoredTokens): UsableTokens => {
    if (isUsable(stored)) return stored
    const reason = stored.failure ?? 'the app has issued no access token'
    throw new AppAuthenticationError({ ...facts, reason }, stored.failure !== undefined)
  }

  /** Requests new tokens. @throws AppAuthenticationError if the app issues no more, AppUnavailableError otherwise */
  const obtain = async ({ request, method, known }: Renewal): Promise<TokenSet> => {
    // The lease outlives the request.
    const limitMs = Math.floor((leaseMsOf(method) * 2) / 3)
    const timeout = AbortSignal.timeout(limitMs)
    const unavailable = (reason: string, cause?: unknown): AppUnavailableError => {
      const retryAfterMs = cause instanceof AppUnavailableError ? cause.retryAfterMs : undefined
      return new AppUnavailableError({ ...request.facts, reason }, 'token', { retryAfterMs })
    }
    try {
      return await obtainTokens(options, method, request, known.tokens, timeout)
    } catch (error) {
      if (timeout.aborted) throw unavailable(`no new access token within ${limitMs} ms`)
      throw error instanceof AppUnavailableError ? unavailable(error.reason, error) : error
    }
  }

  /** Stores and reports that the app issues no more tokens. @returns false if another process has taken over */
  const reportFailure = async (
    { request: { connector }, place, known }: Renewal,
    lease: RenewalLease,
    { code, reason: appReason }: AppAuthenticationError,
  ): Promise<boolean> => {
    const reason = storableText(appReason)
    const isStored = await database.transaction(async (transaction) => {
      const isHeld = await failRenewal(transaction, lease, reason)
      if (isHeld)
        await reportAuthenticationFailure(transaction, place, { code, reason, app: connector.app })
      return isHeld
    })
    if (!isStored) return false
    remember(place.credentialId, { ...known, version: known.version + 1, failure: reason })
    log.warn({ ...lease.key, app: connector.app, reason }, 'the app issues no more access tokens')
    return true
  }

  /** Renews the tokens under the lease. */
  const renewHeld = async (renewal: Renewal, lease: RenewalLease): Promise<UsableTokens> => {
    const { place, known, request } = renewal
    let tokens: TokenSet
    try {
      tokens = await obtain(renewal)
    } catch (error) {
      if (error instanceof AppAuthenticationError) {
        if (await reportFailure(renewal, lease, error))
          throw new AppAuthenticationError(error, true)
        throw renewedElsewhere(request)
      }
      // A lease that cannot be released expires, as if this process had been killed.
      await releaseRenewal(database, lease).catch(() => {})
      throw error
    }
    const renewed = { environmentId: place.environmentId, tokens }
    const save = () => saveRenewal(database, vault, lease, renewed)
    // The app may have invalidated the previous refresh token, so a database failure must not lose the new one.
    const isSaved = await retryTemporary(save, {
      log,
      name: 'store renewed tokens',
      limitMs: times.waitMs,
    })
    if (!isSaved) {
      const stored = await readTokens(database, vault, place)
      if (!stored || stored.version === known.version) throw renewedElsewhere(request)
      return requireUsable(request, remember(place.credentialId, stored))
    }
    return remember(place.credentialId, {
      version: known.version + 1,
      tokens,
      storedMs: nowMs(),
      failure: undefined,
    })
  }

  /** Renews the tokens, or waits until another process has renewed them. */
  const renewOnce = async (renewal: Renewal): Promise<UsableTokens> => {
    const { request, method, place, isRejected } = renewal
    const { credentialId } = place
    let { known } = renewal
    const endMs = performance.now() + times.waitMs
    for (let pollMs = FIRST_POLL_MS; ; pollMs = Math.min(2 * pollMs, MAX_POLL_MS)) {
      const durationMs = leaseMsOf(method)
      const lease: RenewalLease = { key: { credentialId }, holder: randomUUID(), durationMs }
      if (await acquireRenewal(database, lease, known.version))
        return renewHeld({ ...renewal, known }, lease)
      const stored = await readTokens(database, vault, place)
      if (!stored) {
        const reason = 'the credential was deleted'
        throw new AppAuthenticationError({ ...request.facts, reason })
      }
      if (stored.version > known.version) {
        remember(credentialId, stored)
        if (stored.tokens || stored.failure) return requireUsable(request, stored)
        // The app was reconnected, and has issued no tokens yet.
        known = stored
        continue
      }
      if (!isRejected && isUsable(known) && validForMs(known) > 0) return known
      if (performance.now() + pollMs > endMs) throw renewedElsewhere(request)
      await wait(pollMs)
    }
  }

  /** Joins the renewal of the credential that is in progress in this process, or starts one. */
  const renewShared = async (renewal: Renewal): Promise<UsableTokens> => {
    const { credentialId } = renewal.place
    const { signal } = renewal.request
    let work = running.get(credentialId)
    if (!work) {
      work = renewOnce(renewal).finally(() => running.delete(credentialId))
      running.set(credentialId, work)
      // Every waiting request may have been aborted.
      work.catch(() => {})
    }
    if (!signal) return work
    signal.throwIfAborted()
    const aborted = Promise.withResolvers<never>()
    const abort = (): void => aborted.reject(signal.reason)
    signal.addEventListener('abort', abort, { once: true })
    return Promise.race([work, aborted.promise]).finally(() =>
      signal.removeEventListener('abort', abort),
    )
  }

  const methodFor = ({ connector, credential }: TokenRequest): AuthMethod => {
    const method = methodOf(connector.auth, credential.method)
    if (!method) throw new TypeError(`${connector.app} has no method ${credential.method}.`)
    return method
  }

  const placeOf = ({ credential: { id, environmentId } }: TokenRequest): TokenPlace | undefined =>
    id === undefined || environmentId === undefined
      ? undefined
      : { credentialId: id, environmentId }

  return {
    current: async (request) => {
      const known = newestOf(request)
      if (known.failure !== undefined) return requireUsable(request, known)
      if (isUsable(known) && !isDue(known)) return known
      const method = methodFor(request)
      const place = placeOf(request)
      if (!place) {
        // A credential that is checked before it is stored.
        const renewal = { request, method, known, isRejected: false }
        const place = { credentialId: '', environmentId: '' }
        return { ...NONE, tokens: await obtain({ ...renewal, place }), storedMs: nowMs() }
      }
      const isValid = isUsable(known) && validForMs(known) > 0
      if (isValid && isBeforeEnd(pausedUntilMs, place)) return known
      try {
        return await renewShared({ request, method, place, known, isRejected: false })
      } catch (error) {
        if (!isValid || error instanceof AppAuthenticationError) throw error
        pausedUntilMs.set(place.credentialId, performance.now() + times.pauseMs)
        return known
      }
    },
    renew: async (request, rejected) => {
      const known = newestOf(request)
      if (known.version > rejected.version) return requireUsable(request, known)
      const place = placeOf(request)
      if (!place) return undefined
      const method = methodFor(request)
      const isRenewable = method.type !== 'oauth2' || rejected.tokens.refreshToken !== undefined
      if (isRenewable && !isBeforeEnd(trustedUntilMs, place)) {
        const renewed = await renewShared({ request, method, place, known, isRejected: true })
        trustedUntilMs.set(place.credentialId, performance.now() + times.betweenRejectionsMs)
        return renewed
      }
      const stored = await readTokens(database, vault, place)
      return stored && stored.version > rejected.version
        ? requireUsable(request, remember(place.credentialId, stored))
        : undefined
    },
  }
}
