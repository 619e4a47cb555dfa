/** A database moved to another cluster: readers keep their positions in the change log. */
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { connectors } from '../../src/generated/registry.ts'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { createCredential, readCredential } from '../../src/store/accounts/credentials.ts'
import { saveApiKey } from '../../src/store/accounts/keys.ts'
import { copyDatabase } from '../../src/store/database/copy-database.ts'
import type { Database } from '../../src/store/database/database.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { type Received, type Receiver, startReceiver } from '../delivery/receiver.ts'
import { subscribe } from '../delivery/subscription-harness.ts'
import {
  numbers,
  openWebhookHarness,
  TOPIC,
  until,
  type WebhookHarness,
} from '../delivery/webhook-harness.ts'
import { missingPrograms, startCluster, type TestCluster } from '../support/cluster.ts'
import { openServer } from '../support/service.ts'
import { untilLogReadable } from '../support/until-log-readable.ts'
import { testVault } from '../support/vault.ts'

if (missingPrograms) console.warn(missingPrograms)

const QUERY =
  'subscription ($after: String) { crmAccounts(after: $after) { cursor record { remoteId } } }'
const KEY = generateApiKey('development')
const SECRET_VALUES = { url: 'https://app.example.com', token: 'a secret of the end user' }

const consumeTransactionIds = ({ prisma }: Database): Promise<number> =>
  // Each iteration is a subtransaction and takes a transaction id.
  prisma.$executeRaw`
    DO $$ BEGIN
      CREATE TEMPORARY TABLE turns (n integer);
      FOR n IN 1..5000 LOOP
        BEGIN
          INSERT INTO turns VALUES (n);
        EXCEPTION WHEN unique_violation THEN
        END;
      END LOOP;
    END $$`

const readNextTransactionId = async ({ prisma }: Database): Promise<number> => {
  const [row] = await prisma.$queryRaw<{ xid: string }[]>`
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid`
  return Number(row?.xid)
}

type Move = (from: TestCluster, to: TestCluster) => Promise<unknown>

const restoreDump: Move = async (from, to) => {
  await to.restore(await from.dump())
  expect(await applyMigrations(to.url)).toMatchObject({ applied: [] })
}

const copyDirectly: Move = async (from, to) => {
  await applyMigrations(to.url)
  expect(await copyDatabase(from.url, to.url)).toContainEqual({ name: 'credentials', rows: 2 })
  await expect(copyDatabase(from.url, to.url)).rejects.toThrow('already has data')
}

