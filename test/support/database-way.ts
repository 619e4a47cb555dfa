/** A way to a database that breaks: with a word, as when a server ends, or without, as when a cable is pulled. */
import { once } from 'node:events'
import { type AddressInfo, createConnection, createServer, type Socket } from 'node:net'

export type DatabaseWay = Awaited<ReturnType<typeof openDatabaseWay>>

/** Passes on what is said to the database of `url` and what that answers. */
export const openDatabaseWay = async (url: string) => {
  const target = new URL(url)
  const pairs = new Set<readonly [Socket, Socket]>()
  let isCut = false
  let silencedBy: string | undefined
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
    near.on('data', (said) => {
      if (silencedBy !== undefined && said.includes(silencedBy)) silence(pair)
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
  const own = new URL(url)
  own.hostname = '127.0.0.1'
  own.port = String((server.address() as AddressInfo).port)
  const end = (): void => {
    for (const [near] of pairs) near.destroy()
  }
  return {
    url: own.href,
    /** Connections that are open. */
    get connections() {
      return pairs.size
    },
    /** Ends what is open, and whatever is dialled until `mend`. */
    cut: (): void => {
      isCut = true
      end()
    },
    mend: (): void => {
      isCut = false
    },
    /** What is open stays so, and nothing comes through any more; what is dialled from now on is as before. */
    silence: (): void => {
      for (const pair of pairs) silence(pair)
    },
    /** Each connection on which this is said is silent from then on; undefined: none any more. */
    silenceAt: (said: string | undefined): void => {
      silencedBy = said
    },
    close: async (): Promise<void> => {
      end()
      server.close()
      await once(server, 'close')
    },
  }
}
