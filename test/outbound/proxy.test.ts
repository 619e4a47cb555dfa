/** Connections through EGRESS_PROXY: pinned to checked addresses, verified end to end, with clear errors. */
import { readFileSync } from 'node:fs'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { createExchange, type ExchangeOptions } from '../../src/outbound/exchange.ts'
import { createWebhookTransport } from '../../src/outbound/webhook-transport.ts'
import { loopbacks } from './loopbacks.ts'
import { listen, openProxy, PROXY_PASSWORD, type TestProxy } from './proxy.ts'

/** The results of the resolver: a test has no network. */
const names: Readonly<Record<string, readonly string[]>> = {
  'app.example': ['8.8.8.8'],
  'other.example': ['8.8.8.8'],
  'two.example': ['8.8.4.4', '8.8.8.8'],
  'mixed.example': ['10.0.0.1', '8.8.8.8'],
  'inside.example': ['10.0.0.1', '169.254.169.254', '127.0.0.1'],
}
vi.mock('node:dns/promises', async (original) => {
  const dns = await original<typeof import('node:dns/promises')>()
  return {
    ...dns,
    lookup: async (hostname: string, options: object) =>
      names[hostname]?.map((address) => ({ address, family: 4 })) ?? dns.lookup(hostname, options),
  }
})

const readPem = (name: string) =>
  readFileSync(new URL(`./tls/${name}.pem`, import.meta.url), 'utf8')

interface Seen {
  readonly path: string | undefined
  readonly headers: IncomingHttpHeaders
  readonly isTls: boolean
}

const seen: Seen[] = []
const respond: Parameters<typeof createServer>[1] = (request, response) => {
  const isTls = 'encrypted' in request.socket
  seen.push({ path: request.url, headers: request.headers, isTls })
  const headers = { location: 'http://169.254.169.254/latest/meta-data/' }
  response.writeHead(request.url === '/moved' ? 302 : 200, headers).end('{}')
}
const plain = createServer(respond)
const secure = createTlsServer(
  { key: readPem('app-key'), cert: readPem('app-certificate') },
  respond,
)

let ports: Readonly<Record<string, number>>
let proxy: TestProxy
beforeAll(async () => {
  setDefaultCACertificates([...getCACertificates('default'), readPem('app-certificate')])
  ports = { 80: await listen(plain), 443: await listen(secure) }
})
afterAll(() => {
  for (const server of [plain, secure]) server.close().closeAllConnections()
})
beforeEach(async () => {
  seen.length = 0
  proxy = await openProxy((port) => ports[port] ?? 0)
})
afterEach(() => proxy.stop())

type Send = (url: string) => Promise<{ readonly status: number }>

/** The two HTTP transports: one for apps, one for webhooks and workflows. */
const ways = ['exchange', 'transport'] as const

const sendThrough = async <T>(
  way: (typeof ways)[number],
  work: (send: Send) => Promise<T>,
  options: Partial<ExchangeOptions> = {},
): Promise<T> => {
  const settings = {
    deadlineMs: 20_000,
    maxResponseBytes: 1000,
    storedResponseBytes: 10,
    allowPrivateAddresses: false,
    proxy: proxy.url,
    ...options,
  }
  const exchange = createExchange(settings)
  const transport = createWebhookTransport(settings)
  try {
    return await work((url) =>
      way === 'exchange'
        ? exchange.send({ method: 'GET', url: new URL(url), headers: {} })
        : transport.open(new URL(url)).post([], Buffer.from('a message')),
    )
  } finally {
    await exchange.stop()
    await transport.stop()
  }
}

const listAuthorities = () => proxy.tunnels.map(({ authority }) => authority)

