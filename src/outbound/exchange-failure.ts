import {
  AppAddressError,
  type AppError,
  type AppErrorFacts,
  AppUnavailableError,
  isAppError,
} from './app-error.ts'
import { ExchangeError } from './exchange.ts'
import { CircuitOpenError } from './retry.ts'

/** The failure of an app that a failed exchange means; undefined for any other error. */
export const toAppError = (
  error: unknown,
  facts: Omit<AppErrorFacts, 'reason'>,
): AppError | undefined => {
  if (isAppError(error)) return error
  if (error instanceof CircuitOpenError)
    return new AppUnavailableError({ ...facts, reason: error.message }, 'circuit-open')
  if (!(error instanceof ExchangeError)) return undefined
  const errorFacts = { ...facts, reason: error.message }
  return error.problem === 'forbidden-address'
    ? new AppAddressError(errorFacts)
    : new AppUnavailableError(errorFacts, error.problem, { cause: error.cause })
}
