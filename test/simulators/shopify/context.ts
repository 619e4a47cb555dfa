/** The context of resolvers, and the form of mutation results. */
import type { DocumentNode, ExecutionResult } from 'graphql'
import type { OAuthClient } from '../engine/oauth/policy.ts'
import type { Webhooks } from '../engine/webhooks.ts'
import { UserErrors } from './errors.ts'
import type { Shop } from './shop.ts'

export interface Context {
  readonly shop: Shop
  readonly client: OAuthClient
  readonly webhooks: Webhooks
  readonly scopes: readonly string[]
  /** The origin of the simulator, for addresses in responses. */
  readonly origin: string
  /** Whether a bulk operation executes: connections have all their records. */
  readonly isBulk: boolean
  /** Executes the query of a bulk operation. */
  executeBulk(document: DocumentNode): ExecutionResult
}

/** The resolver of a field. graphql-js passes the value of the parent and arguments that fit the contract. */
export type Resolver = (source: never, args: never, context: Context) => unknown

/** Resolvers by type and field. A field without one is read from the value of its parent. */
export type Resolvers = Readonly<Record<string, Readonly<Record<string, Resolver>>>>

/** A mutation with all its effects, or none of them and user errors. */
export const mutation =
  <Arguments>(work: (args: Arguments, context: Context) => object) =>
  (_: unknown, args: Arguments, context: Context): object => {
    const respond = (errors: UserErrors['errors'], payload: object) => ({
      shop: {},
      userErrors: errors,
      orderCancelUserErrors: errors,
      ...payload,
    })
    try {
      return respond(
        [],
        context.shop.account.store.transaction(() => work(args, context)),
      )
    } catch (error) {
      if (error instanceof UserErrors) return respond(error.errors, {})
      throw error
    }
  }
