/** Failures that a GraphQL API reports in `errors`, in `data`, or by the HTTP status. */
import type { AppFailure } from './connector.ts'
import { entriesOf, textsAt, type Values, valuesOf } from './raw-values.ts'
import type { AppRequest, AppResponse } from './steps.ts'

/** The first entry of `errors`. */
export interface GraphqlError {
  /** `extensions.code`; undefined if there is none. */
  readonly code: string | undefined
  /** The root field that failed; empty if the error names none. */
  readonly root: string
  readonly message: string
}

/** The text between the first `before` and the next `after`; empty if there is none. */
const textBetween = (text: string, before: string, after: string): string => {
  const at = text.indexOf(before)
  const end = at < 0 ? -1 : text.indexOf(after, at + before.length)
  return end < 0 ? '' : text.slice(at + before.length, end)
}

const VARIABLE = 'Variable "$'

/**
 * The reason and the field in a message of graphql-js, which repeats the whole input before them:
 * `Variable "$input" got invalid value {…} at "input.lines[0]"; Field "quantity" …`.
 */
const readVariableError = (message: string): { reason: string; field: string } => {
  const variable = textBetween(message, VARIABLE, '"')
  const path = textBetween(message, ` at "${variable}`, '";')
  const name = textBetween(message, '; Field "', '"')
  const steps = `${path.replaceAll(/\[(\d{1,9})\]/g, '.$1')}.${name}`.split('.').filter(Boolean)
  return { reason: message.slice(message.lastIndexOf('; ') + 1).trim(), field: steps.join('.') }
}

/** The kind of failure of an error, or a function for a code that has several meanings. */
type KindOf =
  | AppFailure['kind']
  | ((error: GraphqlError, request: AppRequest) => AppFailure['kind'])

/** What the codes of `errors` mean. */
export interface GraphqlCodes {
  readonly kinds: Readonly<Record<string, KindOf>>
  /** The kind of an error with another code, or without one, unless the status is 401 or 429. */
  readonly otherwise: AppFailure['kind']
  /** By code, what the reason says in addition to the app's message. */
  readonly hints: Readonly<Record<string, string>>
  /** The failure in `data`, such as user errors. @param results the values of the root fields */
  inResults?(results: readonly unknown[]): AppFailure | undefined
  /** By HTTP status, the failure of a response whose `errors`, if it has any, have no code of `kinds`. */
  readonly statuses?: Readonly<
    Record<number, AppFailure | ((body: Values) => AppFailure | undefined)>
  >
}

/** The value of a code. An app may send any text as a code, also `constructor`. */
const own = <Value>(values: Readonly<Record<string, Value>>, code = ''): Value | undefined =>
  Object.hasOwn(values, code) ? values[code] : undefined

/** The kind of an error whose code is not declared, if the status of the response has a meaning of its own. */
const KINDS_OF_STATUS: Readonly<Record<number, AppFailure['kind']>> = {
  401: 'authentication',
  429: 'rate-limited',
}

/** Creates the reader of the failure of a response; undefined if only the usual meaning of its status decides. */
export const graphqlFailures =
  ({ kinds, otherwise, hints, inResults, statuses = {} }: GraphqlCodes) =>
  ({ status, body }: AppResponse, request: AppRequest): AppFailure | undefined => {
    const values = valuesOf(body)
    const [error] = entriesOf(values.errors)
    const [code] = textsAt(error, 'extensions.code')
    const declared = own(kinds, code)
    const ofStatus = declared ? undefined : statuses[status]
    const failure = typeof ofStatus === 'function' ? ofStatus(values) : ofStatus
    if (failure) return failure
    if (!error) return inResults?.(Object.values(valuesOf(values.data)))
    const message =
      typeof error.message === 'string' && error.message !== '' ? error.message : 'no message'
    const root = Array.isArray(error.path) ? String(error.path[0]) : ''
    const { reason, field } = message.startsWith(VARIABLE)
      ? readVariableError(message)
      : { reason: message, field: '' }
    const kind = declared ?? KINDS_OF_STATUS[status] ?? otherwise
    const hint = own(hints, code)
    return {
      kind: typeof kind === 'function' ? kind({ code, root, message }, request) : kind,
      reason: `${code === undefined ? '' : `${code}: `}${reason}${hint ? ` (${hint})` : ''}`,
      ...(field !== '' && { field }),
    }
  }
