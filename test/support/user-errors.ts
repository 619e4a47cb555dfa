/** The user errors of a mutation's payload, in the form of a REST error, so that one test covers both transports. */
import { formatPath } from '../../src/definition/value.ts'
import { errorCodes, type UserErrorCode } from '../../src/errors.ts'

/** The selection of every field of a user error. */
export const USER_ERRORS = 'userErrors { code message field expected stored current }'

export interface UserError {
  readonly code: UserErrorCode
  readonly message: string
  readonly field: readonly string[] | null
  readonly expected: string | null
  readonly stored: unknown
  readonly current: unknown
}

const nameOf = (path: readonly string[]): string => {
  const steps = path[0] === 'input' ? path.slice(1) : path
  return formatPath(steps.map((step) => (/^\d{1,9}$/.test(step) ? Number(step) : step)))
}

/** The REST error with the same content; undefined if there are no user errors. */
export const restErrorOf = (userErrors: readonly UserError[]) => {
  const [first] = userErrors
  if (first === undefined) return undefined
  return {
    status: errorCodes[first.code].status,
    code: first.code,
    message: first.message,
    details: userErrors.flatMap(({ field, expected, stored, current }) => {
      if (field === null || expected === null) return []
      const versions = stored !== null || current !== null
      return [{ field: nameOf(field), expected, ...(versions && { stored, current }) }]
    }),
  }
}
