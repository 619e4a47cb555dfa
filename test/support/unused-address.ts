import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'

/** An address at which nothing listens. Not port 1: fetch rejects some ports without a connection. */
export const findUnusedAddress = async (): Promise<string> => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return `http://127.0.0.1:${port}`
}
