/**
 * The subscribers in one process: groups of sockets that speak graphql-transport-ws and count
 * messages. WebSocket frames are parsed by hand (RFC 6455, section 5), so that receiving costs little
 * compared with sending. Each message of the parent gets one message in return.
 */
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { monotonicMs } from './clock.ts'

/** Adds sockets to the group of this name; answered once each has subscribed. */
export interface Join {
  readonly kind: 'join'
  readonly group: string
  readonly origin: string
  readonly sockets: number
  readonly authorization: string
  readonly query: string
  readonly variables: Readonly<Record<string, unknown>>
}

/** Starts to count; answered with `Tally` once every socket of the group has received this many messages. */
export interface Listen {
  readonly kind: 'listen'
  readonly group: string
  readonly messages: number
  /** Whether to report the time of each message, and not only that of the last. */
  readonly isTimed: boolean
}

/** The messages of a group; times as `monotonicMs`. */
export interface Tally {
  readonly lastMs: number
  readonly messages: number
  readonly bytes: number
  /** The fewest and the most messages of any socket. */
  readonly least: number
  readonly most: number
  /** Arrival of each message, by position, at each socket. */
  readonly arrivals: readonly (readonly [place: number, atMs: number])[]
  /** The first message that any socket received. */
  readonly sample: string
}

interface Group {
  readonly members: { received: number }[]
  total: number
  bytes: number
  sample: string
  arrivals: (readonly [number, number])[]
  order: Listen | undefined
}

const TEXT_OPCODE = 1
const CLOSE_OPCODE = 8
const PING_OPCODE = 9
// Client frames are masked; a mask of zeros leaves the payload unchanged.
const MASKED = 0x80
const PONG = Buffer.from([0x8a, MASKED, 0, 0, 0, 0])
const MAX_CONNECTING = 50

const groups = new Map<string, Group>()
const groupOf = (name: string): Group => {
  const group = groups.get(name) ?? {
    members: [],
    total: 0,
    bytes: 0,
    sample: '',
    arrivals: [],
    order: undefined,
  }
  groups.set(name, group)
  return group
}

const frameOf = (message: object): Buffer => {
  const text = Buffer.from(JSON.stringify(message))
  const head = Buffer.from([
    0x80 | TEXT_OPCODE,
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

/** Parses frames as they arrive; server frames are not masked. */
const createReader = (onFrame: (opcode: number, payload: Buffer) => void) => {
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
      onFrame((bytes[place] ?? 0) & 15, bytes.subarray(place + head, place + head + length))
      place += head + length
    }
    kept = bytes.subarray(place)
  }
}

const answer = (message: object): void => void process.send?.(message)

const finish = (group: Group, lastMs: number): void => {
  const { members, total: messages, bytes, arrivals, sample } = group
  const received = members.map((member) => member.received)
  const extremes = { least: Math.min(...received), most: Math.max(...received) }
  group.order = undefined
  answer({ lastMs, messages, bytes, ...extremes, arrivals, sample } satisfies Tally)
}

/** The response to the upgrade, without any bytes after it. */
const readUpgradeResponse = async (socket: Socket): Promise<void> => {
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
  await readUpgradeResponse(socket)
  const me = { received: 0 }
  const acknowledged = Promise.withResolvers<void>()
  let isAcknowledged = false
  const read = createReader((opcode, payload) => {
    if (opcode === PING_OPCODE) socket.write(PONG)
    if (opcode === CLOSE_OPCODE) throw new Error(`Closed: ${payload.subarray(2)}`)
    if (opcode !== TEXT_OPCODE) return
    if (!isAcknowledged) {
      isAcknowledged = true
      acknowledged.resolve()
      return
    }
    const { order: listening } = group
    if (listening === undefined) throw new Error(`Unexpected message: ${payload}`)
    if (group.total === 0) group.sample = String(payload)
    if (listening.isTimed) group.arrivals.push([me.received, monotonicMs()])
    me.received += 1
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
  const openRemaining = async (): Promise<void> => {
    while (left-- > 0) await openSocket(order, group)
  }
  // A few at a time: the accept backlog is short.
  await Promise.all(Array.from({ length: MAX_CONNECTING }, openRemaining))
  answer({ joined: group.members.length })
}

process.on('message', (order: Join | Listen) => {
  if (order.kind === 'join') return void join(order)
  const group = groupOf(order.group)
  for (const member of group.members) member.received = 0
  Object.assign(group, { total: 0, bytes: 0, sample: '', arrivals: [], order })
  answer({ listening: true })
})
process.on('disconnect', () => process.exit())
