/** Private addresses are not dialled, whatever their notation. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isPublicAddress } from '../../src/outbound/address.ts'
import { createExchange } from '../../src/outbound/exchange.ts'
import { createWebhookTransport } from '../../src/outbound/webhook-transport.ts'
import { loopbacks } from './loopbacks.ts'

let port = 0
let hits = 0
const server = createServer((_request, response) => {
  hits += 1
  response.end('{}')
})

beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  // A server that listens on TCP has an address of that kind.
  port = (server.address() as AddressInfo).port
})

afterAll(() => void server.close())

const bounds = { deadlineMs: 2000, maxResponseBytes: 1000 }
const request = (host: string) => ({
  method: 'GET',
  url: new URL(`http://${host}:${port}/`),
  headers: {},
})

describe('the loopback address', () => {
  it.each(loopbacks)('is not dialled as %s', async (host) => {
    const exchange = createExchange({ ...bounds, allowPrivateAddresses: false })
    const transport = createWebhookTransport({
      ...bounds,
      allowPrivateAddresses: false,
      storedResponseBytes: 10,
    })
    const failures = await Promise.all(
      [
        exchange.send(request(host)),
        transport.open(request(host).url).post([], Buffer.from('a message')),
      ].map((sent) => sent.catch((error: unknown) => error)),
    )
    // A name that this machine cannot resolve makes no connection either.
    const isName = /[a-z]{3}/i.test(host) && !host.startsWith('[')
    const refused = {
      code: 'EXCHANGE_FAILED',
      problem: isName ? expect.stringMatching(/forbidden-address|network/) : 'forbidden-address',
    }
    expect(failures).toEqual([expect.objectContaining(refused), expect.objectContaining(refused)])
    expect(hits).toBe(0)
    await exchange.stop()
    await transport.stop()
  })

  it('is dialled if private addresses are allowed', async () => {
    const exchange = createExchange({ ...bounds, allowPrivateAddresses: true })
    expect(await exchange.send(request('127.1'))).toMatchObject({ status: 200, text: '{}' })
    expect(hits).toBe(1)
    await exchange.stop()
  })
})

it('says that a port is blocked', async () => {
  const exchange = createExchange({ ...bounds, allowPrivateAddresses: true })
  for (const blocked of [25, 6000]) {
    const url = new URL(`http://127.0.0.1:${blocked}/`)
    await expect(exchange.send({ ...request('127.0.0.1'), url })).rejects.toMatchObject({
      problem: 'network',
      message: expect.stringContaining('its port is blocked'),
    })
  }
  await exchange.stop()
})

it('judges a name by the address it resolves to', async () => {
  const exchange = createExchange({ ...bounds, allowPrivateAddresses: false })
  await expect(exchange.send(request('localhost'))).rejects.toMatchObject({
    problem: 'forbidden-address',
  })
  await exchange.stop()
})

it.each([
  ['10.1.2.3', false],
  ['172.16.0.1', false],
  ['172.32.0.1', true],
  ['192.168.1.1', false],
  ['169.254.169.254', false],
  ['168.63.129.16', false],
  ['100.100.100.200', false],
  ['192.0.0.192', false],
  ['198.18.0.1', false],
  ['224.0.0.1', false],
  ['255.255.255.255', false],
  ['fd00:ec2::254', false],
  ['fe80::1', false],
  ['fec0::1', false],
  ['ff02::1', false],
  ['2001:db8::1', false],
  ['100::1', false],
  ['4000::1', false],
  ['::ffff:10.0.0.1', false],
  ['::ffff:8.8.8.8', true],
  ['8.8.8.8', true],
  ['2606:4700:4700::1111', true],
  ['nonsense', false],
])('treats %s as public: %s', (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected)
})