describe.each(ways)('the %s', (way) => {
  test.each([
    ['http://app.example/a?b=c', '8.8.8.8:80', 'app.example', false],
    ['https://app.example/a?b=c', '8.8.8.8:443', 'app.example', true],
    ['http://mixed.example/a?b=c', '8.8.8.8:80', 'mixed.example', false],
    ['http://8.8.4.4/a?b=c', '8.8.4.4:80', '8.8.4.4', false],
    ['http://[2606:4700::1111]/a?b=c', '[2606:4700::1111]:80', '[2606:4700::1111]', false],
  ])('reaches %s through a tunnel to %s', async (url, authority, host, isTls) => {
    expect(await sendThrough(way, (send) => send(url))).toMatchObject({ status: 200 })
    expect(listAuthorities()).toEqual([authority])
    expect(seen).toMatchObject([{ path: '/a?b=c', headers: { host }, isTls }])
    const basic = Buffer.from(`trunk line:${PROXY_PASSWORD}`).toString('base64')
    expect(proxy.tunnels[0]?.headers['proxy-authorization']).toBe(`Basic ${basic}`)
    expect(seen[0]?.headers).not.toHaveProperty('proxy-authorization')
  })

  test('verifies the certificate of the target, not of the address in the tunnel', async () => {
    const failure = await sendThrough(way, (send) => send('https://other.example/').catch((e) => e))
    expect(failure).toMatchObject({ problem: 'network', message: 'ERR_TLS_CERT_ALTNAME_INVALID' })
    expect(seen).toEqual([])
  })

  test('reuses a tunnel for the next requests to the same origin', async () => {
    await sendThrough(way, async (send) => {
      for (let round = 0; round < 6; round++) await send('https://app.example/')
    })
    expect(seen).toHaveLength(6)
    // undici opens a second connection while the first is being released.
    expect(proxy.tunnels.length).toBeLessThan(3)
  })

  test.each([...loopbacks, '10.1.2.3', '169.254.169.254', '[fd00:ec2::254]', 'inside.example'])(
    'requests no tunnel to %s',
    async (host) => {
      for (const protocol of ['http', 'https']) {
        const url = `${protocol}://${host}/`
        const failure = await sendThrough(way, (send) => send(url).catch((error: unknown) => error))
        // A name that this machine cannot resolve has no address either.
        const isName = /[a-z]{3}/i.test(host) && !host.startsWith('[') && host !== 'inside.example'
        expect(failure).toMatchObject({
          problem: isName
            ? expect.stringMatching(/forbidden-address|network/)
            : 'forbidden-address',
        })
      }
      expect(listAuthorities()).toEqual([])
    },
  )

  test('leaves names and addresses to the proxy if private addresses are allowed', async () => {
    const options = { allowPrivateAddresses: true }
    for (const host of ['unknown.internal', '127.0.0.1', '[::1]'])
      await sendThrough(way, (send) => send(`http://${host}/`), options)
    expect(listAuthorities()).toEqual(['unknown.internal:80', '127.0.0.1:80', '[::1]:80'])
  })

  test('follows no redirect', async () => {
    expect(await sendThrough(way, (send) => send('http://app.example/moved'))).toMatchObject({
      status: 302,
    })
    expect(listAuthorities()).toEqual(['8.8.8.8:80'])
  })

  test('tries the next address of a name if the proxy cannot reach one', async () => {
    proxy.refusals.set('8.8.4.4:80', 502)
    expect(await sendThrough(way, (send) => send('http://two.example/'))).toMatchObject({
      status: 200,
    })
    expect(listAuthorities()).toEqual(['8.8.4.4:80', '8.8.8.8:80'])
  })

  test.each([
    [407, 'the egress proxy rejected the user and password of EGRESS_PROXY (407)'],
    [403, 'the egress proxy did not connect to the address (403)'],
    ['hang-up', 'the egress proxy cannot be reached (UND_ERR_SOCKET)'],
  ] as const)('reports that the proxy answers %s', async (refusal, message) => {
    proxy.refusals.set('8.8.8.8:443', refusal)
    const failure = await sendThrough(way, (send) => send('https://app.example/').catch((e) => e))
    expect(failure).toMatchObject({ code: 'EXCHANGE_FAILED', problem: 'proxy', message })
    expect(listAuthorities()).toEqual(['8.8.8.8:443'])
  })

  test('reports that the proxy is down, without its password', async () => {
    const { url } = proxy
    await proxy.stop()
    const failure = await sendThrough(way, (send) => send('http://app.example/').catch((e) => e), {
      proxy: url,
    })
    expect(failure).toMatchObject({
      code: 'EXCHANGE_FAILED',
      problem: 'proxy',
      message: 'the egress proxy cannot be reached (ECONNREFUSED)',
    })
    for (let link = failure; link instanceof Error; link = link.cause)
      for (const secret of [PROXY_PASSWORD, url.password, url.host])
        expect(`${link.message} ${link.stack} ${JSON.stringify(link)}`).not.toContain(secret)
    proxy = await openProxy(() => 0)
  })

  test('is not delayed by another tunnel that does not open', async () => {
    proxy.refusals.set('8.8.4.4:80', 'silence')
    await sendThrough(way, async (send) => {
      const silent = Array.from({ length: 5 }, () => send('http://8.8.4.4/').catch(() => 'failed'))
      expect(await send('http://app.example/')).toMatchObject({ status: 200 })
      // Aborted at the end of the test.
      for (const sent of silent) void sent
    })
  })
})

test.each(ways)('connections of the %s use the local address', async (way) => {
  const addresses: (string | undefined)[] = []
  const server = createServer((request, response) => {
    addresses.push(request.socket.remoteAddress)
    response.end('{}')
  })
  const port = await listen(server)
  await sendThrough(way, (send) => send(`http://127.0.0.1:${port}/`), {
    proxy: undefined,
    allowPrivateAddresses: true,
    localAddress: '127.0.0.2',
  })
  expect(addresses).toEqual(['127.0.0.2'])
  server.close()
})
