/** The errors of GraphQL: the codes of REST, under `extensions`. */
import { GraphQLError } from 'graphql'
import { ApiError, ResumeError } from '../../errors.ts'
import { CHALLENGE } from '../caller.ts'
import { toApiError } from '../failure.ts'

/** Hears of every failure, and writes down what is no mistake of the caller's. */
export type OnFailure = (error: unknown, requestId: string) => void

/** Yoga's note on an error: the status it asks for; `spec`: only from clients of the newer media type. */
interface HttpNote {
  readonly status?: number
  readonly spec?: boolean
}

/** The refusal of a document whose operation is not named, or is none of it. */
export const noOperation = (): GraphQLError =>
  new GraphQLError('operationName: expected the name of one of the operations.')

/** What was thrown, below the errors that are put around it; undefined where GraphQL itself speaks. */
const causeOf = ({ originalError }: GraphQLError): unknown =>
  originalError instanceof GraphQLError ? causeOf(originalError) : originalError

/** Brackets within brackets, more than the parser's recursion can follow. */
const isTooNested = (cause: unknown): boolean =>
  cause instanceof RangeError && cause.message.includes('call stack')

/** The error as GraphQL shows it: the codes of REST, under `extensions`. */
export const toGraphQLError = (
  thrown: GraphQLError,
  requestId: string,
  onFailure: OnFailure,
): GraphQLError => {
  const found = causeOf(thrown)
  const cause =
    thrown.path === undefined && isTooNested(found)
      ? new ApiError('QUERY_TOO_COMPLEX', 'The document is nested too deeply.')
      : found
  // Without a cause the document is not valid, or the variables do not fit.
  const error =
    cause === undefined ? new ApiError('BAD_REQUEST', thrown.message) : toApiError(cause).error
  if (cause !== undefined) onFailure(cause, requestId)
  // An error of a compiled operation may be without extensions, whatever its type says.
  const extensions: GraphQLError['extensions'] | undefined = thrown.extensions
  const http = extensions?.http as HttpNote | undefined
  const headers = error.code === 'UNAUTHENTICATED' && { 'www-authenticate': CHALLENGE }
  return new GraphQLError(error.message, {
    nodes: thrown.nodes ?? null,
    source: thrown.source ?? null,
    positions: thrown.positions ?? null,
    path: thrown.path ?? null,
    extensions: {
      code: http?.status === 405 ? 'METHOD_NOT_ALLOWED' : error.code,
      requestId,
      ...(cause instanceof ResumeError && { cursor: cause.cursor }),
      ...(error.details.length > 0 && { details: error.details }),
      // Yoga's note counts where GraphQL itself speaks: of an error of ours it knows only where it arose.
      http: (cause === undefined && http) || {
        status: error.status,
        spec: cause === undefined,
        ...(headers && { headers }),
      },
    },
  })
}

/** The error as it stands in a stream of answers, where HTTP has no word any more. */
export const toStreamError = (
  thrown: unknown,
  requestId: string,
  onFailure: OnFailure,
): GraphQLError => {
  const error =
    thrown instanceof GraphQLError
      ? thrown
      : new GraphQLError('Something failed here.', {
          originalError: thrown instanceof Error ? thrown : new Error(String(thrown)),
        })
  const formed = toGraphQLError(error, requestId, onFailure)
  delete formed.extensions.http
  return formed
}
