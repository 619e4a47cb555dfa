/** A TCP proxy to a database that can break: by closing connections, or silently, like a pulled cable. */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

export type DatabaseProxy = Awaited<ReturnType<typeof openDatabaseProxy>>

/** Forwards traffic to the database of `url` and back. */
export const openDatabaseProxy = async (url: string) => {
  const target = new URL(url)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isCut = false
  let silenceText: string | undefined
  const endTexts = new Set<string>()
  const silenceConnection = ([clientSide, serverSide]: readonly [Socket, Socket]): void => {
    clientSide.unpipe(serverSide).pause()
    serverSide.unpipe(clientSide).pause()
  }
  const server = createServer((clientSide) => {
    clientSide.on('error', () => {})
    if (isCut) return void clientSide.destroy()
    const serverSide = createConnection(Number(target.port), target.hostname)
    serverSide.on('error', () => {})
    const pair = [clientSide, serverSide] as const
    pairs.add(pair)
    clientSide.on('data', (chunk) => {
      if (silenceText !== undefined && chunk.includes(silenceText)) silenceConnection(pair)
      for (const text of endTexts)
        if (chunk.includes(text)) {
          endTexts.delete(text)
          clientSide.destroy()
        }
    })
    for (const [one, other] of [pair, [serverSide, clientSide] as const]) {
      one.pipe(other)
      one.once('close', () => {
        other.destroy()
        pairs.delete(pair)
      })
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxied = new URL(url)
  proxied.hostname = '127.0.0.1'
  proxied.port = String((server.address() as AddressInfo).port)
  const end = (): void => {
    for (const [clientSide] of pairs) clientSide.destroy()
  }
  return {
    url: proxied.href,
    /** Number of open connections. */
    get connections() {
      return pairs.size
    },
    /** Closes all open connections, and every new one until `restore`. */
    cut: (): void => {
      isCut = true
      end()
    },
    restore: (): void => {
      isCut = false
    },
    /** Open connections stay open but forward nothing; new connections work. */
    silence: (): void => {
      for (const pair of pairs) silenceConnection(pair)
    },
    /** Every connection that sends this text from now on stops forwarding; undefined turns this off. */
    silenceAt: (chunk: string | undefined): void => {
      silenceText = chunk
    },
    /** Closes the next connection that sends this text. */
    endAt: (chunk: string): void => void endTexts.add(chunk),
    /** The texts of `endAt` that no connection has sent yet. */
    get pendingEnds(): readonly string[] {
      return [...endTexts]
    },
    close: async (): Promise<void> => {
      end()
      server.close()
      await once(server, 'close')
    },
  }
}
