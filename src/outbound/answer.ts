/** What an app's answer means: the judgement, apart from the I/O. */
import type { AppFailure, AppResponse, Connector } from '../definition/connector.ts'
import {
  AppAuthenticationError,
  type AppError,
  type AppErrorFacts,
  AppRateLimitedError,
  AppRefusedError,
  AppUnavailableError,
} from './app-error.ts'
import type { Answer } from './exchange.ts'
import { readRetryAfter } from './retry.ts'

const MAX_REASON_LENGTH = 300

/** Takes what must not be told out of an app's words, which may repeat what they refuse. */
export type Redact = (reason: string) => string

/** Takes secrets out of a text. @param secrets the values of a credential and the headers made of them */
export const createConceal = (secrets: readonly string[]): Redact => {
  // `Bearer abc`: the word and the token are told apart.
  const parts = new Set(secrets.flatMap((secret) => [secret, ...secret.split(/\s+/)]))
  // Shorter ones would take apart plain words, and no app gives out such tokens.
  const long = [...parts].filter((part) => part.length >= 6)
  return (text) => {
    let told = text
    for (const secret of long) told = told.replaceAll(secret, '[redacted]')
    return told
  }
}

/** Takes secrets out of an app's reason, and cuts it to a length that can be told. */
export const createRedact = (secrets: readonly string[]): Redact => {
  const conceal = createConceal(secrets)
  return (reason) => {
    const told = conceal(reason)
    return told.length > MAX_REASON_LENGTH ? `${told.slice(0, MAX_REASON_LENGTH)}…` : told
  }
}

/** An answer as the app gave it, whatever its status, but for the credential that it may repeat. */
export const plainAnswer = ({ status, headers, text }: Answer, conceal: Redact): AppResponse => {
  const told = conceal(text)
  const { body, malformed } = parse(told)
  return {
    status,
    headers: Object.fromEntries(
      Object.entries(headers).map(([name, value]) => [name, conceal(value)]),
    ),
    body: malformed ? told : body,
  }
}

/** What an answer means that the connector does not know as a failure. */
const failureByStatus = (status: number): AppFailure | undefined => {
  const reason = `it answered ${status}`
  if (status === 401) return { kind: 'authentication', reason }
  if (status === 429) return { kind: 'rate-limited', reason }
  if (status === 408 || status >= 500) return { kind: 'unavailable', reason }
  // The credential would travel to wherever the app points. 304 only says that nothing changed.
  if (status >= 300 && status < 400 && status !== 304)
    return { kind: 'refused', reason: `it answered ${status}, and redirects are not followed` }
  return status >= 400 ? { kind: 'refused', reason } : undefined
}

const toError = (
  failure: AppFailure,
  { headers }: AppResponse,
  facts: Omit<AppErrorFacts, 'reason'>,
  redact: Redact,
): AppError => {
  const told = { ...facts, reason: redact(failure.reason) }
  const retryAfterMs = failure.retryAfterMs ?? readRetryAfter(headers)
  switch (failure.kind) {
    case 'authentication':
      return new AppAuthenticationError(told)
    case 'refused':
    case 'conflict':
    case 'absent':
      return new AppRefusedError(told, failure.kind, failure.field)
    case 'rate-limited':
      return new AppRateLimitedError(told, retryAfterMs)
    case 'unavailable':
      return new AppUnavailableError(told, 'server', { retryAfterMs })
  }
}

const parse = (text: string): { readonly body: unknown; readonly malformed: boolean } => {
  if (text.trim() === '') return { body: undefined, malformed: false }
  try {
    return { body: JSON.parse(text), malformed: false }
  } catch {
    return { body: undefined, malformed: true }
  }
}

/** @throws AppError if the connector, or the bare status, calls the answer a failure */
export const processAnswer = (
  connector: Connector,
  { status, headers, text }: Answer,
  facts: Omit<AppErrorFacts, 'reason'>,
  redact: Redact,
): AppResponse => {
  const { body, malformed } = parse(text)
  const malformedError = () =>
    new AppUnavailableError({ ...facts, reason: 'the answer is not its JSON' }, 'malformed')
  // A failure may come as a proxy's page: its status still speaks.
  if (malformed && status < 300) throw malformedError()
  const response: AppResponse = { status, headers, body }
  let failure: AppFailure | undefined
  try {
    failure = connector.readFailure(response)
  } catch {
    // A body of another form than the app's failures have.
  }
  failure ??= failureByStatus(status)
  if (failure) throw toError(failure, response, facts, redact)
  return response
}
