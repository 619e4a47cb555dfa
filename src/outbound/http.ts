/** The client for apps: authenticates requests, limits them, classifies responses and retries reads. */

import type { AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import type { Log } from '../log.ts'
import { type Span, type SpanOptions, serverAttributes, trace } from '../tracing.ts'
import { factsOf, isAppError } from './app-error.ts'
import {
  type AppCredential,
  composeRequest,
  type RequestFacts,
  type RequestKind,
} from './compose-request.ts'
import type { EgressOptions } from './egress.ts'
import {
  createExchange,
  EXCHANGE_LIMITS,
  type Exchange,
  type ExchangeOptions,
  type ExchangeResponse,
  type OutgoingRequest,
} from './exchange.ts'
import { toAppError } from './exchange-failure.ts'
import {
  createReasonRedactor,
  createRedactor,
  processResponse,
  readPlainResponse,
} from './read-response.ts'
import { type AppRetryOptions, type BreakerOptions, createBreakers, retryRead } from './retry.ts'
import { type TokenSource, withTokens } from './token-source.ts'

export interface AppClientOptions
  extends EgressOptions,
    Partial<Omit<ExchangeOptions, keyof EgressOptions> & AppRetryOptions & BreakerOptions> {
  /** Sends the requests. Default: one with the options above. */
  readonly exchange?: Exchange
  /** The access tokens of credentials; undefined: no method with tokens is used. */
  readonly tokens?: TokenSource
  readonly log?: Log
  /** Receives each request: its HTTP status, or the problem of one without a usable response. */
  readonly onRequest?: OnAppRequest | undefined
}

/** Receives a request to an app and its duration, in milliseconds. */
export type OnAppRequest = (app: string, outcome: string, tookMs: number) => void

export interface AppClient {
  /**
   * Sends a request of a connector. Retries a read if the app is unavailable or limits the rate.
   * @throws AppError APP_AUTHENTICATION | APP_REFUSED | APP_RATE_LIMITED | APP_UNAVAILABLE | APP_ADDRESS
   */
  send(
    connector: Connector,
    credential: AppCredential,
    request: AppRequest,
    signal?: AbortSignal,
  ): Promise<AppResponse>
  /** Sends the check request of the connector once. @throws AppError as `send` does */
  check(connector: Connector, credential: AppCredential, signal: AbortSignal): Promise<AppResponse>
  /** Sends the request of a login once, without the credential's authentication. @throws AppError as `send` does */
  login(
    connector: Connector,
    credential: AppCredential,
    request: AppRequest,
    signal: AbortSignal,
  ): Promise<AppResponse>
  /**
   * Sends a request of a caller once and returns the response unchanged, whatever its status. It bypasses the
   * circuit breaker: such a request says nothing about the health of the app.
   * @throws AppError APP_AUTHENTICATION | APP_UNAVAILABLE | APP_ADDRESS
   */
  pass(connector: Connector, credential: AppCredential, request: AppRequest): Promise<AppResponse>
  /** Aborts requests in flight. */
  stop(): Promise<void>
}

const defaults = {
  ...EXCHANGE_LIMITS,
  maxRetries: 3,
  firstPauseMs: 250,
  maxPauseMs: 10_000,
  maxRetryAfterMs: 60_000,
  breakAfter: 10,
  halfOpenAfterMs: 10_000,
}

/** Without the path, which may contain ids, and without headers. The app receives no trace context. */
const spanOf = ({ app }: RequestFacts, { method, url }: OutgoingRequest): SpanOptions => ({
  name: `${method} ${app}`,
  kind: 'client',
  attributes: {
    'http.request.method': method,
    ...serverAttributes(url),
    'trunkline.app': app,
  },
})

/** Sends a request, and reads its response before the memory of its body is released. */
interface ExchangeSteps {
  readonly send: () => Promise<ExchangeResponse>
  readonly read: (response: ExchangeResponse) => AppResponse
}

/** Creates the client through which all requests to apps are sent. */
export const createAppClient = (options: AppClientOptions): AppClient => {
  const settings = { ...defaults, ...options }
  const { exchange = createExchange(settings), tokens } = options
  const breakerOf = createBreakers(settings)

  const perform = async (
    facts: RequestFacts,
    { send, read }: ExchangeSteps,
    span: Span | undefined,
  ): Promise<AppResponse> => {
    const startedMs = performance.now()
    const log = (outcome: number | string, problem?: string): void => {
      const tookMs = performance.now() - startedMs
      settings.onRequest?.(facts.app, problem ?? String(outcome), tookMs)
      settings.log?.debug(
        { ...facts, outcome, tookMs: Math.round(tookMs) },
        'sent a request to an app',
      )
    }
    try {
      const response = await send()
      log(response.status)
      span?.set({ 'http.response.status_code': response.status })
      try {
        return read(response)
      } finally {
        response.release()
      }
    } catch (error) {
      const classified = toAppError(error, facts) ?? error
      if (isAppError(classified) && classified !== error)
        log(classified.reason, 'problem' in classified ? classified.problem : classified.code)
      throw classified
    }
  }

  const exchangeOnce = (
    facts: RequestFacts,
    outgoing: OutgoingRequest,
    steps: ExchangeSteps,
  ): Promise<AppResponse> =>
    trace(
      () => spanOf(facts, outgoing),
      (span) => perform(facts, steps, span),
    )

  /** Sends a request once; the connector classifies the response. */
  const sendOnce = (
    connector: Connector,
    credential: AppCredential,
    request: AppRequest,
    signal?: AbortSignal,
    kind?: RequestKind,
  ): Promise<AppResponse> => {
    const facts = factsOf(connector, request)
    const composed = composeRequest(connector, credential, request, facts, kind)
    const { base, outgoing, secrets } = composed
    const redact = createReasonRedactor(secrets)
    return exchangeOnce(facts, outgoing, {
      send: () => breakerOf(base).execute(() => exchange.send(outgoing, signal)),
      read: (response) => processResponse(connector, response, facts, redact),
    })
  }

  const sendWithTokens = (
    connector: Connector,
    credential: AppCredential,
    request: AppRequest,
    signal?: AbortSignal,
  ): Promise<AppResponse> => {
    const facts = factsOf(connector, request)
    return withTokens(tokens, { connector, credential, facts, signal }, (filled) =>
      sendOnce(connector, filled, request, signal),
    )
  }

  const passOnce = async (
    connector: Connector,
    credential: AppCredential,
    request: AppRequest,
  ): Promise<AppResponse> => {
    const facts = factsOf(connector, request)
    const { outgoing, secrets } = composeRequest(connector, credential, request, facts)
    const redactText = createRedactor(secrets)
    return exchangeOnce(facts, outgoing, {
      send: () => exchange.send(outgoing),
      read: (response) => readPlainResponse(response, facts, redactText),
    })
  }

  return {
    check: async (connector, credential, signal) =>
      sendWithTokens(connector, credential, connector.check, signal),
    login: async (connector, credential, request, signal) =>
      sendOnce(connector, credential, request, signal, 'login'),
    pass: async (connector, credential, request) => {
      const facts = factsOf(connector, request)
      return withTokens(tokens, { connector, credential, facts, signal: undefined }, (filled) =>
        passOnce(connector, filled, request),
      )
    },
    send: async (connector, credential, request, signal) => {
      const once = () => sendWithTokens(connector, credential, request, signal)
      const isRead = request.method === 'GET' || request.read === true
      return isRead ? retryRead(once, settings, signal) : once()
    },
    stop: exchange.stop,
  }
}
