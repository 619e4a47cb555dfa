/** A socket that is opened while the database is away, by the official client with its own retries. */
import { setTimeout as wait } from 'node:timers/promises'
import { createClient } from 'graphql-ws'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type DatabaseWay, openDatabaseWay } from '../support/database-way.ts'
import { openServer } from '../support/service.ts'
import { account, openSocketClient, type Stage, startStage } from './stage.ts'

const QUERY = 'subscription { crmAccounts { record { website } } }'

let stage: Stage
let way: DatabaseWay
let server: Awaited<ReturnType<typeof openServer>>
let url: string
beforeAll(async () => {
  stage = await startStage()
  way = await openDatabaseWay(stage.service.url)
  server = await openServer(way.url)
  url = `${await server.server.listen({ port: 0, host: '127.0.0.1' })}/graphql`
})
afterAll(async () => {
  await server.stop()
  await way.close()
  await stage.stop()
})

test('it is closed with 4503, and the client’s own retries bring the subscription back', async () => {
  const closed: unknown[] = []
  const websites: string[] = []
  let end: unknown
  const client = createClient({
    ...{ url: url.replace('http', 'ws'), webSocketImpl: WebSocket },
    connectionParams: { authorization: `Bearer ${stage.tenant.key}` },
    retryAttempts: 10_000,
    retryWait: () => wait(20),
    on: { closed: (event) => closed.push(event) },
  })
  const followed = () => expect.poll(() => server.live.followers, { interval: 5 }).toBe(1)
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
  await followed()
  await stage.write([account(1, 'before')])
  await expect.poll(() => websites).toEqual(['before'])
  way.cut()
  // Until that is heard, its key is remembered.
  const isKnown = () => server.access.keyOwner(stage.tenant.key).catch(() => 'away')
  await expect.poll(isKnown, { interval: 5 }).toBe('away')
  client.terminate()
  await expect
    .poll(() => closed)
    .toContainEqual(expect.objectContaining({ code: 4503, reason: 'Not ready' }))
  way.mend()
  await expect.poll(isKnown, { interval: 5 }).toMatchObject({ environment: 'development' })
  await followed()
  await stage.write([account(1, 'after')])
  await expect.poll(() => websites.at(-1)).toBe('after')
  expect(end).toBe(undefined)
  await client.dispose()
})

test('what fails otherwise is masked, and closes it with 4500', async () => {
  const keyOwner = vi.spyOn(server.access, 'keyOwner').mockRejectedValue(new Error('a secret'))
  const client = openSocketClient(url, stage.tenant.key)
  const end = await new Promise((resolve) => {
    client.subscribe({ query: QUERY }, { next: resolve, error: resolve, complete: () => {} })
  })
  expect(end).toMatchObject({ code: 4500, reason: 'Internal server error' })
  keyOwner.mockRestore()
  await client.dispose()
})
