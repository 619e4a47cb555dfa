/** Setup shared by the webhook benchmarks: changing records, an endpoint, and our delivery in a process. */
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { request } from 'undici'
import { account } from '../../src/resources/crm/account.ts'
import { ensureEnvironment } from '../../src/store/accounts/environments.ts'
import { ensureUser } from '../../src/store/accounts/users.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import {
  generateEncryptionKey,
  parseEncryptionKeys,
} from '../../src/store/secrets/encryption-key.ts'
import { createVault } from '../../src/store/secrets/vault.ts'
import { createWebhook } from '../../src/store/webhooks/webhooks.ts'
import { sampleRecord } from '../support/sample.ts'
import type { Postgres } from './postgres.ts'
import { startProcess, startServer, stopProcess } from './process.ts'
import { credentialId } from './seed.ts'

export type Stage = Awaited<ReturnType<typeof openStage>>

const pathOf = (name: string): string =>
  fileURLToPath(new URL(`webhooks-${name}.ts`, import.meta.url))

/** An environment with a credential whose records change. */
const createWriter = async (database: Database) => {
  const environmentId = await ensureEnvironment(database, 'Bench', 'development')
  const userId = await ensureUser(database, environmentId, 'bench', 'Bench')
  const id = credentialId(1)
  await database.prisma.credential.create({
    data: { id, route: id.slice(0, 8), environmentId, userId, app: 'bench', values: {} },
  })
  const toLine = createLineWriter(account)
  return {
    environmentId,
    change: async (from: number, count: number): Promise<void> => {
      const lines = Array.from({ length: count }, (_, n) =>
        toLine(sampleRecord(id, account, from + n)),
      )
      await database.transaction((transaction) =>
        applyChanges(transaction, { credentialId: id, environmentId }, account, lines, {
          accept: 'all',
        }),
      )
    },
  }
}

/** A new database, with an endpoint. */
export const openStage = async (postgres: Postgres, name: string) => {
  const stack = new AsyncDisposableStack()
  const url = await postgres.createDatabase(name)
  await applyMigrations(url)
  const database = openDatabase({ url })
  stack.defer(() => database.stop())
  const startEndpoint = async (script: string): Promise<string> => {
    const endpoint = await startServer({
      name: `webhooks-${script}`,
      script: pathOf(script),
      env: {},
    })
    stack.defer(endpoint.stop)
    return endpoint.origin
  }
  const receiver = await startEndpoint('receiver')
  const fetchText = async (path: string) => (await request(receiver + path)).body.text()
  const keys = generateEncryptionKey()
  const vault = createVault(parseEncryptionKeys(keys))
  const writer = await createWriter(database)

  return {
    database,
    receiver,
    startEndpoint,
    writer,
    reset: () => fetchText('/reset'),
    /** Resolves with the latency of each message once this many have arrived. */
    arrived: async (count: number): Promise<number[]> =>
      JSON.parse(await fetchText(`/await?count=${count}`)),
    subscribe: async (address: string): Promise<string> => {
      const wanted = { address, topic: [account.topic] }
      const { environmentId } = writer
      return (await createWebhook(database, vault, environmentId, wanted, () => ({})))
        .subscriptionId
    },
    /** Starts a sender that waits for a message. */
    startSender: async (script: 'bare' | 'ours', env: Readonly<Record<string, string>> = {}) => {
      const { child, printed } = startProcess({
        name: `webhooks-${script}`,
        script: pathOf(script),
        env: { DATABASE_URL: url, ENCRYPTION_KEYS: keys, ...env },
      })
      const ended = once(child, 'exit').then(() => {
        throw new Error(`webhooks-${script}.ts ended early:\n${printed()}`)
      })
      // The process ends at the end of the benchmark.
      ended.catch(() => {})
      await Promise.race([once(child, 'message'), ended])
      return {
        pid: child.pid ?? Number.NaN,
        go: (): void => void child.send('go'),
        /** Waits for `work`, and rejects if the sender ends before. */
        during: <T>(work: Promise<T>): Promise<T> => Promise.race([work, ended]),
        [Symbol.asyncDispose]: () => stopProcess(child),
      }
    },
    [Symbol.asyncDispose]: () => stack.disposeAsync(),
  }
}
