/** The one place where an operation is run: who may call it, what it is given, what comes of it. */
import { ApiError } from '../errors.ts'
import { type Input, readInput } from '../query/input.ts'
import { noUser, type UserCaller } from './caller.ts'
import {
  type CallContext,
  fieldsAt,
  type InputPlace,
  inputPlaces,
  type Operation,
  type OperationContext,
} from './operation.ts'

/** What a caller gave, as a face of the API found it. */
export type Given = Readonly<Partial<Record<InputPlace, unknown>>>

/** The given values with the user's own id in place of one that was left out. @throws USER_NOT_FOUND */
const asUser = ({ userId }: UserCaller, given: unknown): unknown => {
  // What is no object is refused when it is read.
  if (given !== undefined && (typeof given !== 'object' || given === null)) return given
  const values = { ...given } as Readonly<Record<string, unknown>>
  const named = values.userId ?? userId
  // Another end user is as absent as one who never was.
  if (typeof named === 'string' && named.toLowerCase() !== userId) throw noUser()
  return { ...values, userId: named }
}

/** @throws INVALID_PARAMETER, USER_NOT_FOUND */
const readGiven = (operation: Operation, { caller }: CallContext, given: Given): Input => {
  const read = inputPlaces.map((place): Input => {
    const fields = fieldsAt(operation, place)
    const values = given[place] ?? (operation[place] === undefined ? {} : undefined)
    const isOfUser = caller.kind === 'user' && 'userId' in fields
    return readInput(fields, isOfUser ? asUser(caller, values) : values)
  })
  return Object.assign({}, ...read)
}

/** @throws FORBIDDEN, INVALID_PARAMETER, USER_NOT_FOUND */
const admit = (operation: Operation, context: CallContext, given: Given): Input => {
  if (!operation.callers.includes(context.caller.kind))
    throw new ApiError('FORBIDDEN', 'A user token does not open this; an API key does.')
  return readGiven(operation, context, given)
}

/** Asks of others what an operation needs to know before it is run. @throws as `runOperation` does */
export const checkOperation = async (
  operation: Operation,
  context: CallContext,
  given: Given,
): Promise<void> => {
  // Read by the fields that the operation's own input type is made of.
  await operation.check?.(context, admit(operation, context, given) as never)
}

/**
 * Runs an operation for a caller. The answer is the operation's own; each face gives it its form.
 * @throws FORBIDDEN, INVALID_PARAMETER, USER_NOT_FOUND, and what the operation itself throws
 */
export const runOperation = async (
  operation: Operation,
  context: OperationContext,
  given: Given,
): Promise<unknown> => {
  // As for its check.
  return operation.run(context, admit(operation, context, given) as never)
}
