/** A database with an environment, changing records and webhook deliveries. */
import { randomUUID } from 'node:crypto'
import { expect } from 'vitest'
import { readPayload } from '../../src/api/payload-selection.ts'
import { createWebhookDelivery, type WebhookDeliveryOptions } from '../../src/delivery/webhooks.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { createChangeSignal } from '../../src/store/changes/change-signal.ts'
import { createClock } from '../../src/store/database/clock.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { createPgListener } from '../../src/store/database/pg-listener.ts'
import { applyChanges } from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { listAttempts } from '../../src/store/webhooks/webhook-attempts.ts'
import {
  createWebhook,
  type NewWebhook,
  readWebhookSecret,
} from '../../src/store/webhooks/webhooks.ts'
import { createTestDatabase, type TestDatabase } from '../support/database.ts'
import { sampleRecord } from '../support/sample.ts'
import { testVault } from '../support/vault.ts'
import { createRecordingLog } from '../sync/recording-log.ts'

export const accounts = catalogue.get('crm/accounts')
export const TOPIC = accounts.topic

/** Test settings: a schedule a thousand times as fast, and short leases and checkpoints. */
export const quick = {
  allowPrivateAddresses: true,
  leaseMs: 5000,
  checkpointMs: 50,
  graceMs: 200,
  timeScale: 0.001,
} as const

export type WebhookHarness = Awaited<ReturnType<typeof openWebhookHarness>>

/** The environment and credential whose records change. */
export interface ChangingEnvironment {
  readonly environmentId: string
  readonly credentialId: string
  readonly userId: string
}

export interface WebhookHarnessOptions {
  /** Default: a new database. */
  readonly at?: TestDatabase
  /** Default: a new environment; pass that of another harness on the same database. */
  readonly owner?: ChangingEnvironment
}

export const openWebhookHarness = async (options: WebhookHarnessOptions = {}) => {
  const { url, drop } = options.at ?? (await createTestDatabase())
  const statements: string[] = []
  const database = openDatabase({ url, onStatement: (sql) => void statements.push(sql) })
  const { prisma } = database
  const clock = createClock()
  const pgListener = createPgListener(url, clock)
  const changeSignal = createChangeSignal(pgListener)
  await pgListener.start()
  changeSignal.start()
  const log = createRecordingLog()
  const deliveries: ReturnType<typeof createWebhookDelivery>[] = []

  const addEnvironment = async (): Promise<ChangingEnvironment> => {
    const organisation = await prisma.organisation.create({ data: { name: randomUUID() } })
    const environment = await prisma.environment.create({
      data: { organisationId: organisation.id, kind: 'development' },
    })
    const environmentId = environment.id
    const user = await prisma.endUser.create({ data: { environmentId, username: 'someone' } })
    const credentialId = randomUUID()
    await prisma.credential.create({
      data: {
        id: credentialId,
        route: credentialId.slice(0, 8),
        environmentId,
        userId: user.id,
        app: 'test',
        values: {},
      },
    })
    return { environmentId, credentialId, userId: user.id }
  }
  const owner = options.owner ?? (await addEnvironment())

  return {
    url,
    database,
    log,
    statements,
    owner,
    addEnvironment,
    subscribe: async (
      address: string,
      fields: Partial<NewWebhook> = {},
      { environmentId } = owner,
    ): Promise<string> => {
      const input = { address, topic: [TOPIC], ...fields }
      const created = await createWebhook(
        database,
        testVault,
        environmentId,
        input,
        (topics, text) => readPayload(catalogue, topics, text),
      )
      return created.subscriptionId
    },
    secretOf: async (id: string, { environmentId } = owner): Promise<string> =>
      (await readWebhookSecret(database, testVault, environmentId, id)) ?? '',
    /** Changes the records with these numbers in one transaction. */
    change: async (
      numbers: readonly number[],
      fields: object = {},
      { environmentId, credentialId } = owner,
    ): Promise<void> => {
      const toLine = createLineWriter(accounts)
      const rows = numbers.map((n) =>
        toLine({ ...sampleRecord(credentialId, accounts, n), ...fields }),
      )
      await database.transaction((transaction) =>
        applyChanges(transaction, { credentialId, environmentId }, accounts, rows, {
          accept: 'all',
        }),
      )
    },
    /** Starts the delivery of another process. */
    deliver: async (options: Partial<WebhookDeliveryOptions> = {}) => {
      const delivery = createWebhookDelivery({
        database,
        clock,
        vault: testVault,
        changeSignal,
        log,
        ...quick,
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
      changeSignal.stop()
      await pgListener.stop()
      await database.stop()
      await drop()
    },
  }
}

/** Numbers from 1 on. */
export const numbers = (count: number, from = 1): number[] =>
  Array.from({ length: count }, (_, index) => from + index)

/** Polls until the assertion holds; fails with the last value. */
export const until = <T>(read: () => T | Promise<T>, timeout = 60_000) =>
  expect.poll(read, { timeout, interval: 20 })
