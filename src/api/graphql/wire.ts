/** Sends messages over a WebSocket with backpressure, batching small writes. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { BatchStream } from './event-stream.ts'
import type { SharedResult } from './shared-results.ts'

/** The sending half of a socket. */
export interface SocketSender {
  /** Resolves when the operating system has accepted the message. */
  send(message: string | Buffer): Promise<void>
  /**
   * Sends messages in batches and waits while much is unsent. Resolves when the operating system has accepted
   * them, or when `isWanted` returns false.
   */
  sendAll(messages: readonly Buffer[], isWanted: () => boolean): Promise<void>
}

/** A socket with more unsent bytes is terminated: its client does not read. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024
/** Unsent bytes of one subscription before it waits. */
const MAX_AHEAD_BYTES = 64 * 1024

/**
 * Creates the sending half of a socket.
 * @param stream the underlying connection of the socket
 */
export const createSocketSender = (socket: WebSocket, stream: Duplex): SocketSender => {
  let isCorked = false
  /** Combines all messages of this turn of the event loop into one write. */
  const cork = (): void => {
    if (isCorked) return
    isCorked = true
    stream.cork()
    process.nextTick(() => {
      isCorked = false
      stream.uncork()
    })
  }
  const send = (message: string | Buffer): Promise<void> =>
    new Promise((resolve) => {
      if (socket.readyState !== socket.OPEN) return resolve()
      if (socket.bufferedAmount > MAX_BUFFERED_BYTES) socket.terminate()
      cork()
      socket.send(message, { binary: false }, () => resolve())
    })
  return {
    send,
    sendAll: async (messages, isWanted) => {
      let sent: Promise<void> | undefined
      let aheadBytes = 0
      for (const message of messages) {
        sent = send(message)
        aheadBytes += message.length
        if (aheadBytes < MAX_AHEAD_BYTES) continue
        await sent
        if (!isWanted()) return
        aheadBytes = 0
      }
      await sent
    },
  }
}

/** Whether the result of an operation is a stream, not an error. */
export const isResultStream = (result: object): result is BatchStream<SharedResult> =>
  'nextBatch' in result

const END = Buffer.from('}')

/**
 * Sends the results of a subscription directly, because graphql-ws would serialize each result again for every
 * socket. Returns an empty stream for graphql-ws, which ends when all results are sent.
 */
export const sendResults = (
  results: BatchStream<SharedResult>,
  id: string,
  sender: SocketSender,
): AsyncIterableIterator<never> => {
  const head = Buffer.from(`{"id":${JSON.stringify(id)},"type":"next","payload":`)
  let isWanted = true
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: async () => {
      for (let batch = await results.nextBatch(); batch; batch = await results.nextBatch())
        await sender.sendAll(
          batch.map(({ json }) => Buffer.concat([head, json, END])),
          () => isWanted,
        )
      return { done: true, value: undefined }
    },
    return: () => {
      isWanted = false
      return results.return()
    },
  }
}
