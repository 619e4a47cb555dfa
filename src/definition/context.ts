/**
 * The context of an account: values of the app that requests, mappings and writes need and that rarely change, such as
 * the currency, the precision of amounts, the fields of its records, or the version of its API. The engine reads it before
 * the first listing and then daily, stores it with the credential, and passes it to everything that the connector declares.
 */
import type { Json } from './json.ts'
import type { Steps } from './steps.ts'

/** How the context of an account is read. */
export interface ContextDefinition {
  /**
   * From 1. Increase it when later code needs another form: a stored context of another version is not used, but read
   * again.
   */
  readonly version: number
  /**
   * Reads the context: at most 256 KiB of JSON, without secrets. If the result differs from the stored one, every
   * resource is listed in full, so leave out what changes often, and sort lists that have no order.
   * @throws Error if a response lacks a value
   */
  read(): Steps<Json>
}

/** A context with a type. */
export interface TypedContext<Context> extends ContextDefinition {
  /**
   * The context with its type, where the engine passes it.
   * @throws TypeError if there is none: the value is not that of the definition
   */
  of(context: unknown): Context
}

/** Defines the context of an account. The type of its JSON is that of the steps' result. */
export const defineContext = <Context extends Json>(definition: {
  readonly version: number
  read(): Steps<Context>
}): TypedContext<Context> => ({
  ...definition,
  of: (context) => {
    if (context === undefined) throw new TypeError('The context of the account is missing.')
    // Safe: the engine passes only what `read` of this version has returned.
    return context as Context
  },
})

/** Checks the context of a connector. @throws TypeError that names the app */
export const checkContext = (app: string, { version }: ContextDefinition): void => {
  if (Number.isInteger(version) && version >= 1 && version <= 2 ** 31 - 1) return
  throw new TypeError(`The context of ${app}: its version must be an integer, 1 or more.`)
}
