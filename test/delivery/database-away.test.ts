/** A socket that opens while the database is down; the official client retries. */
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type DatabaseProxy, openDatabaseProxy } from '../support/database-proxy.ts'
import { openServer } from '../support/service.ts'
import {
  account,
  openSocketClient,
  type SubscriptionHarness,
  startSubscriptionHarness,
} from './subscription-harness.ts'

const QUERY = 'subscription { crmAccounts { record { website } } }'

let harness: SubscriptionHarness
let way: DatabaseProxy
let server: Awaited<ReturnType<typeof openServer>>
let url: string
beforeAll(async () => {
  harness = await startSubscriptionHarness()
  way = await openDatabaseProxy(harness.service.url)
  server = await openServer(way.url)
  url = `${await server.server.listen({ port: 0, host: '127.0.0.1' })}/graphql`
})
afterAll(async () => {
  await server.stop()
  await way.close()
  await harness.stop()
})

test('closes with 4503 while the database is down, and the client’s retries restore the subscription', async () => {
  const closed: unknown[] = []
  const websites: string[] = []
  let end: unknown
  const client = createClient({
    url: url.replace('http', 'ws'),
    webSocketImpl: WebSocket,
    connectionParams: { authorization: `Bearer ${harness.tenant.key}` },
    retryAttempts: 10_000,
    retryWait: () => wait(20),
    on: { closed: (event) => closed.push(event) },
  })
  const expectOneFollower = () => expect.poll(() => server.live.followers, { interval: 5 }).toBe(1)
  client.subscribe<{ crmAccounts: { record: { website: string } } }>(
    { query: QUERY },
    {
      next: ({ data }) => void websites.push(data?.crmAccounts.record.website ?? ''),
      error: (error) => {
        end = error
      },
      complete: () => {
        end = 'complete'
      },
    },
  )
  await expectOneFollower()
  await harness.write([account(1, 'before')])
  await expect.poll(() => websites).toEqual(['before'])
  way.cut()
  // The key stays cached until the service notices the outage.
  const isKnown = () => server.access.keyOwner(harness.tenant.key).catch(() => 'away')
  await expect.poll(isKnown, { interval: 5 }).toBe('away')
  client.terminate()
  await expect
    .poll(() => closed)
    .toContainEqual(expect.objectContaining({ code: 4503, reason: 'Not ready' }))
  way.restore()
  await expect.poll(isKnown, { interval: 5 }).toMatchObject({ environment: 'development' })
  await expectOneFollower()
  await harness.write([account(1, 'after')])
  await expect.poll(() => websites.at(-1)).toBe('after')
  expect(end).toBe(undefined)
  await client.dispose()
})

test('masks an unexpected error and closes with 4500', async () => {
  const keyOwner = vi.spyOn(server.access, 'keyOwner').mockRejectedValue(new Error('a secret'))
  const client = openSocketClient(url, harness.tenant.key)
  const end = await new Promise((resolve) => {
    client.subscribe({ query: QUERY }, { next: resolve, error: resolve, complete: () => {} })
  })
  expect(end).toMatchObject({ code: 4500, reason: 'Internal server error' })
  keyOwner.mockRestore()
  await client.dispose()
})
