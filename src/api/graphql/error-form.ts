/** Formats GraphQL errors with the error codes of REST under `extensions`. */
import { GraphQLError } from 'graphql'
import { ApiError, ResumeError } from '../../errors.ts'
import { CHALLENGE } from '../auth/caller.ts'
import { retryAfterSeconds, toApiError } from '../http/api-error.ts'
import type { RequestOrigin } from '../request-origin.ts'

/** Yoga's HTTP extension of an error. `spec`: the status applies only to `application/graphql-response+json`. */
interface HttpExtension {
  readonly status?: number
  readonly spec?: boolean
}

/** The error for a missing or unknown operation name. */
export const noOperation = (): GraphQLError =>
  new GraphQLError('operationName: expected the name of an operation in the document.')

/** The error for a query that is too deep, too long or too costly. */
export const tooComplex = (message: string): GraphQLError =>
  new GraphQLError(message, { originalError: new ApiError('QUERY_TOO_COMPLEX', message) })

/** The value thrown by our code, inside nested GraphQL errors; undefined for errors of graphql-js itself. */
const causeOf = ({ originalError }: GraphQLError): unknown =>
  originalError instanceof GraphQLError ? causeOf(originalError) : originalError

/** Whether the document is nested too deeply for the recursive parser. */
const isTooNested = (cause: unknown): boolean =>
  cause instanceof RangeError && cause.message.includes('call stack')

/** The error in its response format: the error codes of REST under `extensions`. */
export const toGraphQLError = (thrown: GraphQLError, origin: RequestOrigin): GraphQLError => {
  const thrownCause = causeOf(thrown)
  const cause =
    thrown.path === undefined && isTooNested(thrownCause)
      ? new ApiError('QUERY_TOO_COMPLEX', 'The document is nested too deeply. Reduce the nesting.')
      : thrownCause
  // Without a cause, the document or its variables are invalid.
  const error =
    cause === undefined ? new ApiError('BAD_REQUEST', thrown.message) : toApiError(cause).error
  // Errors of compiled operations may lack extensions, contrary to their type.
  const extensions: GraphQLError['extensions'] | undefined = thrown.extensions
  const http = extensions?.http as HttpExtension | undefined
  const headers = {
    ...(error.code === 'UNAUTHENTICATED' && { 'www-authenticate': CHALLENGE }),
    ...(error.retryAfterMs !== undefined && {
      'retry-after': String(retryAfterSeconds(error.retryAfterMs)),
    }),
  }
  const code = http?.status === 405 ? 'METHOD_NOT_ALLOWED' : error.code
  origin.noteError(code, cause)
  return new GraphQLError(error.message, {
    nodes: thrown.nodes ?? null,
    source: thrown.source ?? null,
    positions: thrown.positions ?? null,
    path: thrown.path ?? null,
    extensions: {
      code,
      requestId: origin.requestId,
      ...(cause instanceof ResumeError && { cursor: cause.cursor }),
      ...(error.details.length > 0 && { details: error.details }),
      // Yoga's status applies to errors of graphql-js only; our errors define their own.
      http: (cause === undefined && http) || {
        status: error.status,
        spec: cause === undefined,
        headers,
      },
    },
  })
}

/** The error in a stream of results, without HTTP status and headers. */
export const toStreamError = (thrown: unknown, origin: RequestOrigin): GraphQLError => {
  const error =
    thrown instanceof GraphQLError
      ? thrown
      : new GraphQLError('Internal error. The log has the details under the requestId.', {
          originalError: thrown instanceof Error ? thrown : new Error(String(thrown)),
        })
  const formed = toGraphQLError(error, origin)
  delete formed.extensions.http
  return formed
}