describe.skipIf(missingPrograms).each([
  { title: 'a dump restored into another cluster', move: restoreDump },
  { title: 'a copy in another cluster', move: copyDirectly },
])(`$title${missingPrograms ? `: ${missingPrograms}` : ''}`, ({ move }) => {
  let receiver: Receiver
  let clusters: TestCluster[] = []
  let harness: WebhookHarness | undefined
  beforeAll(async () => {
    receiver = await startReceiver()
    clusters = await Promise.all([startCluster(), startCluster()])
  })
  afterAll(async () => {
    await harness?.close()
    await receiver.stop()
    await Promise.all(clusters.map((cluster) => cluster.remove()))
  })

  const remoteIdOf = ({ body }: Received): string => JSON.parse(body).data.record.remoteId

  /** The accounts whose changes follow a cursor, over REST. */
  const readAfter = async ({ url }: WebhookHarness, after: string, pageSize = 100) => {
    const opened = await openServer(url)
    const path = `/2024-03/one/changes?topics=${TOPIC}&after=${after}&pageSize=${pageSize}`
    const headers = { authorization: `Bearer ${KEY}` }
    const response = await opened.server.inject({ url: path, headers })
    await opened.stop()
    expect(response.statusCode, response.body).toBe(200)
    const { changes, nextCursor } = response.json()
    const remoteIds: string[] = changes.map(
      ({ record }: { record: { remoteId: string } }) => record.remoteId,
    )
    return { remoteIds, nextCursor: String(nextCursor) }
  }

  test('keeps cursors, webhook positions, keys and sealed values', async () => {
    const [first, second] = clusters
    if (!first || !second) throw new Error('Expected two clusters.')
    await applyMigrations(first.url)
    const earlierHarness = await openWebhookHarness({
      at: { url: first.url, drop: async () => {} },
    })
    harness = earlierHarness
    const { owner } = earlierHarness
    await saveApiKey(earlierHarness.database, owner.environmentId, KEY)
    const connector = connectors.get('vendure')
    if (!connector) throw new Error('There is no such connector.')
    const { environmentId, userId } = owner
    const sealed = { environmentId, userId, connector, values: SECRET_VALUES }
    const credentialId = await createCredential(earlierHarness.database, testVault, sealed)
    const webhook = await earlierHarness.subscribe(`${receiver.origin}/hook`)
    const secret = await earlierHarness.secretOf(webhook)
    const begin = (await readAfter(earlierHarness, 'now')).nextCursor

    await earlierHarness.deliver()
    for (const n of [1, 2, 3]) await earlierHarness.change([n])
    await until(() => receiver.at('/hook').length).toBe(3)
    await earlierHarness.stopAll()
    const { remoteIds, nextCursor: cursor } = await readAfter(earlierHarness, begin, 2)
    expect(remoteIds).toEqual(['1', '2'])
    await consumeTransactionIds(earlierHarness.database)
    for (const n of [4, 5]) await earlierHarness.change([n])
    await untilLogReadable(earlierHarness)
    const end = (await readAfter(earlierHarness, begin)).nextCursor
    const lastId = await readNextTransactionId(earlierHarness.database)
    await earlierHarness.close()
    harness = undefined

    await move(first, second)
    const restored = await openWebhookHarness({
      at: { url: second.url, drop: async () => {} },
      owner,
    })
    harness = restored
    // The restored cluster must have lower transaction ids, or the test proves nothing.
    expect(await readNextTransactionId(restored.database)).toBeLessThan(lastId)

    expect((await readAfter(restored, cursor)).remoteIds).toEqual(['3', '4', '5'])
    expect((await readAfter(restored, end)).remoteIds).toEqual([])
    const { database: opened, server, stop } = await openServer(second.url)
    const address = await server.listen({ port: 0, host: '127.0.0.1' })
    const subscribers = (['WebSocket', 'SSE'] as const).map((transport) =>
      subscribe(transport, {
        url: `${address}/graphql`,
        key: KEY,
        query: QUERY,
        variables: { after: cursor },
      }),
    )
    for (const subscriber of subscribers) await subscriber.until(3)
    for (const n of [6, 7]) await restored.change([n])
    for (const subscriber of subscribers) {
      const results = await subscriber.until(5)
      const received = results.map(({ data }) => data.crmAccounts.record.remoteId)
      expect(received).toEqual(['3', '4', '5', '6', '7'])
      subscriber.stop()
    }
    expect((await readAfter(restored, end)).remoteIds).toEqual(['6', '7'])
    expect((await readAfter(restored, cursor)).remoteIds).toEqual(['3', '4', '5', '6', '7'])

    await restored.deliver()
    await until(() => receiver.at('/hook').length).toBe(7)
    expect(receiver.at('/hook').map(remoteIdOf).toSorted()).toEqual(numbers(7).map(String))
    const verifier = new Webhook(secret)
    for (const { body, headers } of receiver.at('/hook'))
      verifier.verify(body, headers as Record<string, string>)
    expect(await restored.secretOf(webhook)).toBe(secret)
    expect(await readCredential(opened, testVault, credentialId)).toMatchObject({
      values: SECRET_VALUES,
    })
    await stop()
    console.log(
      `restored ${lastId - (await readNextTransactionId(restored.database))} transaction ids back: 7 changes, 0 missed, 0 duplicated`,
    )
  })
})
