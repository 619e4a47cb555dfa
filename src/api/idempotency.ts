/**
 * The header Idempotency-Key: a request that changes something and is sent twice is done once. The answer
 * of the first is given again for a day; while it is under way the second is refused. What is done in our
 * database alone is there together with its answer or not at all; of anything else a try that was broken
 * off is looked into by the next, and not blindly repeated.
 */
import { hash } from 'node:crypto'
import { ApiError, type ErrorCode, invalidParameter } from '../errors.ts'
import { MAX_JSON_LEVELS } from '../query/input.ts'
import type { Database } from '../store/database.ts'
import {
  type IdempotentRequests,
  type KeptAnswer,
  type RequestKey,
  TakenOverError,
} from '../store/idempotent-requests.ts'
import type { Caller } from './caller.ts'

/** A request that may be one of several tries of the same thing. */
export interface RepeatableRequest {
  readonly caller: Caller
  /** As the caller sent it; undefined: each request is a new one. */
  readonly key: string | undefined
  /** Tells apart what one key may be sent with: the face, and the field of a mutation. */
  readonly scope: string
  /** All that is asked for: JSON. */
  readonly asked: unknown
  /** Whether all that is done is done in our database, by the attempt's own connection to it. */
  readonly isLocal: boolean
  /** What must be so before anything is done; others are asked, so not within a transaction. */
  readonly check?: () => Promise<void>
}

export interface Attempt {
  readonly brokenOffSince: Date | undefined
  /** To be called once all that was done is there for everybody to see; never, if it fails. */
  readonly afterwards: (effect: () => void) => void
  /** Where the work is to be done, if its answer is kept in the same transaction. */
  readonly database?: Database
}

/** Of what is not kept: a question. */
export const ONCE: Attempt = { brokenOffSince: undefined, afterwards: (effect) => effect() }

export interface RepeatableAnswer extends KeptAnswer {
  /** Given before, and now again. */
  readonly replayed: boolean
}

// Printable ASCII but the space: what a header can carry as it is.
const KEY = /^[\x21-\x7e]{1,255}$/
const RENEW_MS = 10_000

/** @throws INVALID_PARAMETER */
export const readIdempotencyKey = (given: string | string[] | undefined): string | undefined => {
  if (given === undefined) return
  if (typeof given !== 'string' || !KEY.test(given))
    throw invalidParameter(
      'Idempotency-Key',
      '1 to 255 printable ASCII characters, none of them a space',
    )
  return given
}

/** More than the levels of any input that is taken: what carries a field of free JSON has some too. */
const MAX_LEVELS = MAX_JSON_LEVELS + 16

/**
 * The same JSON whatever the order of keys. It is not read yet, and may be nested deeper than a program
 * can walk: what lies below the levels of any input is left out, for it is refused when it is read.
 */
const canonical = (value: unknown, levels = MAX_LEVELS): unknown => {
  if (typeof value !== 'object' || value === null) return value
  if (levels === 0) return null
  if (Array.isArray(value)) return value.map((entry) => canonical(entry, levels - 1))
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, entry]) => [name, canonical(entry, levels - 1)]),
  )
}

/** After these nothing has happened, and the same request may well succeed: it is not remembered. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'APP_UNAVAILABLE',
  'APP_RATE_LIMITED',
  'RATE_LIMITED',
  'WRITE_IN_FLIGHT',
])

const inFlight = (): ApiError =>
  new ApiError(
    'IDEMPOTENCY_KEY_IN_FLIGHT',
    'A request with this Idempotency-Key is still under way.',
    [],
    { retryAfterMs: 1000 },
  )

/** A refusal that will be the same again; of any other failure it is not known what was done. */
const isFinal = (error: unknown): error is ApiError =>
  error instanceof ApiError && error.status < 500 && !passing.has(error.code)

/**
 * Does `work` once for each key. `answerOf` forms the answer of a final refusal, which is kept too.
 * @throws IDEMPOTENCY_KEY_REUSED, IDEMPOTENCY_KEY_IN_FLIGHT, and what `work` throws
 */
export const idempotently = async (
  requests: IdempotentRequests,
  { caller, key, scope, asked, isLocal, check = async () => {} }: RepeatableRequest,
  work: (attempt: Attempt) => Promise<KeptAnswer>,
  answerOf: (refusal: ApiError) => KeptAnswer,
): Promise<RepeatableAnswer> => {
  const effects: (() => void)[] = []
  const afterwards = (effect: () => void): void => void effects.push(effect)
  const done = (answer: KeptAnswer): RepeatableAnswer => {
    for (const effect of effects) effect()
    return { ...answer, replayed: false }
  }
  if (key === undefined) {
    await check()
    return done(await work({ brokenOffSince: undefined, afterwards }))
  }
  const who = caller.kind === 'user' ? `user ${caller.userId}` : 'key'
  const request: RequestKey = {
    environmentId: caller.environmentId,
    key: `${who} ${scope} ${key}`,
  }
  const fingerprint = hash('sha256', JSON.stringify([scope, canonical(asked)]), 'hex')
  const claim = await requests.claim(request, fingerprint)
  switch (claim.state) {
    case 'answered':
      return { ...claim.answer, replayed: true }
    case 'other':
      throw new ApiError(
        'IDEMPOTENCY_KEY_REUSED',
        'This Idempotency-Key was sent with another request within the last 24 hours.',
      )
    case 'in-flight':
      throw inFlight()
    case 'claimed':
  }
  // A renewal that fails leaves the claim to run out, as if this process had died.
  const renewal = setInterval(() => void requests.renew(request, claim).catch(() => {}), RENEW_MS)
  try {
    const { brokenOffSince } = claim
    await check()
    if (isLocal) {
      const complete = (database: Database) => work({ brokenOffSince, afterwards, database })
      return done(await requests.complete(request, claim, complete))
    }
    const answer = await work({ brokenOffSince, afterwards })
    // It is done, whether or not that can be noted: without the note, the next try finds out.
    await requests.keep(request, claim, answer).catch(() => {})
    return done(answer)
  } catch (error) {
    // The next try is given that answer.
    if (error instanceof TakenOverError) throw inFlight()
    if (isFinal(error)) {
      const answer = answerOf(error)
      await requests.keep(request, claim, answer)
      return { ...answer, replayed: false }
    }
    const forget = error instanceof ApiError && passing.has(error.code)
    // What cannot be noted now is taken for broken off once the claim has run out.
    await requests
      .release(request, claim, forget && claim.brokenOffSince === undefined)
      .catch(() => {})
    throw error
  } finally {
    clearInterval(renewal)
  }
}
