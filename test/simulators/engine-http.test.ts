/** Simulators behind HTTP: faults of the transport, and webhooks. */
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { Fault } from './engine/faults.ts'
import { type ListeningSimulator, startSimulator } from './engine/listen.ts'
import { exampleProfile } from './example-profile.ts'

let stopAfter: (() => unknown)[] = []
afterEach(async () => {
  for (const stop of stopAfter.splice(0)) await stop()
  stopAfter = []
})

const start = async () => {
  const simulator = await startSimulator(exampleProfile, {
    limited: false,
    clock: { frozen: true },
  })
  stopAfter.push(simulator.stop)
  const account = simulator.accounts.add('a', 'Acme')
  const { accessToken } = simulator.oauth.issue('a')
  return { simulator, account, accessToken }
}

const create = ({ url }: ListeningSimulator, accessToken: string, timeoutMs = 30_000) =>
  fetch(`${url}/notes`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: '{"text":"Hello"}',
    signal: AbortSignal.timeout(timeoutMs),
  })

/** What the client sees, and whether the note was created. */
test.each<[Fault, string, number]>([
  [
    { kind: 'status', status: 503, headers: { 'retry-after': '7' }, body: '<html>' },
    '503 7 <html>',
    0,
  ],
  [{ kind: 'rate-limited', retryAfterMs: 2000 }, '429 2', 0],
  [{ kind: 'unauthenticated' }, '401', 0],
  [{ kind: 'hang' }, 'TimeoutError', 0],
  [{ kind: 'reset' }, 'TypeError', 0],
  [{ kind: 'lost-response' }, 'TypeError', 1],
  [{ kind: 'half-response' }, 'TypeError', 1],
  [{ kind: 'slow', ms: 20 }, '201', 1],
])('the fault $kind occurs once, where it is requested', async (fault, seen, created) => {
  const { simulator, account, accessToken } = await start()
  simulator.faults.add(fault, { method: 'POST', url: '/notes', after: 1 })
  expect((await create(simulator, accessToken)).status).toBe(201)
  const timeoutMs = fault.kind === 'hang' ? 100 : undefined
  const outcome = await create(simulator, accessToken, timeoutMs).then(
    async (response) => {
      const text = await response.text().catch((error: Error) => error.name)
      const shown =
        text === 'TypeError' ? [text] : [response.status, response.headers.get('retry-after'), text]
      return shown.filter((part) => part !== null).join(' ')
    },
    (error: Error) => error.name,
  )
  expect(outcome.startsWith(seen) && outcome).toContain(seen)
  expect(account.store.list('Note')).toHaveLength(1 + created)
  expect(simulator.faults.pending()).toBe(0)
  expect(simulator.journal.find({ url: '/notes' })[1]?.fault).toBe(fault.kind)
  expect((await create(simulator, accessToken)).status).toBe(201)
})

test('a simulator with a defect fails when it stops', async () => {
  const { simulator, account, accessToken } = await start()
  stopAfter = []
  account.store.insert('Note', '1', { text: 'Hello', mood: 'invented' })
  const headers = { authorization: `Bearer ${accessToken}` }
  expect((await fetch(`${simulator.url}/notes`, { headers })).status).toBe(500)
  await expect(simulator.stop()).rejects.toThrow('notes[0].mood')
  await expect(simulator.stop()).rejects.toThrow('notes[0].mood')
})

/** A receiver that responds with these statuses, and then 200. */
const startReceiver = async (statuses: number[] = []) => {
  const received: { readonly body: string; readonly signature: unknown; readonly id: unknown }[] =
    []
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const { 'x-signature': signature, 'x-message-id': id } = request.headers
    received.push({ body: Buffer.concat(chunks).toString(), signature, id })
    response.writeHead(statuses.shift() ?? 200).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  stopAfter.push(
    () => server.closeAllConnections(),
    () => server.close(),
  )
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, received }
}

test('webhooks are signed, batched, selected and sent when they are due', async () => {
  const { simulator, account } = await start()
  const { url, received } = await startReceiver()
  const { webhooks, clock } = simulator
  webhooks.subscribe({ id: 'w', url, secret: 'key', accountId: 'a', topics: ['Note.created'] })
  for (const id of ['1', '2', '3']) account.store.insert('Note', id, {})
  account.store.remove('Note', '3')
  expect(await webhooks.deliver()).toEqual([])
  clock.advance(1000)
  await webhooks.deliver()
  expect(received.map(({ body }) => JSON.parse(body).map(({ id }: { id: string }) => id))).toEqual([
    ['1', '2'],
    ['3'],
  ])
  const { body = '', signature } = received[0] ?? {}
  expect(signature).toBe(createHmac('sha256', 'key').update(body).digest('base64'))
  expect(webhooks.pending()).toBe(0)
})

test('webhooks are retried with delays, and a subscription that keeps failing is removed', async () => {
  const { simulator, account } = await start()
  const { url, received } = await startReceiver([500, 500, 200, 500, 500, 500])
  const { webhooks, clock } = simulator
  webhooks.subscribe({ id: 'w', url, secret: 'key' })
  const deliverAfter = async (ms: number) => {
    clock.advance(ms)
    return (await webhooks.deliver()).map(({ attempt, status }) => [attempt, status])
  }
  account.store.insert('Note', '1', {})
  expect(await deliverAfter(1000)).toEqual([[1, 500]])
  expect(await deliverAfter(9999)).toEqual([])
  expect(await deliverAfter(1)).toEqual([[2, 500]])
  expect(await deliverAfter(60_000)).toEqual([[3, 200]])
  expect(new Set(received.map(({ id }) => id)).size).toBe(1)
  account.store.insert('Note', '2', {})
  for (const ms of [1000, 10_000, 60_000]) await deliverAfter(ms)
  expect(webhooks.subscriptions.size).toBe(0)
})

test('webhooks arrive twice, in another order, or not at all on demand', async () => {
  const { simulator, account } = await start()
  const { url, received } = await startReceiver()
  const { webhooks, clock } = simulator
  webhooks.subscribe({ id: 'w', url, secret: 'key' })
  const deliver = async (ids: readonly string[]) => {
    for (const id of ids) account.store.insert('Note', id, {})
    clock.advance(1000)
    await webhooks.deliver()
    return received.splice(0).map(({ body }) => JSON.parse(body)[0].id)
  }
  webhooks.disturbNext({ duplicates: 1, reversed: true })
  expect(await deliver(['1', '2', '3'])).toEqual(['3', '3', '1', '1'])
  webhooks.disturbNext({ lost: true })
  expect(await deliver(['4'])).toEqual([])
  expect(await deliver(['5'])).toEqual(['5'])
})
