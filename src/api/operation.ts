/**
 * The definition of an operation that is not a record operation. The REST route, the GraphQL field, the
 * OpenAPI document and the access table are derived from it.
 */
import type { Field, Fields, Shape } from '../definition/field.ts'
import type { ValueOf } from '../definition/kinds/kind.ts'
import type { ErrorCode } from '../errors.ts'
import type { ForwardPage, Listed } from '../query/listed.ts'
import type { Caller } from './auth/caller.ts'
import type { ApiContext } from './context.ts'

/** The kind of a caller. `key`: the integrator's backend with an API key · `user`: a frontend with a user token. */
export type CallerKind = Caller['kind']

/** Marks a field as required: callers must send it, and responses always contain it, never null. */
export const required = <F extends Field>(field: F): F & { readonly required: true } => ({
  ...field,
  required: true,
})

/** The input type of a set of fields: required fields are non-null, the others are optional. */
export type InputOf<F extends Fields> = {
  readonly [Name in keyof F as F[Name]['required'] extends true ? Name : never]: NonNullable<
    ValueOf<F[Name]>
  >
} & {
  readonly [Name in keyof F as F[Name]['required'] extends true ? never : Name]?:
    | ValueOf<F[Name]>
    | undefined
}

/** The API context with the authenticated caller. */
export interface CallContext extends ApiContext {
  readonly caller: Caller
}

/** The context of an operation. */
export interface OperationContext<Checked = unknown> extends CallContext {
  /** What the operation's `check` returned. */
  readonly checked?: Checked
  /** Start of an earlier attempt with the same Idempotency-Key whose outcome is unknown. */
  readonly interruptedSince?: Date | undefined
  /** Registers an effect that runs after the changes are committed, and never if the operation fails. */
  readonly onCommit: (effect: () => void) => void
}

/** A list that GraphQL returns as a connection: with `first` and `after` in place of REST's page parameters. */
export interface ListDefinition<P extends Fields = Fields, Q extends Fields = Fields> {
  /** The shape of an entry. */
  readonly entry: Shape
  /** The description of the argument `after`, if it accepts more than the cursors of entries. */
  readonly after?: string
  /** Reads a page. @throws ApiError */
  read(
    context: CallContext,
    input: InputOf<P> & InputOf<Q>,
    page: ForwardPage,
  ): Promise<Listed<unknown>>
}

export interface OperationDefinition<
  P extends Fields = Fields,
  Q extends Fields = Fields,
  B extends Fields = Fields,
  Checked = unknown,
> {
  /** camelCase: the GraphQL field and OpenAPI's operationId. A GET is a query, any other method a mutation. */
  readonly name: string
  /** The GraphQL mutation of a GET that creates or returns a secret, such as `createUserToken`. It is not a query. */
  readonly mutation?: string
  /** The title in the API documentation: a verb phrase, such as `Create a webhook subscription`. */
  readonly summary: string
  /** What the operation does, in sentences, for the API documentation. */
  readonly doc: string
  /** The heading of the operation in the documentation. */
  readonly tag: string
  readonly rest: {
    readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
    /** URL pattern, with `:name` for each field of `path`. */
    readonly path: string
    /** The only fields of the result that REST returns, where the contract has fewer (`{ userId }`). */
    readonly shows?: readonly string[]
  }
  readonly callers: readonly CallerKind[]
  /** Path parameters. */
  readonly path?: P
  /** Query parameters; each is an argument in GraphQL. */
  readonly query?: Q
  /** Body fields; the argument `input` in GraphQL. */
  readonly body?: B
  readonly response: {
    /** The key that wraps the result in REST; undefined: the result is the body. */
    readonly key?: string
    /** The field of the GraphQL payload that holds the result of a mutation. Default: `key`. */
    readonly payloadField?: string
    /** The result: a list, an object or a single value. A GraphQL query returns it without the key. */
    readonly value: Field
  }
  /**
   * How GraphQL reads a list of any length, as a connection. Absent: a result that is a list of objects is read whole,
   * and GraphQL returns a part of it.
   */
  readonly connection?: ListDefinition<P, Q>
  /** The operation calls an app, so its effects cannot commit in one transaction with its stored response. */
  readonly hasExternalEffects?: true
  /** Error codes in addition to those that every operation can return. */
  readonly errors?: readonly ErrorCode[]
  /** An example input and result for the documentation. */
  readonly example: {
    readonly input: Readonly<Record<string, unknown>>
    readonly result: unknown
  }
  /**
   * Validates with calls to other systems before `run`: outside its transaction, and not when a stored
   * response is replayed. `run` receives the result. @throws ApiError, and `run` is not called
   */
  check?(context: CallContext, input: InputOf<P> & InputOf<Q> & InputOf<B>): Promise<Checked>
  /** @throws ApiError */
  run(
    context: OperationContext<Checked>,
    input: InputOf<P> & InputOf<Q> & InputOf<B>,
  ): Promise<unknown>
}

