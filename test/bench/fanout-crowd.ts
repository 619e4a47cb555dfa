/**
 * The subscribers, all in a process of its own: groups of sockets that speak graphql-transport-ws and count
 * what they hear. WebSocket frames are read by hand (RFC 6455, section 5), so that hearing costs little
 * beside telling. It is asked by messages of the parent, and answers each with one.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { monotonicMs } from './clock.ts'

/** So many more sockets for the group of this name; answered once each has said what it asks for. */
export interface Join {
  readonly kind: 'join'
  readonly group: string
  readonly origin: string
  readonly sockets: number
  readonly authorization: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Begins to count; answered with `Heard` once every socket of the group has heard so many messages. */
export interface Listen {
  readonly kind: 'listen'
  readonly group: string
  readonly messages: number
  /** Whether the time of each message is told, not only that of the last. */
  readonly isTimed: boolean
}

/** What a group heard; times as `monotonicMs`. */
export interface Heard {
  readonly lastMs: number
  readonly messages: number
  readonly bytes: number
  /** By the socket that heard least and by the one that heard most. */
  readonly least: number
  readonly most: number
  /** Of a message, by its place, at a socket. */
  readonly arrivals: readonly (readonly [place: number, atMs: number])[]
  /** The first message of all. */
  readonly sample: string
}

interface Group {
  readonly members: { heard: number }[]
  total: number
  bytes: number
  sample: string
  arrivals: (readonly [number, number])[]
  order: Listen | undefined
}

const TEXT = 1
const CLOSE = 8
const PING = 9
// A client masks what it says; by zeros it is left as it is.
const MASKED = 0x80
const PONG = Buffer.from([0x8a, MASKED, 0, 0, 0, 0])
const CONNECTING = 50

const groups = new Map<string, Group>()
const groupOf = (name: string): Group => {
  const group = groups.get(name) ?? {
    ...{ members: [], total: 0, bytes: 0, sample: '', arrivals: [], order: undefined },
  }
  groups.set(name, group)
  return group
}

const frameOf = (message: object): Buffer => {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.from([
    0x80 | TEXT,
    MASKED | 126,
    text.length >> 8,
    text.length & 255,
    0,
    0,
    0,
    0,
  ])
  return Buffer.concat([head, text])
}

/** Reads frames as they come; a server's are not masked. */
const createReader = (hear: (opcode: number, payload: Buffer) => void) => {
  let kept: Buffer = Buffer.alloc(0)
  return (chunk: Buffer): void => {
    const bytes = kept.length === 0 ? chunk : Buffer.concat([kept, chunk])
    let place = 0
    while (bytes.length - place >= 2) {
      const short = (bytes[place + 1] ?? 0) & 127
      const head = short === 126 ? 4 : short === 127 ? 10 : 2
      if (bytes.length - place < head) break
      const length =
        short === 126
          ? bytes.readUInt16BE(place + 2)
          : short === 127
            ? Number(bytes.readBigUInt64BE(place + 2))
            : short
      if (bytes.length - place < head + length) break
      hear((bytes[place] ?? 0) & 15, bytes.subarray(place + head, place + head + length))
      place += head + length
    }
    kept = bytes.subarray(place)
  }
}

const answer = (message: object): void => void process.send?.(message)

const finish = (group: Group, lastMs: number): void => {
  const { members, total: messages, bytes, arrivals, sample } = group
  const heard = members.map((one) => one.heard)
  const extremes = { least: Math.min(...heard), most: Math.max(...heard) }
  group.order = undefined
  answer({ lastMs, messages, bytes, ...extremes, arrivals, sample } satisfies Heard)
}

/** The answer to the upgrade, and not a byte of what comes after it. */
const upgraded = async (socket: Socket): Promise<void> => {
  let text = ''
  while (!text.includes('\r\n\r\n')) {
    const [chunk] = (await once(socket, 'data')) as [Buffer]
    text += chunk.toString('latin1')
  }
  if (!text.startsWith('HTTP/1.1 101 ')) throw new Error(`No upgrade: ${text}`)
}

const openSocket = async (order: Join, group: Group): Promise<void> => {
  const { hostname, port } = new URL(order.origin)
  const socket = connect(Number(port), hostname)
  socket.setNoDelay()
  socket.on('close', () => {
    throw new Error('A socket of the crowd was closed.')
  })
  await once(socket, 'connect')
  socket.write(
    `GET /graphql HTTP/1.1\r\nHost: ${hostname}:${port}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
      'Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  )
  await upgraded(socket)
  const me = { heard: 0 }
  const acknowledged = Promise.withResolvers<void>()
  let isAcknowledged = false
  const read = createReader((opcode, payload) => {
    if (opcode === PING) socket.write(PONG)
    if (opcode === CLOSE) throw new Error(`Closed: ${payload.subarray(2)}`)
    if (opcode !== TEXT) return
    if (!isAcknowledged) {
      isAcknowledged = true
      acknowledged.resolve()
      return
    }
    const { order: listening } = group
    if (listening === undefined) throw new Error(`Not waited for: ${payload}`)
    if (group.total === 0) group.sample = String(payload)
    if (listening.isTimed) group.arrivals.push([me.heard, monotonicMs()])
    me.heard += 1
    group.total += 1
    group.bytes += payload.length
    if (group.total === listening.messages * group.members.length) finish(group, monotonicMs())
  })
  socket.on('data', read)
  socket.write(
    frameOf({ type: 'connection_init', payload: { authorization: order.authorization } }),
  )
  await acknowledged.promise
  const { query, variables } = order
  const subscribe = { id: randomUUID(), type: 'subscribe', payload: { query, variables } }
  socket.write(frameOf(subscribe))
  group.members.push(me)
}

const join = async (order: Join): Promise<void> => {
  const group = groupOf(order.group)
  let left = order.sockets
  const worker = async (): Promise<void> => {
    while (left-- > 0) await openSocket(order, group)
  }
  // A few at once: the queue of those that are to be accepted is short.
  await Promise.all(Array.from({ length: CONNECTING }, worker))
  answer({ joined: group.members.length })
}

process.on('message', (order: Join | Listen) => {
  if (order.kind === 'join') return void join(order)
  const group = groupOf(order.group)
  for (const member of group.members) member.heard = 0
  Object.assign(group, { total: 0, bytes: 0, sample: '', arrivals: [], order })
  answer({ listening: true })
})
process.on('disconnect', () => process.exit())
