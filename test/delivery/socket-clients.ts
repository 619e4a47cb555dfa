/** A forked process with many raw sockets: it subscribes with each and counts what arrives. */
import { WebSocket } from 'ws'

interface Instructions {
  readonly url: string
  readonly key: string
  readonly sockets: number
  readonly deliveries: number
}

const report = (message: object): void => void process.send?.(message)

process.once('message', async ({ url, key, sockets, deliveries }: Instructions) => {
  const counts = new Array<number>(sockets).fill(0)
  const texts = new Map<string, number>()
  let opened = 0
  let total = 0
  const connect = (index: number): Promise<void> =>
    new Promise((resolve, reject) => {
      const socket = new WebSocket(url, 'graphql-transport-ws', { perMessageDeflate: false })
      socket.on('error', reject)
      socket.on('open', () => {
        const payload = { authorization: `Bearer ${key}` }
        socket.send(JSON.stringify({ type: 'connection_init', payload }))
      })
      socket.on('message', (message) => {
        const text = String(message)
        if (text.includes('connection_ack')) {
          const payload = { query: 'subscription { crmAccounts { record { website } } }' }
          socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload }))
          opened += 1
          resolve()
          return
        }
        counts[index] = (counts[index] ?? 0) + 1
        total += 1
        texts.set(text, (texts.get(text) ?? 0) + 1)
        if (total === deliveries)
          report({ counts: [...new Set(counts)], texts: Object.fromEntries(texts) })
      })
    })
  // A few at a time: the accept backlog is short.
  let next = 0
  const connectRemaining = async (): Promise<void> => {
    while (next < sockets) await connect(next++)
  }
  await Promise.all(Array.from({ length: 50 }, connectRemaining))
  report({ opened })
})