/** The parts of a request that can hold input fields. */
export const inputLocations = ['path', 'query', 'body'] as const
export type InputLocation = (typeof inputLocations)[number]

// A list holds operations of different input types; each receives only its own.
// biome-ignore lint/suspicious/noExplicitAny: a list of operations of different inputs
export type Operation = OperationDefinition<any, any, any, any>

/** Defines an operation; the fields of `path`, `query` and `body` type the input of `run`. */
export const defineOperation = <
  const P extends Fields = Record<never, never>,
  const Q extends Fields = Record<never, never>,
  const B extends Fields = Record<never, never>,
  Checked = unknown,
>(
  operation: OperationDefinition<P, Q, B, Checked>,
): OperationDefinition<P, Q, B, Checked> => operation

// A constant: input schemas are cached by the identity of their fields.
const noFields: Fields = {}

/** The input fields in one part of the request; empty if the operation has none there. */
export const fieldsAt = (operation: Operation, location: InputLocation): Fields =>
  operation[location] ?? noFields

/** The page parameters of REST; GraphQL has `first` and `after`. */
const PAGE_PARAMETERS = ['pageNumber', 'pageSize', 'cursor', 'after']

/** The entry of the list that GraphQL returns as a connection; undefined: the operation returns no list. */
export const entryOf = ({ connection, rest, response }: Operation): Shape | undefined => {
  if (connection) return connection.entry
  const { isList, shape } = response.value.kind
  return rest.method === 'GET' && isList ? shape : undefined
}

/** The fields that are arguments in GraphQL, next to `input` and those of connections. */
export const argumentsOf = (operation: Operation): Fields => {
  const fields = { ...fieldsAt(operation, 'path'), ...fieldsAt(operation, 'query') }
  if (entryOf(operation) === undefined) return fields
  return Object.fromEntries(
    Object.entries(fields).filter(([name]) => !PAGE_PARAMETERS.includes(name)),
  )
}

/** Whether every caller must send a field. `userId` is optional where a user token can supply it. */
export const isMandatory = ({ callers }: Operation, name: string, field: Field): boolean =>
  field.required && !(name === 'userId' && callers.includes('user'))

/** Whether the operation is a GET: it takes no Idempotency-Key over REST. */
export const isRead = ({ rest }: Operation): boolean => rest.method === 'GET'

/** Whether the operation is a query in GraphQL; otherwise it is a mutation. */
export const isQuery = (operation: Operation): boolean =>
  isRead(operation) && operation.mutation === undefined

/** The name of the GraphQL field. */
export const graphqlName = ({ name, mutation = name }: Operation): string => mutation

/** The field of a mutation's payload that holds the result. @throws TypeError if the definition names none */
export const payloadField = ({
  name,
  response: { key, payloadField = key },
}: Operation): string => {
  if (payloadField !== undefined && payloadField !== 'data') return payloadField
  throw new TypeError(`${name}: response.payloadField is missing.`)
}
