/** Vendure's Admin API: one operation, and what its answer holds. */
import type { AppRequest, AppResponse, Json, Steps } from '../../definition/connector.ts'

/** Below the shop's address (NOTES 1). */
export const ADMIN_API = '/admin-api'

export type Values = Readonly<Record<string, unknown>>

/** A value as an object; an empty one if it is none. */
export const valuesOf = (value: unknown): Values =>
  typeof value === 'object' && value !== null
    ? // An object read by key: what is not there is undefined.
      (value as Values)
    : {}

/** The entries of a list; none if it is no list. */
export const entriesOf = (list: unknown): readonly Values[] =>
  Array.isArray(list) ? list.map(valuesOf) : []

/** A query: Vendure takes every operation as a POST. */
export const query = (text: string, variables: { readonly [name: string]: Json }): AppRequest => ({
  method: 'POST',
  path: ADMIN_API,
  body: { query: text, variables },
  read: true,
})

/** The root fields of an answer. @throws Error if it has none */
export const rootFields = ({ body }: AppResponse): Values => {
  const { data } = valuesOf(body)
  if (typeof data !== 'object' || data === null)
    throw new Error('Vendure answered a query without data.')
  return valuesOf(data)
}

/** Asked of every mutation whose refusal stands in `data` (NOTES 9). */
export const OR_ERROR = '... on ErrorResult { errorCode message }'

const mutation = (text: string, variables: { readonly [name: string]: Json }): AppRequest => ({
  ...{ method: 'POST', path: ADMIN_API },
  body: { query: text, variables },
})

/** One mutation, and the value of its only root field. It is sent once: nothing is idempotent (NOTES 31). */
export function* act(text: string, variables: { readonly [name: string]: Json }): Steps<Values> {
  const [result] = Object.values(rootFields(yield mutation(text, variables)))
  return valuesOf(result)
}

/** Takes back what was done before a failure. The caller is to hear of that one, so a second is not told. */
export function* undo(text: string, variables: { readonly [name: string]: Json }): Steps<void> {
  try {
    yield { ...mutation(text, variables), undo: true }
  } catch {
    // What is left behind is what NOTES 34 and 37 say; the engine tells that something is.
  }
}
