/** Requests to apps: signed with the credential, bounded, judged, and tried again where that is safe. */
import { BrokenCircuitError } from 'cockatiel'
import type {
  AppRequest,
  AppResponse,
  Connector,
  CredentialValues,
} from '../definition/connector.ts'
import { createConceal, createRedact, plainAnswer, processAnswer } from './answer.ts'
import {
  AppAddressError,
  AppAuthenticationError,
  type AppErrorFacts,
  AppUnavailableError,
  isAppError,
} from './app-error.ts'
import {
  type Answer,
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
  /** Sends the connector's check once. @throws AppError as `send` does */
  check(connector: Connector, credential: CredentialValues, signal: AbortSignal): Promise<void>
  /**
   * Sends a request as it is and gives the answer as it is, whatever its status. Sent once, whatever became
   * of others: what a caller asks in its own words says nothing of how the app fares, nor is it held back.
   * @throws AppError APP_AUTHENTICATION | APP_UNAVAILABLE | APP_ADDRESS
   */
  pass(
    connector: Connector,
    credential: CredentialValues,
    request: AppRequest,
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

interface Composed {
  readonly outgoing: OutgoingRequest
  /** Where the app is, as the credential says. */
  readonly base: string
  readonly secrets: readonly string[]
}

const compose = (
  connector: Connector,
  credential: CredentialValues,
  request: AppRequest,
  facts: Facts,
): Composed => {
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
  const base = connector.baseUrl(credential)
  const outgoing: OutgoingRequest = {
    method: request.method,
    url: locate(facts, base, request.path),
    headers,
    ...(request.body !== undefined && { body: JSON.stringify(request.body) }),
  }
  // What can never be sent, a GET with a body, is thrown here: later it would look like a failure of the app.
  new Request(outgoing.url, outgoing)
  return { secrets: [...secrets, ...Object.values(authorization)], base, outgoing }
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
    : new AppUnavailableError(told, error.problem, { cause: error.cause })
}

/** The one way out to apps. */
export const createAppClient = (options: AppClientOptions): AppClient => {
  const settings = { ...defaults, ...options }
  const exchange = createExchange(settings)
  const breakerOf = createBreakers(settings)

  const exchangeOnce = async (
    facts: Facts,
    ask: () => Promise<Answer>,
    judge: (answer: Answer) => AppResponse,
  ): Promise<AppResponse> => {
    const startedMs = performance.now()
    const log = (outcome: number | string): void =>
      settings.log?.debug(
        { ...facts, outcome, tookMs: Math.round(performance.now() - startedMs) },
        'asked an app',
      )
    try {
      const answer = await ask()
      log(answer.status)
      return judge(answer)
    } catch (error) {
      const classified = classify(error, facts)
      if (isAppError(classified) && classified !== error) log(classified.reason)
      throw classified
    }
  }

  const factsOf = (connector: Connector, { method, path }: AppRequest): Facts => ({
    app: connector.app,
    request: `${method} ${path.split('?', 1)[0]}`,
  })

  /** A request that is ready to be sent, again and again; the answer is judged as the connector does. */
  const prepare = (
    connector: Connector,
    credential: CredentialValues,
    request: AppRequest,
    signal?: AbortSignal,
  ): (() => Promise<AppResponse>) => {
    const facts = factsOf(connector, request)
    const { base, outgoing, secrets } = compose(connector, credential, request, facts)
    const redact = createRedact(secrets)
    return () =>
      exchangeOnce(
        facts,
        () => breakerOf(base).execute(() => exchange.send(outgoing, signal)),
        (answer) => processAnswer(connector, answer, facts, redact),
      )
  }

  return {
    check: async (connector, credential, signal) => {
      await prepare(connector, credential, connector.check, signal)()
    },
    pass: async (connector, credential, request) => {
      const facts = factsOf(connector, request)
      const { outgoing, secrets } = compose(connector, credential, request, facts)
      const conceal = createConceal(secrets)
      return exchangeOnce(
        facts,
        () => exchange.send(outgoing),
        (answer) => plainAnswer(answer, conceal),
      )
    },
    send: async (connector, credential, request, signal) => {
      const once = prepare(connector, credential, request, signal)
      const isRead = request.method === 'GET' || request.read === true
      return isRead ? retryRead(once, settings, signal) : once()
    },
    stop: exchange.stop,
  }
}
