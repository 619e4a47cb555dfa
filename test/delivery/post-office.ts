/** A database with an environment whose records change, and deliveries on it. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { readPayload } from '../../src/api/payload-selection.ts'
import { createWebhookDelivery, type WebhookDeliveryOptions } from '../../src/delivery/webhooks.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { applyChanges } from '../../src/store/apply-changes.ts'
import { createChangeFeed } from '../../src/store/change-feed.ts'
import { openDatabase } from '../../src/store/database.ts'
import { createNotices } from '../../src/store/notices.ts'
import { createLineWriter } from '../../src/store/record-lines.ts'
import { listAttempts } from '../../src/store/webhook-attempts.ts'
import { createWebhook, type NewWebhook, readWebhookSecret } from '../../src/store/webhooks.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sampleRecord } from '../support/sample.ts'
import { testVault } from '../support/vault.ts'
import { keepingLog } from '../sync/workshop-log.ts'

export const accounts = catalogue.get('crm/accounts')
export const TOPIC = accounts.topic

/** What makes the tests quick: a schedule a thousand times as fast, and a look at the settings every second. */
export const quick = {
  allowPrivateAddresses: true,
  leaseMs: 5000,
  checkpointMs: 50,
  graceMs: 200,
  timeScale: 0.001,
} as const

export type PostOffice = Awaited<ReturnType<typeof openPostOffice>>

/** Whose records change. */
export interface Home {
  readonly environmentId: string
  readonly credentialId: string
  readonly userId: string
}

export interface PostOfficeOptions {
  /** Unless given, a new one. */
  readonly at?: TestDatabase
  /** Unless given, a new one; of another office, whose database this one has. */
  readonly home?: Home
}

export const openPostOffice = async (options: PostOfficeOptions = {}) => {
  const { url, drop } = options.at ?? (await createTestDatabase())
  const statements: string[] = []
  const database = openDatabase({ url, onStatement: (sql) => void statements.push(sql) })
  const { prisma } = database
  const notices = createNotices(url)
  const feed = createChangeFeed(notices)
  await notices.start()
  feed.start()
  const log = keepingLog()
  const deliveries: ReturnType<typeof createWebhookDelivery>[] = []

  const addEnvironment = async (): Promise<Home> => {
    const organisation = await prisma.organisation.create({ data: { name: randomUUID() } })
    const environment = await prisma.environment.create({
      data: { organisationId: organisation.id, kind: 'development' },
    })
    const environmentId = environment.id
    const user = await prisma.endUser.create({ data: { environmentId, username: 'someone' } })
    const credentialId = randomUUID()
    await prisma.credential.create({
      data: {
        ...{ id: credentialId, route: credentialId.slice(0, 8), environmentId },
        ...{ userId: user.id, app: 'test', values: {} },
      },
    })
    return { environmentId, credentialId, userId: user.id }
  }
  const home = options.home ?? (await addEnvironment())

  return {
    ...{ url, database, log, statements, home, addEnvironment },
    subscribe: async (
      address: string,
      given: Partial<NewWebhook> = {},
      { environmentId } = home,
    ): Promise<string> => {
      const wanted = { address, topic: [TOPIC], ...given }
      const made = await createWebhook(database, testVault, environmentId, wanted, (topics, text) =>
        readPayload(catalogue, topics, text),
      )
      return made.subscriptionId
    },
    secretOf: async (id: string, { environmentId } = home): Promise<string> =>
      (await readWebhookSecret(database, testVault, environmentId, id)) ?? '',
    /** Changes the records of these numbers in one transaction. */
    change: async (
      numbers: readonly number[],
      fields: object = {},
      { environmentId, credentialId } = home,
    ): Promise<void> => {
      const toLine = createLineWriter(accounts)
      const rows = numbers.map((n) =>
        toLine({ ...sampleRecord(credentialId, accounts, n), ...fields }),
      )
      await prisma.$transaction((transaction) =>
        applyChanges(transaction, { credentialId, environmentId }, accounts, rows, {
          accept: 'all',
        }),
      )
    },
    /** Another process's worth of delivery, started. */
    deliver: async (options: Partial<WebhookDeliveryOptions> = {}) => {
      const delivery = createWebhookDelivery({
        ...{ database, vault: testVault, feed, log, ...quick },
        ...options,
      })
      deliveries.push(delivery)
      await delivery.start()
      return delivery
    },
    /** Oldest first. */
    attempts: async (subscriptionId: string) => {
      const page = await listAttempts(database, { subscriptionId, limit: 10_000 })
      return page.attempts.toReversed()
    },
    waiting: (subscriptionId: string) => prisma.webhookRetry.count({ where: { subscriptionId } }),
    stopAll: async (): Promise<void> => {
      await Promise.all(deliveries.splice(0).map((delivery) => delivery.stop()))
    },
    close: async (): Promise<void> => {
      await Promise.all(deliveries.splice(0).map((delivery) => delivery.stop()))
      feed.stop()
      await notices.stop()
      await database.stop()
      await drop()
    },
  }
}

/** Numbers from 1 on. */
export const numbers = (count: number, from = 1): number[] =>
  Array.from({ length: count }, (_, place) => from + place)

/** Waits until it holds; fails with what it was last. */
export const until = <T>(read: () => T | Promise<T>, timeout = 60_000) =>
  expect.poll(read, { timeout, interval: 20 })
