/** A TCP proxy to a database that can break: by closing connections, or silently, like a pulled cable. */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

export type DatabaseProxy = Awaited<ReturnType<typeof openDatabaseProxy>>

/** Forwards traffic to the database of `url` and back. */
export const openDatabaseProxy = async (url: string) => {
  const target = new URL(url)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isCut = false
  let silencedBy: string | undefined
  const endedBy = new Set<string>()
  const silence = ([near, far]: readonly [Socket, Socket]): void => {
    near.unpipe(far).pause()
    far.unpipe(near).pause()
  }
  const server = createServer((near) => {
    near.on('error', () => {})
    if (isCut) return void near.destroy()
    const far = createConnection(Number(target.port), target.hostname)
    far.on('error', () => {})
    const pair = [near, far] as const
    pairs.add(pair)
    near.on('data', (chunk) => {
      if (silencedBy !== undefined && chunk.includes(silencedBy)) silence(pair)
      for (const text of endedBy)
        if (chunk.includes(text)) {
          endedBy.delete(text)
          near.destroy()
        }
    })
    for (const [one, other] of [pair, [far, near] as const]) {
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
    for (const [near] of pairs) near.destroy()
  }
  return {
    url: proxied.href,
    /** Number of open connections. */
    get connections() {
      return pairs.size
    },
    /** Closes all open connections, and every new one until `mend`. */
    cut: (): void => {
      isCut = true
      end()
    },
    mend: (): void => {
      isCut = false
    },
    /** Open connections stay open but forward nothing; new connections work. */
    silence: (): void => {
      for (const pair of pairs) silence(pair)
    },
    /** From now on, a connection that sends this text goes silent; undefined turns this off. */
    silenceAt: (chunk: string | undefined): void => {
      silencedBy = chunk
    },
    /** Closes the next connection that sends this text. */
    endAt: (chunk: string): void => void endedBy.add(chunk),
    /** The texts of `endAt` that no connection has sent yet. */
    get toEnd(): readonly string[] {
      return [...endedBy]
    },
    close: async (): Promise<void> => {
      end()
      server.close()
      await once(server, 'close')
    },
  }
}
