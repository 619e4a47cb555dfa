/** User errors: the failures of a mutation that a person can resolve. All others are top-level errors. */
import type { Fields } from '../../definition/field.ts'
import { ApiError, type ErrorDetail, type UserErrorCode, userErrorCodes } from '../../errors.ts'

/** A failure that a person can resolve, about one field or about the whole mutation. */
export interface UserError {
  readonly code: UserErrorCode
  readonly message: string
  readonly field: readonly string[] | null
  readonly expected: string | null
  readonly stored: unknown
  readonly current: unknown
}

const codes: ReadonlySet<string> = new Set(userErrorCodes)

const hasUserCode = (error: ApiError): error is ApiError & { readonly code: UserErrorCode } =>
  codes.has(error.code)

/** The steps of a path: `lineItems[0].price` has three. */
const stepsOf = (field: string): readonly string[] =>
  field.split(/[.[\]]/).filter((step) => step !== '')

const isOf = (input: Fields, { field }: ErrorDetail): boolean =>
  Object.hasOwn(input, stepsOf(field)[0] ?? '')

const toUserError = (
  { code, message, details: { length } }: ApiError & { readonly code: UserErrorCode },
  input: Fields,
  detail: ErrorDetail,
): UserError => {
  const { field, expected, stored = null, current = null } = detail
  const steps = stepsOf(field)
  return {
    code,
    // The message of an error with several invalid fields is about the first one.
    message:
      code === 'INVALID_PARAMETER' && length > 1 ? `${field}: expected ${expected}.` : message,
    field: isOf(input, detail) ? ['input', ...steps] : steps,
    expected,
    stored,
    current,
  }
}

/**
 * The user errors of a failed mutation, one for each field that the error names.
 * @param input the fields of the argument `input`; empty: the mutation has none
 * @returns undefined for a top-level error
 */
export const userErrorsOf = (error: unknown, input: Fields): readonly UserError[] | undefined => {
  if (!(error instanceof ApiError) || !hasUserCode(error)) return undefined
  const { code, message, details } = error
  const isAboutInput = details.length > 0 && details.every((detail) => isOf(input, detail))
  if (code === 'INVALID_PARAMETER' && !isAboutInput) return undefined
  if (details.length > 0) return details.map((detail) => toUserError(error, input, detail))
  return [{ code, message, field: null, expected: null, stored: null, current: null }]
}
