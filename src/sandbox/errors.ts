/** Errors that the sandbox responds with. */

interface RequestErrorDetails {
  /** Path of the field: `lines.0.quantity`. */
  readonly field?: string
  /** Problem and remedy, if the reason and the field are not enough. */
  readonly explanation?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
}

/** A request that is rejected with an HTTP status and a reason. */
export class RequestError extends Error {
  override readonly name: string = 'RequestError'
  readonly status: number
  readonly reason: string
  readonly details: RequestErrorDetails

  constructor(status: number, reason: string, details: RequestErrorDetails = {}) {
    super(details.field === undefined ? reason : `${details.field}: ${reason}`)
    this.status = status
    this.reason = reason
    this.details = details
  }
}

/** Error for one invalid field of the input. */
export class FieldError extends RequestError {
  override readonly name = 'FieldError'

  constructor(reason: string, field: string, explanation?: string) {
    super(422, reason, { field, explanation })
  }
}
