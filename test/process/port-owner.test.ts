/** The process that owns a port, for the error about a port that is taken. */
import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { describe, expect, test } from 'vitest'
import { describePortOwner } from '../../src/process/port-owner.ts'

const listen = async (host: string) => {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo // it listens on TCP
  return {
    port,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}
const here = new RegExp(` \\(process ${process.pid}\\)$`)

describe.skipIf(process.platform !== 'linux')('the owner of a port', () => {
  test('is named by its command and pid', async () => {
    await using server = await listen('127.0.0.1')
    expect(await describePortOwner(server.port)).toMatch(here)
  })

  test('is found on IPv6 and on a wildcard address', async () => {
    await using loopback = await listen('::1')
    expect(await describePortOwner(loopback.port)).toMatch(here)
    await using wildcard = await listen('::')
    expect(await describePortOwner(wildcard.port)).toMatch(here)
    await using wildcard4 = await listen('0.0.0.0')
    expect(await describePortOwner(wildcard4.port)).toMatch(here)
  })

  test('is undefined if the port is free', async () => {
    const { port } = await (async () => {
      await using server = await listen('127.0.0.1')
      return server
    })()
    expect(await describePortOwner(port)).toBe(undefined)
  })
})
