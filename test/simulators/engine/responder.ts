/** Processes a request, from its arrival to its checked response. */
import { randomUUID } from 'node:crypto'
import type { Accounts } from './accounts.ts'
import type { Clock } from './clock.ts'
import { type Check, showPath } from './contract.ts'
import type { Fault, Faults } from './faults.ts'
import type { JournalEntry, JournalWriter } from './journal.ts'
import type { LiveLimits } from './live-limits.ts'
import type { AuthorizationEndpoints } from './oauth/authorization-server.ts'
import type { Grant } from './oauth/tokens.ts'
import {
  type ArrivedRequest,
  type LimitedRequest,
  type Profile,
  type Refusal,
  RefusalError,
  type Reply,
  ReplyError,
  type ResponseContext,
} from './profile.ts'
import { checkHeaders, findRoute, type MatchedRoute, readBody, readQuery } from './routes.ts'

/** A complete response. */
export interface SentReply {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export interface StartedResponse {
  /** Undefined: a fault prevents the response. */
  readonly reply: SentReply | undefined
  /** The fault that the listener applies to the response. */
  readonly fault: Fault | undefined
  /** Ends the request: the response is sent or given up. */
  end(): void
}

export interface ResponderParts {
  readonly profile: Profile
  readonly clock: Clock
  readonly accounts: Accounts
  readonly oauth: AuthorizationEndpoints
  readonly faults: Faults
  readonly journal: JournalWriter
  readonly limits: LiveLimits
  readonly defects: string[]
}

/** The facts about a request that are known while it is processed. */
interface Progress {
  readonly request: ArrivedRequest
  readonly requestId: string
  readonly entry: JournalEntry
  limited?: LimitedRequest
  release?: () => void
}

const JSON_TYPE = { 'content-type': 'application/json;charset=UTF-8' }

const readBearer = (headers: ArrivedRequest['headers']): string | undefined =>
  /^bearer (\S{1,4000})$/i.exec(headers.authorization ?? '')?.[1]

const flatHeaders = (headers: ArrivedRequest['headers']): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))

const serialize = ({ status, headers = {}, body = '' }: Reply): SentReply =>
  typeof body === 'string'
    ? { status, headers, body }
    : { status, headers: { ...JSON_TYPE, ...headers }, body: JSON.stringify(body) }

/** @throws if a reply does not fit the contract: a defect of the simulator */
const assertFits = (check: Check, { status, body }: Reply, place: string): void => {
  if (typeof body === 'string') return
  const problems = check(body ?? {})
  if (problems.length === 0) return
  const shown = problems.slice(0, 5).map(({ path, message }) => `${showPath(path)} ${message}`)
  throw new Error(`${place} ${status} does not fit the contract: ${shown.join('; ')}`)
}

