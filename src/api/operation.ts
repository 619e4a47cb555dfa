/**
 * The operations beside those on records: each is said once, here, and served over REST and GraphQL.
 * The routes, the GraphQL fields, the OpenAPI document and the table of who may call what follow from it.
 */
import type { Field, Fields } from '../definition/field.ts'
import type { ValueOf } from '../definition/resource.ts'
import type { ErrorCode } from '../errors.ts'
import type { Caller } from './caller.ts'
import type { ApiContext } from './context.ts'

/** `key`: an API key of the integrator's backend · `user`: a token of one end user, in the frontend. */
export type CallerKind = Caller['kind']

/** The field, to be given always; in what is answered, there always and never null. */
export const required = <F extends Field>(field: F): F & { readonly required: true } => ({
  ...field,
  required: true,
})

/** The value of an input field: given where it is required. */
export type InputOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name]['required'] extends true ? Name : never]: NonNullable<
    ValueOf<F[Name]>
  >
} & {
  readonly [Name in keyof F as F[Name]['required'] extends true ? never : Name]?:
    | ValueOf<F[Name]>
    | undefined
}

/** For whom an operation is done. */
export interface CallContext extends ApiContext {
  readonly caller: Caller
}

/** What an operation is done for and with. */
export interface OperationContext extends CallContext {
  /** When an earlier try with the same Idempotency-Key began: what became of it is not known. */
  readonly brokenOffSince?: Date | undefined
  /** Takes what is to happen once all that was done is there for everybody to see; never, if it fails. */
  readonly afterwards: (effect: () => void) => void
}

export interface OperationDefinition<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends Fields = Fields,
> {
  /** camelCase: the GraphQL field and OpenAPI's operationId. A GET is a query, all else a mutation. */
  readonly name: string
  /** One sentence, for the reader of the API. */
  readonly doc: string
  /** The heading under which the documentation shows it. */
  readonly tag: string
  readonly rest: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
    /** With `:name` for each field of `path`. */
    readonly path: string
    /** REST answers with these fields of the result alone (the contract's `{ userId }`). */
    readonly shows?: readonly string[]
  }
  readonly callers: readonly CallerKind[]
  /** What GraphQL calls a query parameter, where that is another word there (`first`). */
  readonly argumentNames?: Readonly<Record<string, string>>
  /** The names in the path. */
  readonly path?: P
  /** The query parameters; arguments of their own in GraphQL. */
  readonly query?: Q
  /** The body; the argument `input` in GraphQL. */
  readonly body?: B
  readonly answer: {
    /** The key around the result in REST; undefined: the result is the body. */
    readonly key?: string
    /** A list or object of a shape, or a single value. GraphQL answers with it as it is. */
    readonly value: Field
  }
  /** What it does is not in our database alone, and cannot be there together with its kept answer. */
  readonly reachesOut?: true
  /** What it can fail with beside what every operation can. */
  readonly errors?: readonly ErrorCode[]
  /** An example of each given name and of the result, for the documentation. */
  readonly example: {
    readonly given: Readonly<Record<string, unknown>>
    readonly result: unknown
  }
  /**
   * What others are asked before anything is done here: outside of the transaction of `run`, and not for
   * an answer that is given again. @throws ApiError, and then nothing is done
   */
  check?(context: CallContext, given: InputOf<P> & InputOf<Q> & InputOf<B>): Promise<void>
  /** @throws ApiError */
  run(context: OperationContext, given: InputOf<P> & InputOf<Q> & InputOf<B>): Promise<unknown>
}

/** The place of an input field. */
export const inputPlaces = ['path', 'query', 'body'] as const
export type InputPlace = (typeof inputPlaces)[number]

// Each operation reads its own input, and is handed no other's.
// biome-ignore lint/suspicious/noExplicitAny: a list of operations of different inputs
export type Operation = OperationDefinition<any, any, any>

/** Says an operation; its `run` is given what `path`, `query` and `body` say. */
export const defineOperation = <
  const P extends Fields = Record<never, never>,
  const Q extends Fields = Record<never, never>,
  const B extends Fields = Record<never, never>,
>(
  operation: OperationDefinition<P, Q, B>,
): OperationDefinition<P, Q, B> => operation

/** The input fields of one place, perhaps none. */
export const fieldsAt = (operation: Operation, place: InputPlace): Fields => operation[place] ?? {}

/** The name of a field as an argument in GraphQL. */
export const argumentName = ({ argumentNames }: Operation, name: string): string =>
  argumentNames?.[name] ?? name

/** Whether every caller must give a field: the token of an end user stands for its own `userId`. */
export const isMandatory = ({ callers }: Operation, name: string, field: Field): boolean =>
  field.required && !(name === 'userId' && callers.includes('user'))

/** Whether it changes nothing: a query in GraphQL. */
export const isRead = ({ rest }: Operation): boolean => rest.method === 'GET'
