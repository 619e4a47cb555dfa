/** A database is dumped and restored into another cluster: whoever had a place in the change log keeps it. */
import { Webhook } from 'standardwebhooks'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { generateApiKey } from '../../src/api-key.ts'
import { connectors } from '../../src/generated/registry.ts'
import { createCredential, readCredential } from '../../src/store/credentials.ts'
import type { Database } from '../../src/store/database.ts'
import { saveApiKey } from '../../src/store/keys.ts'
import { applyMigrations } from '../../src/store/migrate.ts'
import { numbers, openPostOffice, type PostOffice, TOPIC, until } from '../delivery/post-office.ts'
import { type Received, type Receiver, startReceiver } from '../delivery/receiver.ts'
import { subscribe } from '../delivery/stage.ts'
import { missingPrograms, startCluster, type TestCluster } from '../support/cluster.ts'
import { openServer } from '../support/service.ts'
import { settled } from '../support/settled.ts'
import { testVault } from '../support/vault.ts'

if (missingPrograms) console.warn(missingPrograms)

const QUERY =
  'subscription ($after: String) { crmAccounts(after: $after) { cursor record { remoteId } } }'
const KEY = generateApiKey('development')
const SECRET_VALUES = { url: 'https://app.example.com', token: 'a secret of the end user' }

const drawTransactionIds = ({ prisma }: Database): Promise<number> =>
  // Each turn is a transaction within the transaction, and draws an id of its own.
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

const nextTransactionId = async ({ prisma }: Database): Promise<number> => {
  const [row] = await prisma.$queryRaw<{ xid: string }[]>`
    SELECT pg_snapshot_xmax(pg_current_snapshot())::text AS xid`
  return Number(row?.xid)
}

describe.skipIf(missingPrograms)(
  `a dump that is restored into another cluster${missingPrograms ? `: ${missingPrograms}` : ''}`,
  () => {
    let receiver: Receiver
    let clusters: TestCluster[] = []
    let office: PostOffice | undefined
    beforeAll(async () => {
      receiver = await startReceiver()
      clusters = await Promise.all([startCluster(), startCluster()])
    })
    afterAll(async () => {
      await office?.close()
      await receiver.stop()
      await Promise.all(clusters.map((cluster) => cluster.remove()))
    })

    const remoteIdOf = ({ body }: Received): string => JSON.parse(body).data.record.remoteId

    /** The accounts whose changes follow a cursor, by REST. */
    const readAfter = async ({ url }: PostOffice, after: string, pageSize = 100) => {
      const one = await openServer(url)
      const path = `/2024-03/one/changes?topics=${TOPIC}&after=${after}&pageSize=${pageSize}`
      const headers = { authorization: `Bearer ${KEY}` }
      const answer = await one.server.inject({ url: path, headers })
      await one.stop()
      expect(answer.statusCode, answer.body).toBe(200)
      const { changes, nextCursor } = answer.json()
      const remoteIds: string[] = changes.map(
        ({ record }: { record: { remoteId: string } }) => record.remoteId,
      )
      return { remoteIds, nextCursor: String(nextCursor) }
    }

    test('keeps the cursors, the places of webhooks, the keys and what is sealed', async () => {
      const [first, second] = clusters
      if (!first || !second) throw new Error('Two clusters were started.')
      await applyMigrations(first.url)
      const old = await openPostOffice({ at: { url: first.url, drop: async () => {} } })
      office = old
      const { home } = old
      await saveApiKey(old.database, home.environmentId, KEY)
      const connector = connectors.get('vendure')
      if (!connector) throw new Error('There is no such connector.')
      const owner = { environmentId: home.environmentId, userId: home.userId }
      const sealed = { ...owner, connector, values: SECRET_VALUES }
      const credentialId = await createCredential(old.database, testVault, sealed)
      const webhook = await old.subscribe(`${receiver.origin}/hook`)
      const secret = await old.secretOf(webhook)
      const begin = (await readAfter(old, 'now')).nextCursor

      await old.deliver()
      for (const n of [1, 2, 3]) await old.change([n])
      await until(() => receiver.at('/hook').length).toBe(3)
      await old.stopAll()
      const { remoteIds, nextCursor: cursor } = await readAfter(old, begin, 2)
      expect(remoteIds).toEqual(['1', '2'])
      await drawTransactionIds(old.database)
      for (const n of [4, 5]) await old.change([n])
      await settled(old)
      const end = (await readAfter(old, begin)).nextCursor
      const lastId = await nextTransactionId(old.database)
      await old.close()
      office = undefined

      await second.restore(await first.dump())
      expect(await applyMigrations(second.url)).toMatchObject({ applied: [] })
      const restored = await openPostOffice({
        ...{ at: { url: second.url, drop: async () => {} }, home },
      })
      office = restored
      // Otherwise nothing is put to the test.
      expect(await nextTransactionId(restored.database)).toBeLessThan(lastId)

      expect((await readAfter(restored, cursor)).remoteIds).toEqual(['3', '4', '5'])
      expect((await readAfter(restored, end)).remoteIds).toEqual([])
      const { database: opened, server, stop } = await openServer(second.url)
      const address = await server.listen({ port: 0, host: '127.0.0.1' })
      const subscribers = (['WebSocket', 'SSE'] as const).map((transport) =>
        subscribe(transport, {
          ...{ url: `${address}/graphql`, key: KEY, query: QUERY },
          variables: { after: cursor },
        }),
      )
      for (const one of subscribers) await one.until(3)
      for (const n of [6, 7]) await restored.change([n])
      for (const one of subscribers) {
        const heard = await one.until(5)
        const told = heard.map(({ data }) => data.crmAccounts.record.remoteId)
        expect(told).toEqual(['3', '4', '5', '6', '7'])
        one.stop()
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
        `restored ${lastId - (await nextTransactionId(restored.database))} transaction ids back: 7 changes, 0 missed, 0 doubled`,
      )
    })
  },
)
