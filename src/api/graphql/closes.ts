/** WebSocket close codes: see src/delivery/PROTOCOL.md. */
import { CloseCode } from 'graphql-ws'
import { ApiError } from '../../errors.ts'

const GOING_AWAY = 1001 // RFC 6455, section 7.4.1
/** Derived from HTTP 503. The graphql-ws client reconnects after 4503, but not after 4500. */
export const NOT_READY = 4503

/** The close code and reason text for each end reason of a connection. */
export const CLOSE_FRAMES = {
  revoked: [CloseCode.Unauthorized, 'Unauthorized'],
  stopping: [GOING_AWAY, 'Going away'],
  evicted: [NOT_READY, 'Too many connections'],
} as const

/** A rejected socket, with its close code and reason text. */
export class RejectedSocketError extends Error {
  readonly closeCode: number

  constructor(closeCode: number, reason: string) {
    super(reason)
    this.closeCode = closeCode
  }
}

/** The rejection for a failed authentication; undefined: use the default close code of graphql-ws. */
export const toSocketRejection = (error: unknown): RejectedSocketError | undefined => {
  if (error instanceof RejectedSocketError) return error
  const code = error instanceof ApiError ? error.code : undefined
  if (code === 'UNAUTHENTICATED')
    return new RejectedSocketError(CloseCode.Unauthorized, 'Unauthorized')
  if (code !== 'RATE_LIMITED') return
  return new RejectedSocketError(
    CloseCode.TooManyInitialisationRequests,
    'Too many failed authentications',
  )
}
