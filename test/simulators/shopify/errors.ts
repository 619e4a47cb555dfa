/** How the API rejects: with the errors of a request, or the user errors of a mutation. */
import { GraphQLError } from 'graphql'

/** An error at the top of the response. */
export class ApiError extends GraphQLError {
  constructor(code: string, message: string, details: Readonly<Record<string, unknown>> = {}) {
    super(message, { extensions: { code, ...details } })
  }
}

export const badRequest = (message: string): ApiError => new ApiError('BAD_REQUEST', message)

export interface UserError {
  readonly field: readonly string[] | null
  readonly message: string
  readonly code?: string
}

/** Ends a mutation without an effect. */
export class UserErrors extends Error {
  readonly errors: readonly UserError[]

  constructor(errors: readonly UserError[]) {
    super(errors.map(({ message }) => message).join('; '))
    this.errors = errors
  }
}

/** `field` is a path from the arguments: `input.email`. */
export const userError = (field: string | null, message: string, code?: string): UserError => ({
  field: field?.split('.') ?? null,
  message,
  ...(code !== undefined && { code }),
})

/** @throws UserErrors */
export const refuse = (field: string | null, message: string, code?: string): never => {
  throw new UserErrors([userError(field, message, code)])
}

/** @throws UserErrors if there are any */
export const refuseAny = (errors: readonly (UserError | undefined)[]): void => {
  const found = errors.filter((error) => error !== undefined)
  if (found.length > 0) throw new UserErrors(found)
}
