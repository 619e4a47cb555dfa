/** Parts shared by the routes: versions, parameters, scopes and pages. */
import type { Account } from '../engine/accounts.ts'
import { type Cursors, pageAfter } from '../engine/pages.ts'
import {
  type Call,
  type Parameter,
  RefusalError,
  type Reply,
  type Route,
} from '../engine/profile.ts'
import { checkOf } from './contract.ts'
import { validationError, withErrors } from './errors.ts'
import type { ObjectType } from './object-types.ts'
import { objectTypeNamed, type Portal } from './portal.ts'

/** The versions of the API, which are alike here. */
export const VERSIONS = ['2026-03', '2026-09']

export type PortalOf = (account: Account) => Portal

export const FLAG: Parameter = { accepts: (value) => value === 'true' || value === 'false' }
/** A comma-separated list, or the parameter several times. */
export const NAMES: Parameter = { repeats: true }

export const limitUpTo = (max: number): Parameter => ({
  accepts: (value) => /^[1-9]\d{0,3}$/.test(value) && Number(value) <= max,
})

export const parseNames = (text: string | undefined): readonly string[] | undefined =>
  text
    ?.split(',')
    .map((name) => name.trim())
    .filter(Boolean)

/** A JSON body that fits a schema of the contract. */
export const jsonBody = (name: string): NonNullable<Route['body']> => ({
  mediaTypes: ['application/json'],
  check: () => checkOf(name),
})

/** @throws RefusalError unless one of these scopes was granted */
export const requireScope = ({ scopes }: Call, needed: readonly string[]): void => {
  if (!needed.some((scope) => scopes.includes(scope)))
    throw new RefusalError({ reason: 'missing-scope', scopes: needed })
}

export type Access = 'read' | 'write'

/**
 * The type that a variable of the path names, if the token allows this access to it.
 * @throws RefusalError if the scope is missing or the API only reads these records
 */
export const requireType = (call: Call, access: Access, variable = 'objectType'): ObjectType => {
  const type = objectTypeNamed(call.path[variable] ?? '')
  const { readScopes, writeScopes } = type
  if (access === 'write' && writeScopes.length === 0)
    throw new RefusalError({ reason: 'unknown-method', allowed: ['GET'] })
  requireScope(call, access === 'read' ? readScopes : writeScopes)
  return type
}

export interface PortalCall {
  readonly portal: Portal
  readonly call: Call
}

/** A route without the prefix and version of its path. */
export interface Endpoint extends Pick<Route, 'method' | 'parameters' | 'body' | 'scopes'> {
  /** After the version: `/{objectType}/search`. */
  readonly path: string
  readonly respond: (portalCall: PortalCall) => Reply
  /** The name of a schema of the contract. */
  readonly response: string
}

/** The routes of endpoints under a prefix, `/crm/objects`, in each version. */
export const routesOf = (
  portalOf: PortalOf,
  prefix: string,
  endpoints: readonly Endpoint[],
): readonly Route[] =>
  VERSIONS.flatMap((version) =>
    endpoints.map(({ path, respond, response, ...rest }) => ({
      ...rest,
      path: `${prefix}/${version}${path}`,
      respond: withErrors((call) => respond({ portal: portalOf(call.account), call })),
      response: checkOf(response),
    })),
  )

/**
 * The page after a cursor of a list that is in the order of numeric ids.
 * @throws ApiError if the cursor was not issued for this list
 */
export const pageOf = <T extends { readonly id: string }>(
  cursors: Cursors,
  scope: string,
  list: readonly T[],
  { after, limit }: { readonly after: string | undefined; readonly limit: number },
): { readonly page: readonly T[]; readonly paging: object } => {
  const position = after === undefined ? 0 : cursors.decode(scope, after)
  if (position === undefined)
    throw validationError(`The cursor is not valid: ${after}`, { after: ['after'] })
  const { page, hasMore } = pageAfter(list, ({ id }) => Number(id) > Number(position), limit)
  const last = page.at(-1)?.id
  const next = hasMore && last !== undefined ? cursors.encode(scope, Number(last)) : undefined
  return { page, paging: next === undefined ? {} : { paging: { next: { after: next } } } }
}
