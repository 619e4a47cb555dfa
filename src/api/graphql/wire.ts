/** What is sent over a WebSocket: at its own pace, and together where much is to be sent. */
import type { Duplex } from 'node:stream'
import type { WebSocket } from 'ws'
import type { Answer } from './answer.ts'
import type { BatchStream } from './event-stream.ts'

/** The sending half of a socket. */
export interface Wire {
  /** Resolves when the operating system has it. */
  send(message: string | Buffer): Promise<void>
  /** Sends them together, and holds back while much is under way; resolves when the operating system has them, or nobody wants the rest. */
  sendAll(messages: readonly Buffer[], isWanted: () => boolean): Promise<void>
}

/** A socket that has this much unsent takes nothing in: no subscription has more than one batch under way. */
const MAX_BUFFERED_BYTES = 32 * 1024 * 1024
/** Of one subscription. */
const MAX_AHEAD_BYTES = 64 * 1024

/** @param stream what carries the socket */
export const createWire = (socket: WebSocket, stream: Duplex): Wire => {
  let isCorked = false
  /** Whatever is sent in this turn of the event loop goes out in one write. */
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

export const isAnswerStream = (result: object): result is BatchStream<Answer> =>
  'nextBatch' in result

const bodies = new WeakMap<Answer, Buffer>()

/** What follows the id in the message of an answer: the same bytes for all who are told it. */
const bodyOf = (answer: Answer): Buffer => {
  const known = bodies.get(answer)
  if (known) return known
  const body = Buffer.from(`,"type":"next","payload":${answer.stringify()}}`)
  bodies.set(answer, body)
  return body
}

/**
 * Tells the answers of a subscription, past graphql-ws, which would write the JSON of each anew for every
 * socket. For graphql-ws it is a stream of no answers, which ends when all is told.
 */
export const tellAnswers = (
  answers: BatchStream<Answer>,
  id: string,
  wire: Wire,
): AsyncIterableIterator<never> => {
  const head = Buffer.from(`{"id":${JSON.stringify(id)}`)
  let isWanted = true
  return {
    [Symbol.asyncIterator]() {
      return this
    },
    next: async () => {
      for (let told = await answers.nextBatch(); told; told = await answers.nextBatch())
        await wire.sendAll(
          told.map((answer) => Buffer.concat([head, bodyOf(answer)])),
          () => isWanted,
        )
      return { done: true, value: undefined }
    },
    return: () => {
      isWanted = false
      return answers.return()
    },
  }
}
