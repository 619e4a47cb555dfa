/** Vendure's Admin API: one operation, and what its answer holds. */
import type { AppRequest, AppResponse, Json } from '../../definition/connector.ts'

/** Below the shop's address (NOTES 1). */
export const ADMIN_API = '/admin-api'

export type Values = Readonly<Record<string, unknown>>

/** A value as an object; an empty one if it is none. */
export const valuesOf = (value: unknown): Values =>
  typeof value === 'object' && value !== null
    ? // An object read by key: what is not there is undefined.
      (value as Values)
    : {}

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
