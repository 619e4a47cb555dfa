/** Failures that a GraphQL API reports in `errors`. */
import type { AppFailure } from './connector.ts'
import { entriesOf, valuesOf } from './raw-values.ts'
import type { AppResponse } from './steps.ts'

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

/**
 * The failure that `errors` reports; undefined if there is none.
 * @param kindOf the kind of failure of an error. Undefined: `unavailable`
 * @param hints by code, what the reason says in addition to the app's message
 */
export const graphqlFailure = (
  { body }: AppResponse,
  kindOf: (error: GraphqlError) => AppFailure['kind'] | undefined,
  hints: Readonly<Record<string, string>> = {},
): AppFailure | undefined => {
  const [error] = entriesOf(valuesOf(body).errors)
  if (!error) return
  const { code } = valuesOf(error.extensions)
  const message =
    typeof error.message === 'string' && error.message !== '' ? error.message : 'no message'
  const root = Array.isArray(error.path) ? String(error.path[0]) : ''
  const facts = { code: typeof code === 'string' ? code : undefined, root, message }
  const { reason, field } = message.startsWith(VARIABLE)
    ? readVariableError(message)
    : { reason: message, field: '' }
  const hint = hints[facts.code ?? '']
  return {
    kind: kindOf(facts) ?? 'unavailable',
    reason: `${facts.code === undefined ? '' : `${facts.code}: `}${reason}${hint ? ` (${hint})` : ''}`,
    ...(field !== '' && { field }),
  }
}
