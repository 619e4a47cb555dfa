/** Limits the memory of WebSocket messages that have arrived in part. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { ByteBudget } from '../../byte-budget.ts'

// RFC 6455, section 5.2: a client frame has a header of 2 bytes, 2 or 8 more for long payloads, and a mask of 4.
const HEADER_BYTES = 6
const frameBytes = (payload: number): number =>
  payload + HEADER_BYTES + (payload > 65_535 ? 8 : payload > 125 ? 2 : 0)

export interface CountedSocket {
  readonly socket: WebSocket
  /** The underlying connection. */
  readonly connection: Duplex
  /** The budget holder, evaluated when a message begins, because authentication changes it. */
  readonly holder: () => string
  /** Called when the budget is exceeded. */
  readonly onRefused: () => void
}

/** Counts received bytes against the budget until their message is complete. */
export const countFrames = (
  budget: ByteBudget,
  { socket, connection, holder, onRefused }: CountedSocket,
): void => {
  let held = budget.open(holder())
  let chunkBytes = 0
  // Prepended to run before ws, which emits a message while it reads the chunk that completes it.
  connection.prependListener('data', (chunk: Buffer) => {
    chunkBytes = chunk.byteLength
    if (held.take(chunkBytes) !== undefined) onRefused()
  })
  socket.on('message', (message: Buffer) => {
    // The chunk may also contain the start of the next message. The number of fragment headers is unknown, so the
    // rest is an estimate, at most the size of the chunk.
    const rest = Math.min(held.bytes - frameBytes(message.byteLength), chunkBytes)
    held.release()
    held = budget.open(holder())
    if (rest > 0) held.take(rest)
  })
  const onControl = (payload: Buffer): void =>
    held.keep(held.bytes - frameBytes(payload.byteLength))
  socket.on('ping', onControl)
  socket.on('pong', onControl)
  socket.once('close', () => held.release())
}
