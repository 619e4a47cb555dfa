/** The client for apps: authenticates requests, limits them, classifies responses and retries reads. */

import type { AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import type { LineFile } from '../definition/line-file.ts'
import { factsOf } from './app-error.ts'
import { type AppCredential, composeRequest, type RequestKind } from './compose-request.ts'
import type { EgressOptions } from './egress.ts'
import {
  createExchange,
  EXCHANGE_LIMITS,
  type Exchange,
  type ExchangeOptions,
  type ExchangeResponse,
} from './exchange.ts'
import { composeFileRequest, readFilePart } from './fetch-file.ts'
import { createRequestLogger, type RequestLogOptions } from './log-request.ts'
import { createPerformer, type PerformerOptions } from './perform.ts'
import {
  checkResponse,
  createReasonRedactor,
  createRedactor,
  parseResponse,
  readPlainResponse,
  readRateLimit,
} from './read-response.ts'
import {
  type BudgetedRequest,
  type BudgetedSend,
  type BudgetOptions,
  type BudgetUse,
  createRequestBudgets,
  maxWaitMs,
  type ObservedRequest,
} from './request-budget.ts'
import { type AppRetryOptions, type BreakerOptions, createBreakers, retryRead } from './retry.ts'
import { type TokenSource, withTokens } from './token-source.ts'

export interface AppClientOptions
  extends EgressOptions,
    PerformerOptions,
    Partial<Omit<ExchangeOptions, keyof EgressOptions> & AppRetryOptions & BreakerOptions> {
  /** Sends the requests. Default: one with the options above. */
  readonly exchange?: Exchange
  /** The access tokens of credentials; undefined: no method with tokens is used. */
  readonly tokens?: TokenSource
  /** The budgets of requests; undefined: requests are not counted. */
  readonly budgets?: BudgetOptions
  /** Receives the requests of stored credentials; undefined: they are not logged. */
  readonly requestLog?: RequestLogOptions | undefined
}

export interface AppClient {
  /**
   * The same client for requests of a stored credential, which count towards the limits of its app. While the
   * budget does not allow a request, it waits up to 5 s (a write) or up to 2 s at a time and 10 s in all, then fails
   * with APP_RATE_LIMITED.
   */
  spending(use: BudgetUse): AppClient
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

const UNOBSERVED: ObservedRequest = { onResponse: () => {}, onRateLimit: () => {} }

/** Creates the client through which all requests to apps are sent. */
export const createAppClient = (options: AppClientOptions): AppClient => {
  const settings = { ...defaults, ...options }
  const { exchange = createExchange(settings), tokens } = options
  const perform = createPerformer(settings)
  const logRequest = createRequestLogger(options.requestLog)
  const breakerOf = createBreakers(settings)
  const budgets = options.budgets && createRequestBudgets(options.budgets)

  /** The budget of a request; without one, it is sent at once. */
  const budgetOf = (
    use: BudgetUse | undefined,
    request: Omit<BudgetedRequest, 'use'>,
  ): BudgetedSend => (budgets && use ? budgets({ ...request, use }) : (send) => send(UNOBSERVED))

  const clientFor = (use: BudgetUse | undefined): AppClient => {
    const retries = { ...settings, ...(budgets && use && { maxRateLimitMs: maxWaitMs(use) }) }

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
      const read = (response: ExchangeResponse, observed: ObservedRequest): AppResponse => {
        const parsed = parseResponse(response, facts, request.expect)
        observed.onResponse(parsed)
        return checkResponse({ connector, request, facts, redact }, parsed)
      }
      return budgetOf(use, { connector, credential, request, facts, signal })((observed) =>
        logRequest({ credential, use, request, composed, kind }, (onResponse) =>
          perform(facts, outgoing, {
            send: () => breakerOf(base).execute(() => exchange.send(outgoing, signal)),
            read: (response) => read(onResponse(response), observed),
          }),
        ),
      )
    }

    const passOnce = (
      connector: Connector,
      credential: AppCredential,
      request: AppRequest,
    ): Promise<AppResponse> => {
      const facts = factsOf(connector, request)
      const composed = composeRequest(connector, credential, request, facts)
      const { outgoing, secrets } = composed
      const redactText = createRedactor(secrets)
      const read = (response: ExchangeResponse, observed: ObservedRequest): AppResponse => {
        const plain = readPlainResponse(response, facts, redactText)
        observed.onResponse(plain)
        const limited = readRateLimit(connector, plain, request)
        if (limited) observed.onRateLimit(limited)
        return plain
      }
      return budgetOf(use, { connector, credential, request, facts })((observed) =>
        logRequest({ credential, use, request, composed }, (onResponse) =>
          perform(facts, outgoing, {
            send: () => exchange.send(outgoing),
            read: (response) => read(onResponse(response), observed),
          }),
        ),
      )
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

    /** Fetches a part of a file: its host counts no requests of the app and must not receive the credential. */
    const fetchFile = (
      connector: Connector,
      credential: AppCredential,
      { request, file }: { readonly request: AppRequest; readonly file: LineFile },
      signal?: AbortSignal,
    ): Promise<AppResponse> => {
      const facts = { ...factsOf(connector, request), request: 'GET a file' }
      const outgoing = composeFileRequest(facts, file, settings.allowPrivateAddresses)
      const { origin, pathname, search } = outgoing.url
      const composed = { outgoing, base: origin, secrets: [search.slice(1)] }
      const logged = { ...request, path: pathname }
      return logRequest({ credential, use, request: logged, composed }, (onResponse) =>
        perform(facts, outgoing, {
          send: () => breakerOf(origin).execute(() => exchange.send(outgoing, signal)),
          read: (response) => readFilePart(onResponse(response), facts, file),
        }),
      )
    }

    return {
      spending: clientFor,
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
        const { file } = request
        const once = () =>
          file
            ? fetchFile(connector, credential, { request, file }, signal)
            : sendWithTokens(connector, credential, request, signal)
        const isRead = request.method === 'GET' || request.read === true
        return isRead ? retryRead(once, retries, signal) : once()
      },
      stop: exchange.stop,
    }
  }
  return clientFor(undefined)
}
