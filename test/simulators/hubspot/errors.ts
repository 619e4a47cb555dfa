/** Errors in the vendor's form: a category, a message, a context, and an id of the request. */
import type { JsonObject } from '../engine/json.ts'
import { type Call, type Reply, ReplyError } from '../engine/profile.ts'

export interface ErrorDetail extends JsonObject {
  readonly message: string
  readonly code?: string
  readonly in?: string
  readonly context?: Readonly<Record<string, readonly string[]>>
}

export interface ErrorContent {
  /** Default: 400. */
  readonly status?: number
  /** Default: `VALIDATION_ERROR`. */
  readonly category?: string
  readonly message: string
  readonly context?: Readonly<Record<string, readonly string[]>>
  readonly links?: Readonly<Record<string, string>>
  readonly errors?: readonly ErrorDetail[]
}

/** Ends a request with this error. */
export class ApiError extends Error {
  readonly content: ErrorContent

  constructor(content: ErrorContent) {
    super(content.message)
    this.content = content
  }
}

export const errorReply = (
  { status = 400, category = 'VALIDATION_ERROR', message, context, links, errors }: ErrorContent,
  correlationId: string,
): Reply => ({
  status,
  body: {
    status: 'error',
    message,
    correlationId,
    ...(context && { context }),
    ...(errors && { errors }),
    ...(links && { links }),
    category,
  },
})

/** An error of one part of a batch. */
export const batchError = ({
  category = 'VALIDATION_ERROR',
  message,
  context = {},
  errors = [],
}: ErrorContent): JsonObject => ({
  status: 'error',
  category,
  message,
  context,
  links: {},
  errors,
})

export const validationError = (message: string, context?: ErrorContent['context']): ApiError =>
  new ApiError({ message, ...(context && { context }) })

export const notFoundError = (
  message: string,
  context: Readonly<Record<string, readonly string[]>>,
): ApiError => new ApiError({ status: 404, category: 'OBJECT_NOT_FOUND', message, context })

export const conflictError = (message: string): ApiError =>
  new ApiError({ status: 409, category: 'CONFLICT', message })

/** Responds with what `work` returns, or with the error that it throws. */
export const withErrors =
  (work: (call: Call) => Reply) =>
  (call: Call): Reply => {
    try {
      return work(call)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      throw new ReplyError(errorReply(error.content, call.requestId))
    }
  }
