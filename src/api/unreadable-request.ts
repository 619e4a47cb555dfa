/** The answer to what cannot be read as HTTP: there is no request, so it is written to the socket. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, errorBody } from '../errors.ts'

const toApiError = (code: string | undefined): ApiError => {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('REQUEST_TIMEOUT', 'The request did not arrive in time.')
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError('BAD_REQUEST', 'The address and the headers are too long together.')
    default:
      return new ApiError('BAD_REQUEST', 'The request is not well formed.')
  }
}

/** Answers what Node could not parse, and closes the connection: what follows cannot be read either. */
export const answerUnreadableRequest = (
  { code }: { readonly code?: string | undefined },
  socket: Socket,
): void => {
  // After a reset there is nobody to tell.
  if (code === 'ECONNRESET' || !socket.writable) return
  const error = toApiError(code)
  const requestId = randomUUID()
  const body = JSON.stringify(errorBody(error, requestId))
  const head = [
    `HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`)
}
