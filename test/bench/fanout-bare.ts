/**
 * The baseline of a fan-out: `ws`, a set of sockets and the same bytes sent to each; and the shortest way from a
 * transaction to a socket: LISTEN and a send. A message of the parent process is a `Broadcast`. Env:
 * CHANNEL, DATABASE_URL, PORT.
 */
import { setImmediate as waitForEventLoop } from 'node:timers/promises'
import pg from 'pg'
import { type WebSocket, WebSocketServer } from 'ws'

/** Sends the text to every socket, this many `times`; 0: once per notification from now on. */
export interface Broadcast {
  readonly text: string
  readonly times: number
}

const sockets = new Set<WebSocket>()
let announced = Buffer.alloc(0)

const send = (message: Buffer): void => {
  for (const socket of sockets) socket.send(message, { binary: false })
}

const server = new WebSocketServer({
  port: Number(process.env.PORT),
  host: '127.0.0.1',
  perMessageDeflate: false,
})
server.on('connection', (socket) => {
  socket.on('error', () => {})
  socket.on('message', (message) => {
    // It supports only the two messages with which a subscriber starts, and ignores the query.
    if (String(message).includes('connection_init')) socket.send('{"type":"connection_ack"}')
    else sockets.add(socket)
  })
})

const listener = new pg.Client({ connectionString: process.env.DATABASE_URL })
await listener.connect()
await listener.query(`LISTEN ${process.env.CHANNEL}`)
listener.on('notification', () => send(announced))

process.on('message', async ({ text, times }: Broadcast) => {
  // Built once: each socket gets the same bytes.
  const message = Buffer.from(text)
  if (times === 0) {
    announced = message
  }
  for (let n = 0; n < times; n++) {
    send(message)
    // Gives pending writes a turn of the event loop.
    await waitForEventLoop()
  }
  process.send?.({ isDone: true })
})
process.on('disconnect', () => process.exit())
