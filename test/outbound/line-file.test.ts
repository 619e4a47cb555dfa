/** Files of lines outside of an app's API: read in parts, without the credential, with and without ranges. */
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { filePartOf, fileRequest } from '../../src/definition/line-file.ts'
import { createAppClient } from '../../src/outbound/http.ts'
import { defineFakeConnector } from '../support/fake-app.ts'

const LINES = ['{"id":1}', '{"name":"Zoë 東京"}', '', '{"id":3}']
const FILE = Buffer.from(LINES.join('\n'))
const connector = defineFakeConnector()
const credential = { method: null, values: { url: 'https://shop.example', apiKey: 'secret-key' } }

let server: Server
let origin: string
let requests: IncomingMessage[] = []

beforeAll(async () => {
  server = createServer((request, response) => {
    requests.push(request)
    const { pathname } = new URL(request.url ?? '', 'http://files.example')
    const [, from = '0', to = '0'] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? []
    const part = FILE.subarray(Number(from), Number(to) + 1)
    const range = `bytes ${from}-${Number(from) + part.length - 1}/${FILE.length}`
    if (pathname === '/gone') response.writeHead(403).end('<Error/>')
    else if (pathname === '/whole') response.end(FILE)
    else if (part.length === 0) response.writeHead(416).end()
    else response.writeHead(206, { 'content-range': range }).end(part)
  })
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  // A server that listens on a TCP port has an address of this type.
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(() => server.close())

const readPart = async (
  url: string,
  from: number,
  maxBytes: number,
  allowPrivateAddresses = true,
) => {
  const client = createAppClient({ allowPrivateAddresses, maxRetries: 0 })
  try {
    return filePartOf(
      await client.send(connector, credential, fileRequest({ url, from, maxBytes })),
    )
  } finally {
    await client.stop()
  }
}

/** The lines of a file that is read in parts. */
const readAll = async (path: string, maxBytes: number): Promise<readonly string[]> => {
  const found: string[] = []
  for (let from = 0; ; ) {
    const { lines, isLast } = await readPart(origin + path, from, maxBytes)
    found.push(...lines.map(({ text }) => text))
    if (isLast) return found
    from = lines.at(-1)?.end ?? from
  }
}

test.each([
  ['/ranges', 24],
  ['/ranges', FILE.length],
  ['/ranges', 1000],
  ['/whole', 24],
  ['/whole', FILE.length],
  ['/whole', 1000],
])('%s in parts of %i bytes has every line once', async (path, maxBytes) => {
  expect(await readAll(path, maxBytes)).toEqual(LINES)
})

test('the position after the last line has none', async () => {
  expect(await readPart(`${origin}/ranges`, FILE.length, 10)).toEqual({ lines: [], isLast: true })
})

test('a request contains nothing of the credential', async () => {
  requests = []
  await readPart(`${origin}/ranges?signature=s`, 0, 10)
  expect(JSON.stringify(requests[0]?.headers)).not.toContain('secret-key')
  expect(requests.map(({ url }) => url)).toEqual(['/ranges?signature=s'])
})

test('a URL that is no longer valid has expired', async () => {
  await expect(readPart(`${origin}/gone?signature=s`, 0, 10)).rejects.toMatchObject({
    code: 'APP_REFUSED',
    kind: 'expired',
    message: expect.not.stringContaining('signature'),
  })
})

test.each([
  'https://127.0.0.1/file',
  'http://files.example/file',
  'https://a:b@files.example/',
  '/file',
])('the address %s is not allowed', async (url) => {
  await expect(readPart(url, 0, 10, false)).rejects.toMatchObject({ code: 'APP_ADDRESS' })
})
