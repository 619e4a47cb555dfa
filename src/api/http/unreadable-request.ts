/** Responds to input that is not valid HTTP. There is no request object, so it writes to the socket. */
import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { ApiError, errorBody } from '../../errors.ts'

const toApiError = (code: string | undefined): ApiError => {
  switch (code) {
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return new ApiError('REQUEST_TIMEOUT', 'The request did not arrive in time. Send it again.')
    case 'HPE_HEADER_OVERFLOW':
      return new ApiError(
        'BAD_REQUEST',
        'The URL and the headers are too long in total. Send a shorter URL, or fewer headers.',
      )
    default:
      return new ApiError('BAD_REQUEST', 'The request is not valid HTTP.')
  }
}

/** Responds to a request that Node could not parse and closes the connection, which cannot be read further. */
export const rejectUnreadableRequest = (
  { code }: { readonly code?: string | undefined },
  socket: Socket,
): void => {
  // After a reset the client cannot receive a response.
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
