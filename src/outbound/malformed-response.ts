/** Responses that a connector cannot read, which shows only after the app client has returned them. */
import type { AppRequest, AppResponse, Connector } from '../definition/connector.ts'
import { type AppError, AppUnavailableError, factsOf } from './app-error.ts'

type OnMalformed = (error: AppError) => void

// A response is read at any time after its request, or never.
const observers = new WeakMap<AppResponse, OnMalformed>()

/** Calls `onMalformed` if the connector cannot read a response. */
export const observeReading = (response: AppResponse, onMalformed: OnMalformed): void => {
  observers.set(response, onMalformed)
}

/**
 * Reports that a connector cannot read a response.
 * Without a response, several of them together are not usable.
 * @returns the failure of the app. It has no cause: the error of the connector may quote the response.
 */
export const malformedResponse = (
  connector: Pick<Connector, 'app' | 'name'>,
  { request, response }: { readonly request: AppRequest; readonly response?: AppResponse },
  reason: string,
): AppUnavailableError => {
  const error = new AppUnavailableError({ ...factsOf(connector, request), reason }, 'malformed')
  if (response) observers.get(response)?.(error)
  return error
}
