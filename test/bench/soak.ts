/**
 * The memory of one process under mixed load: lists over REST and GraphQL, writes, subscribers over WebSocket and
 * SSE, and webhooks. It must be flat once all caches are full. SOAK_MINUTES: duration, default 4.
 */
import { once } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { account } from '../../src/resources/crm/account.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { sampleRecord } from '../support/sample.ts'
import { startProcess, startServer, stopProcess } from './process.ts'
import type { BenchmarkOptions, Result } from './result.ts'
import { credentialId } from './seed.ts'
import type { Memory } from './soak-memory.ts'
import { median } from './statistics.ts'
import { authorization, pageRequest, SUBSCRIPTION, startTrunkline } from './trunkline.ts'

const MINUTES = Number(process.env.SOAK_MINUTES ?? 4)
const SAMPLES = 40
const CREDENTIALS = 4
const SOCKETS = 50
const STREAMS = 5
const WEBHOOKS = 3
/** Changes per transaction, and the pause after each transaction. */
const CHANGES_PER_TRANSACTION = 20
const WRITE_PAUSE_MS = 50
const READERS = 3
const READ_PAUSE_MS = 5
const MAX_MEMORY_RATIO = 1.1

const headers = { authorization, 'content-type': 'application/json' }
const pathOf = (name: string): string => fileURLToPath(new URL(name, import.meta.url))

/** Memory growth from the second quarter of the time to the last. */
export const benchmarkSoak = async ({
  postgres,
  log,
}: BenchmarkOptions): Promise<readonly Result[]> => {
  const url = await postgres.createDatabase('soak')
  await applyMigrations(url)
  await using stack = new AsyncDisposableStack()
  const database = openDatabase({ url })
  stack.defer(() => database.stop())
  const receiver = await startServer({
    name: 'webhooks-receiver',
    script: pathOf('webhooks-receiver.ts'),
    env: {},
  })
  stack.defer(receiver.stop)
  const server = await startTrunkline(url, CREDENTIALS, 'all', {
    NODE_OPTIONS: `--import=${new URL('soak-memory.ts', import.meta.url)}`,
    ALLOW_PRIVATE_ADDRESSES: 'true',
  })
  stack.defer(server.stop)
  for (let n = 0; n < WEBHOOKS; n++)
    await post(`${server.origin}/2024-03/one/webhooks`, {
      address: `${receiver.origin}/${n}`,
      topic: [account.topic],
    })
  const crowd = startProcess({ name: 'crowd', script: pathOf('fanout-crowd.ts'), env: {} })
  stack.defer(() => stopProcess(crowd.child))
  const order = { group: 'soak', sockets: SOCKETS, authorization, query: SUBSCRIPTION }
  for (const message of [
    { kind: 'join', ...order, origin: server.origin, variables: {} },
    // More messages than can arrive, so that the subscriptions stay open.
    { kind: 'listen', group: 'soak', messages: Number.MAX_SAFE_INTEGER, isTimed: false },
  ]) {
    const done = once(crowd.child, 'message')
    crowd.child.send(message)
    await done
  }

  const ending = new AbortController()
  const counts = { changes: 0, requests: 0 }
  const { environmentId } = await database.prisma.credential.findUniqueOrThrow({
    where: { id: credentialId(1) },
  })
  const toLine = createLineWriter(account)
  const write = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const id = credentialId(1 + (counts.changes % CREDENTIALS))
      // Each transaction changes records from the same thousand of a credential.
      const lines = Array.from({ length: CHANGES_PER_TRANSACTION }, (_, n) =>
        toLine({
          ...sampleRecord(id, account, 1 + ((counts.changes + n) % 1000)),
          website: `https://www.example.com/${counts.changes}`,
        }),
      )
      await database.transaction((transaction) =>
        applyChanges(transaction, { credentialId: id, environmentId }, account, lines, {
          accept: 'all',
        }),
      )
      counts.changes += CHANGES_PER_TRANSACTION
      await wait(WRITE_PAUSE_MS)
    }
  }
  const read = async (): Promise<void> => {
    while (!ending.signal.aborted) {
      const { path } = pageRequest(credentialId(1 + (counts.requests % CREDENTIALS)))
      await (await request(server.origin + path, { headers })).body.dump()
      const query = `{ crmAccounts(credentialId: "${credentialId(1)}") { nodes { id accountName } } }`
      await post(`${server.origin}/graphql`, { query })
      counts.requests += 2
      await wait(READ_PAUSE_MS)
    }
  }
  const listen = async (): Promise<void> => {
    const { body } = await request(`${server.origin}/graphql`, {
      method: 'POST',
      body: JSON.stringify({ query: SUBSCRIPTION }),
      signal: ending.signal,
      headers: { ...headers, accept: 'text/event-stream' },
      bodyTimeout: 0,
    })
    for await (const _chunk of body);
  }
  const sample = async (): Promise<Memory> => {
    const sampled = once(server.child, 'message')
    server.child.send('memory')
    return (await sampled)[0]
  }

  const load = Promise.all([write(), ...Array.from({ length: READERS }, read)])
  const streams = Array.from({ length: STREAMS }, () => listen().catch(ignoreAbort(ending.signal)))
  const samples: Memory[] = []
  const startedAt = performance.now()
  for (let n = 0; n < SAMPLES; n++) {
    await Promise.race([wait((MINUTES * 60_000) / SAMPLES), load])
    samples.push(await sample())
    if ((n + 1) % (SAMPLES / 8) === 0) log(describe(n, counts.changes, samples.at(-1)))
  }
  const seconds = (performance.now() - startedAt) / 1000
  ending.abort()
  await Promise.all([load, ...streams])
  const medianOfQuarter = (n: number): number =>
    median(samples.slice((n * SAMPLES) / 4, ((n + 1) * SAMPLES) / 4).map(({ rss }) => rss))
  const ratio = medianOfQuarter(3) / medianOfQuarter(1)
  return [
    {
      name: 'soak',
      ratio,
      floor: `≤ ${MAX_MEMORY_RATIO}`,
      holds: ratio <= MAX_MEMORY_RATIO,
      requestsPerSecond: counts.requests / seconds,
      p50Ms: null,
      p99Ms: null,
      cpuMsPerRequest: null,
      postgresCpuMsPerRequest: null,
      rssMb: { firstQuarter: medianOfQuarter(0), lastQuarter: medianOfQuarter(3) },
    },
  ]
}

const post = async (url: string, body: object): Promise<void> => {
  const response = await request(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.body.text()
  if (response.statusCode !== 200) throw new Error(`${url}: ${response.statusCode} ${text}`)
}

/** A stream ends only by being aborted. */
const ignoreAbort = (signal: AbortSignal) => (error: unknown) => {
  if (!signal.aborted) throw error
}

const describe = (n: number, changes: number, memory: Memory | undefined): string => {
  const { rss = 0, heap = 0, external = 0 } = memory ?? {}
  const [total, inHeap, outside] = [rss, heap, external].map((mb) => mb.toFixed(0))
  return `Soak ${n + 1}/${SAMPLES}, ${changes} changes: ${total} MB resident, heap ${inHeap}, external ${outside}.`
}
