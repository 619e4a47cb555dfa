/** The steps of a connector: its requests, the responses, and the input of a write. */
import type { Json } from './json.ts'
import type { LineFile } from './line-file.ts'

/** One part of a multipart form: a value, or a file. */
export type MultipartPart =
  | { readonly name: string; readonly value: string }
  | {
      readonly name: string
      readonly filename: string
      readonly contentType: string
      /** Text is sent as UTF-8. */
      readonly content: string | Uint8Array
    }

/** The body of a request, in one of four forms; none for a request without a body. */
export type AppRequestBody =
  | {
      /** Sent as JSON. */
      readonly body?: Json
      readonly form?: never
      readonly multipart?: never
      readonly text?: never
    }
  | {
      /** Sent as `application/x-www-form-urlencoded`. A list sends its name once for each value. */
      readonly form: Readonly<Record<string, string | readonly string[]>>
      readonly body?: never
      readonly multipart?: never
      readonly text?: never
    }
  | {
      /** Sent as `multipart/form-data`. */
      readonly multipart: readonly MultipartPart[]
      readonly body?: never
      readonly form?: never
      readonly text?: never
    }
  | {
      /** Sent unchanged, e.g. as `application/xml`. */
      readonly text: { readonly contentType: string; readonly content: string }
      readonly body?: never
      readonly form?: never
      readonly multipart?: never
    }

interface RequestLine {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Path and query, relative to the base URL of the credential. */
  readonly path: string
  /**
   * A link of the app to follow in place of `path`, e.g. to the next page: a URL, or one relative to `path`. It must
   * not lead out of the base URL.
   */
  readonly link?: string
  /** A part of a file of lines, in place of a resource of the API: see `fileRequest`. */
  readonly file?: LineFile
  readonly headers?: Readonly<Record<string, string>>
  /** The response may be text, such as XML or CSV. Default: it must be JSON. */
  readonly expect?: 'text'
  /** The request has no side effects, whatever its method, and may be retried. A GET always may. */
  readonly read?: true
  /** The request rolls back every change of the requests before it. If it succeeds, no change remains. */
  readonly undo?: true
}

/** One HTTP request to an app. */
export type AppRequest = RequestLine & AppRequestBody

/** The response of an app. */
export interface AppResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  /**
   * The parsed JSON body; undefined when empty. For a request that expects text, the text of a body whose
   * `content-type` is not JSON.
   */
  readonly body: unknown
}

/**
 * A sequence of requests, each built from the responses to the previous ones. The engine sends each yielded
 * request and resumes the generator with the response. It throws a failure of the app into the generator,
 * so that the connector can catch it.
 */
export type Steps<Result> = Generator<AppRequest, Result, AppResponse>

/**
 * Runs steps. If they fail, sends the request that rolls back every change before them, and reports their failure; that
 * of the request is ignored, because the engine reports what it leaves.
 */
export function* orUndo<Result>(steps: Steps<Result>, request: AppRequest): Steps<Result> {
  try {
    return yield* steps
  } catch (error) {
    try {
      yield { ...request, undo: true }
    } catch {
      // The failure of the steps is the cause.
    }
    throw error
  }
}

/** The input of a create or update. */
export interface WriteInput {
  /**
   * The unified fields of the input. References are the app's own ids, decimals and numbers are strings of
   * digits (numbers inside objects are numbers), times ISO 8601, days `YYYY-MM-DD`, labels are spelled as in
   * the definition (`BILLING`). Null clears a field.
   */
  readonly fields: Readonly<Record<string, Json>>
  /** Fields under the app's own names, passed through unchanged. */
  readonly remoteFields: Readonly<Record<string, Json>>
}

/** `FIELD_NOT_SUPPORTED`: the app cannot store what was sent · `INVALID_PARAMETER`: a value that it requires is missing. */
export type RejectionCode = 'FIELD_NOT_SUPPORTED' | 'INVALID_PARAMETER'

/** A write that the connector rejects before sending it, with the unified field and the reason. */
export class WriteRejection extends Error {
  override readonly name = 'WriteRejection'
  readonly field: string | undefined
  readonly reason: string
  readonly code: RejectionCode

  constructor(reason: string, field?: string, code: RejectionCode = 'FIELD_NOT_SUPPORTED') {
    super(field === undefined ? reason : `${field}: ${reason}`)
    this.field = field
    this.reason = reason
    this.code = code
  }
}

/** The rejection of a write without a value that the app requires. */
export const missingValue = (reason: string, field: string): WriteRejection =>
  new WriteRejection(reason, field, 'INVALID_PARAMETER')
