/** Requests to apps: signed with the credential, bounded, judged, and tried again where that is safe. */
import { BrokenCircuitError } from 'cockatiel'
import type {
  AppRequest,
  AppResponse,
  Connector,
  CredentialValues,
} from '../definition/connector.ts'
import { createRedact, processAnswer, type Redact } from './answer.ts'
import {
  AppAddressError,
  AppAuthenticationError,
  type AppErrorFacts,
  AppUnavailableError,
  isAppError,
} from './app-error.ts'
import {
  createExchange,
  ExchangeError,
  type ExchangeOptions,
  type OutgoingRequest,
} from './exchange.ts'
import { type BreakerOptions, createBreakers, type RetryOptions, retryRead } from './retry.ts'

/** Where the client tells what it does: facts, then words. */
export interface OutboundLog {
  debug(facts: object, message: string): void
}

export interface AppClientOptions
  extends Pick<ExchangeOptions, 'localApps' | 'allowPrivateAddresses'>,
    Partial<ExchangeOptions & RetryOptions & BreakerOptions> {
  readonly allowPrivateAddresses: boolean
  readonly log?: OutboundLog
}

export interface AppClient {
  /**
   * Sends a request of a connector. Reads are tried again while the app is unavailable or asks to wait.
   * @throws AppError APP_AUTHENTICATION | APP_REFUSED | APP_RATE_LIMITED | APP_UNAVAILABLE | APP_ADDRESS
   */
  send(
    connector: Connector,
    credential: CredentialValues,
    request: AppRequest,
    signal?: AbortSignal,
  ): Promise<AppResponse>
  /** Breaks off what is under way. */
  stop(): Promise<void>
}

const defaults = {
  deadlineMs: 30_000,
  maxAnswerBytes: 32 * 1024 * 1024,
  maxRetries: 3,
  firstPauseMs: 250,
  maxPauseMs: 10_000,
  maxRetryAfterMs: 60_000,
  breakAfter: 10,
  halfOpenAfterMs: 10_000,
}

type Facts = Omit<AppErrorFacts, 'reason'>

/** @throws AppAddressError if the path leads out of the base address, or that is none */
const locate = (facts: Facts, base: string, path: string): URL => {
  const fail = (reason: string): never => {
    throw new AppAddressError({ ...facts, reason })
  }
  if (!URL.canParse(base)) return fail('its base address is not a URL')
  const { origin, protocol, pathname, username, password } = new URL(base)
  if (protocol !== 'https:' && protocol !== 'http:') return fail('its base address is not of HTTP')
  if (username !== '' || password !== '') return fail('its base address holds a password')
  const folder = pathname.replace(/\/+$/, '')
  const url = URL.parse(origin + folder + path)
  const isInside =
    url?.origin === origin && (url.pathname === folder || url.pathname.startsWith(`${folder}/`))
  return url && isInside && (path === '' || /^[/?]/.test(path))
    ? url
    : fail('its path leads out of the base address')
}

const compose = (
  connector: Connector,
  credential: CredentialValues,
  request: AppRequest,
  facts: Facts,
): { readonly outgoing: OutgoingRequest; readonly redact: Redact } => {
  const authorization = connector.authorize(credential)
  const secrets = Object.entries(credential).flatMap(([name, value]) =>
    connector.credential[name]?.secret === false ? [] : [value],
  )
  const headers = {
    accept: 'application/json',
    'user-agent': 'Trunkline',
    ...(request.body !== undefined && { 'content-type': 'application/json' }),
    ...request.headers,
    ...authorization,
  }
  try {
    new Headers(headers)
  } catch {
    // The error of fetch would show the value.
    const reason = 'it holds characters that no header can carry'
    throw new AppAuthenticationError({ ...facts, reason })
  }
  return {
    redact: createRedact([...secrets, ...Object.values(authorization)]),
    outgoing: {
      method: request.method,
      url: locate(facts, connector.baseUrl(credential), request.path),
      headers,
      ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
    },
  }
}

const classify = (error: unknown, facts: Facts): unknown => {
  if (error instanceof BrokenCircuitError) {
    const reason = 'it failed many times in a row and is left alone for a moment'
    return new AppUnavailableError({ ...facts, reason }, 'circuit-open')
  }
  if (!(error instanceof ExchangeError)) return error
  const told = { ...facts, reason: error.message }
  return error.problem === 'forbidden-address'
    ? new AppAddressError(told)
    : new AppUnavailableError(told, error.problem)
}

/** The one way out to apps. */
export const createAppClient = (options: AppClientOptions): AppClient => {
  const settings = { ...defaults, ...options }
  const exchange = createExchange(settings)
  const breakerOf = createBreakers(settings)

  const sendOnce = async (
    connector: Connector,
    { outgoing, redact }: ReturnType<typeof compose>,
    facts: Facts,
    signal: AbortSignal | undefined,
  ): Promise<AppResponse> => {
    const startedMs = performance.now()
    const log = (outcome: number | string): void =>
      settings.log?.debug(
        { ...facts, outcome, tookMs: Math.round(performance.now() - startedMs) },
        'asked an app',
      )
    try {
      const answer = await breakerOf(outgoing.url.origin).execute(() =>
        exchange.send(outgoing, signal),
      )
      log(answer.status)
      return processAnswer(connector, answer, facts, redact)
    } catch (error) {
      const classified = classify(error, facts)
      if (isAppError(classified) && classified !== error) log(classified.reason)
      throw classified
    }
  }

  return {
    send: async (connector, credential, request, signal) => {
      const [path = ''] = request.path.split('?', 1)
      const facts = { app: connector.app, request: `${request.method} ${path}` }
      const composed = compose(connector, credential, request, facts)
      const once = () => sendOnce(connector, composed, facts, signal)
      const isRead = request.method === 'GET' || request.read === true
      return isRead ? retryRead(once, settings, signal) : once()
    },
    stop: exchange.stop,
  }
}
