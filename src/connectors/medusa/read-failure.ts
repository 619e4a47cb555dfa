import type { AppFailure, AppResponse } from '../../definition/connector.ts'
import { valuesOf } from '../../definition/raw-values.ts'

/** The field that a message names: `Expected type: 'string' for field 'title', got: '3'`. */
const fieldOf = (message: string): string | undefined => {
  const [, named] = message.split(/[Ff]ield '/)
  const [field] = named?.split("'") ?? []
  return field?.replaceAll(', ', '.')
}

/** The failure of a response (NOTES "errors"); undefined if only the HTTP status decides. */
export const readFailure = ({ status, body }: AppResponse): AppFailure | undefined => {
  const { type, message } = valuesOf(body)
  const reason = typeof message === 'string' && message !== '' ? message : String(type ?? status)
  if (status === 401) return { kind: 'authentication', reason }
  if (status === 404)
    return type === 'not_found'
      ? { kind: 'absent', reason }
      : { kind: 'refused', reason: 'no such address (404); use the address of the Medusa server' }
  // Two requests changed the same record at the same time.
  if (status === 409) return { kind: 'unavailable', reason }
  if (status !== 400 && status !== 422) return
  const field = fieldOf(reason)
  return { kind: 'refused', reason, ...(field !== undefined && { field }) }
}
