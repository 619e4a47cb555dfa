/** The failures of the API (NOTES "errors"). */
import type { AppFailure, AppRequest, AppResponse } from '../../definition/connector.ts'
import { entriesOf, valuesOf } from '../../definition/raw-values.ts'

/** A 429 has no Retry-After. */
const THROTTLED_MS = 60_000

/** The company's plan lacks a feature. Any other 403, and 120: the user or the app may no longer open the company. */
const PLAN = ['5020', '5030']

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const NO_ERROR = { code: '', message: '', detail: '', element: '' }

/** The first error of a response; some, such as those of tokens, have lower-case names. */
const errorIn = (body: unknown): typeof NO_ERROR | undefined => {
  const { Fault, fault } = valuesOf(body)
  const { Error: upper, error } = valuesOf(Fault ?? fault)
  const [first] = entriesOf(upper ?? error)
  return (
    first && {
      code: textOf(first.code),
      message: textOf(first.Message ?? first.message),
      detail: textOf(first.Detail ?? first.detail),
      element: textOf(first.element),
    }
  )
}

/** The places of references that errors name without the object that contains them. */
const PLACES: Readonly<Record<string, string>> = {
  ItemRef: 'Line',
  AccountRef: 'Line',
  TaxCodeRef: 'Line',
  BankAccountRef: 'CheckPayment.BankAccountRef',
  CCAccountRef: 'CreditCardPayment.CCAccountRef',
}

/** The field that an error names, as a path of the request: references have a `value`. */
const fieldOf = (
  code: string,
  element: string,
  detail: string,
  path: string,
): string | undefined => {
  const isName = path.startsWith('/customer') || path.startsWith('/vendor')
  // The error of a name that exists already names no element.
  const unnamed = code === '6240' ? (isName ? 'DisplayName' : 'Name') : undefined
  const [, missing] = /^Required parameter (\S{1,100}) is missing/.exec(detail) ?? []
  const named = element || missing || unnamed
  const name = PLACES[named ?? ''] ?? named
  return name?.endsWith('Ref') ? `${name}.value` : name
}

/** The failure of a response; undefined if it has none, or if only the HTTP status decides. */
export const readFailure = (
  { status, headers, body }: AppResponse,
  { path }: AppRequest,
): AppFailure | undefined => {
  const error = errorIn(body)
  if (status < 400 && !error) return
  const { code, message, detail, element } = error ?? NO_ERROR
  const reason = [message, detail].filter((text) => text !== '').join(': ') || `status ${status}`
  if (status === 429 || Number(code) === 3001)
    return {
      kind: 'rate-limited',
      reason,
      ...(headers['retry-after'] === undefined && { retryAfterMs: THROTTLED_MS }),
    }
  if (status >= 500 || status === 408) return
  if (status === 401 || (status === 403 && !PLAN.includes(code)) || code === '120')
    return { kind: 'authentication', reason }
  if (code === '5010') return { kind: 'conflict', reason }
  // An inactive record that a write refers to has the same code.
  if (code === '610' && !reason.includes('made inactive')) return { kind: 'absent', reason }
  if (path.startsWith('/cdc') && reason.includes('changedSince')) return { kind: 'expired', reason }
  const field = fieldOf(code, element, detail, path)
  return { kind: 'refused', reason, ...(field !== undefined && { field }) }
}
