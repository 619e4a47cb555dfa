/** Runs operations for REST and GraphQL: checks the caller, validates the input, calls `run`. */
import { ApiError } from '../errors.ts'
import { type Input, readInput } from '../query/input.ts'
import { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE, parseWhole } from '../query/list-request.ts'
import { type Listed, pageOf } from '../query/listed.ts'
import { type Caller, noUser, type UserCaller } from './auth/caller.ts'
import {
  type CallContext,
  type CallerKind,
  fieldsAt,
  type InputLocation,
  inputLocations,
  type Operation,
  type OperationContext,
} from './operation.ts'

/** The unvalidated input of a request, by the part of the request. */
export type RawInput = Readonly<Partial<Record<InputLocation, unknown>>>

/** The values with `userId` filled in from the user token. @throws USER_NOT_FOUND for another user's id */
const asUser = ({ userId }: UserCaller, input: unknown): unknown => {
  // Validation rejects a value that is not an object.
  if (input !== undefined && (typeof input !== 'object' || input === null)) return input
  const values = { ...input } as Readonly<Record<string, unknown>>
  const requestedId = values.userId ?? userId
  // Another end user's id is reported like an unknown one, so that ids cannot be probed.
  if (typeof requestedId === 'string' && requestedId.toLowerCase() !== userId) throw noUser()
  return { ...values, userId: requestedId }
}

/** @throws INVALID_PARAMETER, USER_NOT_FOUND */
const parseInput = (operation: Operation, { caller }: CallContext, raw: RawInput): Input => {
  const parts = inputLocations.map((location): Input => {
    const fields = fieldsAt(operation, location)
    const values = raw[location] ?? (operation[location] === undefined ? {} : undefined)
    const isOfUser = caller.kind === 'user' && 'userId' in fields
    return readInput(fields, isOfUser ? asUser(caller, values) : values)
  })
  return Object.assign({}, ...parts)
}

/** @throws FORBIDDEN for a caller of another kind */
export const checkCaller = (callers: readonly CallerKind[], { kind }: Caller): void => {
  if (!callers.includes(kind))
    throw new ApiError('FORBIDDEN', 'A user token cannot call this operation. Use an API key.')
}

/** @throws FORBIDDEN, INVALID_PARAMETER, USER_NOT_FOUND */
const authorize = (operation: Operation, context: CallContext, raw: RawInput): Input => {
  checkCaller(operation.callers, context.caller)
  return parseInput(operation, context, raw)
}

/** Runs the `check` of an operation, if it has one. @returns what `run` receives as `checked`. @throws as `runOperation` does */
export const checkOperation = async (
  operation: Operation,
  context: CallContext,
  raw: RawInput,
): Promise<unknown> => {
  // The input type is derived from the same fields that validated it.
  return operation.check?.(context, authorize(operation, context, raw) as never)
}

/**
 * Runs an operation for a caller. REST and GraphQL format the result.
 * @throws FORBIDDEN, INVALID_PARAMETER, USER_NOT_FOUND, and what the operation itself throws
 */
export const runOperation = async (
  operation: Operation,
  context: OperationContext,
  raw: RawInput,
): Promise<unknown> => {
  // The cast is safe as in `checkOperation`.
  return operation.run(context, authorize(operation, context, raw) as never)
}

/** The page arguments of a connection. */
export interface ForwardArguments {
  readonly first?: number | null | undefined
  readonly after?: string | null | undefined
}

/** The requested page; without `first`, its size is undefined. @throws INVALID_PARAMETER */
export const readPageArguments = ({ first, after }: ForwardArguments) => ({
  size: first == null ? undefined : parseWhole('first', first, 1, MAX_PAGE_SIZE),
  after: after ?? undefined,
})

/**
 * Reads a page of an operation that returns a list. A list that is always read whole is one page by default.
 * @throws as `runOperation` does, and INVALID_CURSOR
 */
export const listOperation = async (
  operation: Operation,
  context: OperationContext,
  raw: RawInput,
  args: ForwardArguments,
): Promise<Listed<unknown>> => {
  const input = authorize(operation, context, raw)
  const page = readPageArguments(args)
  const { connection } = operation
  // The casts are safe as in `checkOperation`.
  if (connection)
    return connection.read(context, input as never, {
      ...page,
      size: page.size ?? DEFAULT_PAGE_SIZE,
    })
  const all = (await operation.run(context, input as never)) as readonly unknown[]
  return pageOf(all, page)
}