export const createResponder = ({
  profile,
  clock,
  accounts,
  oauth,
  faults,
  journal,
  limits,
  defects,
}: ResponderParts): ((request: ArrivedRequest) => Promise<StartedResponse>) => {
  const contextOf = ({ requestId, limited }: Progress): ResponseContext => ({
    requestId,
    clock,
    limits: limited ? limits.states(limited) : {},
  })

  const refuse = (progress: Progress, refusal: Refusal): Reply =>
    profile.refuse(refusal, contextOf(progress))

  /** The sender of a request. A public route has no sender, and the account of its path. */
  const authenticate = (
    { request: { headers } }: Progress,
    { route, path }: MatchedRoute,
  ): Omit<Grant, 'isRevoked'> => {
    if (route.isPublic)
      return { accountId: profile.accountOf?.(path) ?? '', clientId: '', scopes: [] }
    const token = (profile.readToken ?? readBearer)(headers)
    const state = token === undefined ? 'missing' : oauth.stateOf(token)
    if (typeof state === 'object') return state
    throw new RefusalError({ reason: 'unauthenticated', cause: state })
  }

  /** Every check in the order of the request, then the route's response. */
  const respondByRoute = async (progress: Progress): Promise<Reply> => {
    const { request, requestId, entry } = progress
    const url = new URL(request.url, 'http://simulator')
    const matched = findRoute(profile.routes, request.method, url.pathname)
    const { route, path } = matched
    entry.route = route.path
    const { accountId, clientId, scopes } = authenticate(progress, matched)
    journal.assign(entry, accountId)
    const account = accounts.find(profile.accountOf?.(path) ?? accountId)
    if (account?.id !== accountId) throw new RefusalError({ reason: 'wrong-account' })
    progress.limited = { route, accountId, clientId }
    progress.release = limits.admit(progress.limited)
    if (route.scopes && !route.scopes.some((scope) => scopes.includes(scope)))
      throw new RefusalError({ reason: 'missing-scope', scopes: route.scopes })
    checkHeaders(profile, route, request.headers)
    const query = readQuery(route, url.searchParams)
    const { text, body } = readBody(matched, request, query)
    const { headers } = request
    const call = { route, path, query, headers, text, body, account, scopes, clientId, requestId }
    const reply = await route.respond(call)
    assertFits(route.response, reply, `${request.method} ${route.path}`)
    return reply
  }

  /** The route's response, or the vendor's error. */
  const respondOrRefuse = async (progress: Progress): Promise<Reply> => {
    try {
      return await respondByRoute(progress)
    } catch (error) {
      const isError = error instanceof RefusalError || error instanceof ReplyError
      if (!isError) throw error
      const reply = 'reply' in error ? error.reply : refuse(progress, error.refusal)
      assertFits(profile.errorBody, reply, error.message)
      return reply
    }
  }

  /** The response, or status 500 because of a defect. */
  const respondSoundly = async (progress: Progress): Promise<Reply> => {
    const { request } = progress
    try {
      return oauth.respond(request) ?? (await respondOrRefuse(progress))
    } catch (error) {
      const defect = error instanceof Error ? (error.stack ?? error.message) : String(error)
      defects.push(`${request.method} ${request.url}: ${defect}`)
      return { status: 500, headers: { 'content-type': 'text/plain' }, body: defect }
    }
  }

  /** A response that a fault replaces; undefined: the request is processed. */
  const replyOf = (fault: Fault | undefined, progress: Progress): Reply | undefined => {
    switch (fault?.kind) {
      case 'status':
        return { status: fault.status, headers: fault.headers ?? {}, body: fault.body ?? '' }
      case 'rate-limited':
        return refuse(progress, {
          reason: 'rate-limited',
          limit: 'fault',
          retryAfterMs: fault.retryAfterMs,
        })
      case 'unauthenticated':
        return refuse(progress, { reason: 'unauthenticated', cause: 'expired' })
      default:
        return undefined
    }
  }

  return async (request) => {
    const { method, url } = request
    const headers = flatHeaders(request.headers)
    const body = request.body.toString()
    const entry = journal.begin({ atMs: clock.nowMs(), method, url, headers, body })
    const progress: Progress = { request, requestId: randomUUID(), entry }
    const fault = faults.take(request)
    if (fault) entry.fault = fault.kind
    const isUnprocessed = fault?.kind === 'hang' || fault?.kind === 'reset'
    const reply = isUnprocessed
      ? undefined
      : (replyOf(fault, progress) ?? (await respondSoundly(progress)))
    const isSent = reply !== undefined && fault?.kind !== 'lost-response'
    const end = (): void => {
      if (entry.durationMs === undefined) progress.release?.()
      journal.end(entry, isSent ? reply.status : undefined)
    }
    if (!isSent) return { reply: undefined, fault, end }
    const date = { date: new Date(clock.nowMs()).toUTCString() }
    const common = profile.responseHeaders?.(contextOf(progress))
    const sent = serialize(reply)
    return { reply: { ...sent, headers: { ...date, ...common, ...sent.headers } }, fault, end }
  }
}
