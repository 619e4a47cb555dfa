/**
 * Tokens under many processes, against a real authorization server that revokes a grant whose refresh token is used
 * twice: one refresh per expiry, and renewals that continue after a process is killed, where the app allows it.
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readTokens } from '../../src/store/accounts/credential-tokens.ts'
import { createCredential } from '../../src/store/accounts/credentials.ts'
import { setOAuthClient } from '../../src/store/accounts/oauth-clients.ts'
import { reviveCredential } from '../../src/store/accounts/revive-credential.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  startAuthorizationServer,
} from '../support/authorization-server.ts'
import { createChildren, kill } from '../support/children.ts'
import { createTestDatabase } from '../support/database.ts'
import { defineTokenConnector, tokenClient, tokenClientMetadata } from '../support/token-app.ts'
import { testVault } from '../support/vault.ts'
import { addUser, type Owner } from '../sync/sync-harness.ts'

const PROCESSES = 8
const EXPIRIES = 200
const KILLS = 10
const SCRIPT = join(import.meta.dirname, 'token-process.ts')

interface Failure {
  readonly kind: 'started' | 'failure'
  readonly code?: string
  readonly reason?: string
}

const children = createChildren()
let url: string
let drop: () => Promise<void>
let database: Database
let owner: Owner
let server: AuthorizationServer

beforeEach(async () => {
  const created = await createTestDatabase()
  url = created.url
  drop = created.drop
  database = openDatabase({ url })
  owner = await addUser(database)
  const key = { environmentId: owner.environmentId, app: 'ledger' }
  await setOAuthClient(database, testVault, key, { ...tokenClient, scopes: null })
})
afterEach(async () => {
  await children.killAll()
  await server.stop()
  await database.stop()
  await drop()
})

const open = async (options: Partial<AuthorizationServerOptions>): Promise<string> => {
  server = await startAuthorizationServer({ clients: [tokenClientMetadata], ...options })
  const connector = defineTokenConnector(server)
  const issued = await server.issue(tokenClient.clientId)
  // The access token has expired, so that the first request renews it.
  const tokens = { ...issued, expiresAt: '2020-01-01T00:00:00.000Z', values: {} }
  const credential = { ...owner, connector, method: 'oauth', values: {}, tokens }
  return createCredential(database, testVault, credential)
}

const startProcess = async (
  id: string,
  leaseMs: number,
  failures: Failure[],
): Promise<ChildProcess> => {
  const child = children.start(SCRIPT, [url, server.url, id, String(leaseMs)])
  const started = once(child, 'message')
  child.on('message', (message: Failure) => {
    if (message.kind === 'failure') failures.push(message)
  })
  await started
  return child
}

const readVersion = async (credentialId: string): Promise<number> => {
  const place = { credentialId, environmentId: owner.environmentId }
  return (await readTokens(database, testVault, place))?.version ?? 0
}

const untilVersion = async (credentialId: string, version: number): Promise<void> => {
  await expect
    .poll(() => readVersion(credentialId), { timeout: 500_000, interval: 50 })
    .toBeGreaterThanOrEqual(version)
}

test(`${PROCESSES} processes renew a token once in each of ${EXPIRIES} expiries`, async () => {
  const id = await open({ tokenSeconds: 1 })
  const failures: Failure[] = []
  await Promise.all(Array.from({ length: PROCESSES }, () => startProcess(id, 30_000, failures)))
  await untilVersion(id, 1 + EXPIRIES)
  await children.killAll()
  const { succeeded, failed } = server.countsOf('refresh_token')
  const version = await readVersion(id)
  console.log({
    processes: PROCESSES,
    refreshes: succeeded,
    version,
    requests: server.apiStatuses.length,
    rejected: server.apiStatuses.filter((status) => status !== 200).length,
    failures: failures.length,
  })
  expect(failed).toEqual(new Map())
  expect(failures).toEqual([])
  // The last renewal may not have been stored when the processes were killed.
  expect([0, 1]).toContain(succeeded - (version - 1))
})

test(`${KILLS} processes killed in the middle of a refresh leave a state that other processes continue from`, async () => {
  // The app accepts a replaced refresh token for a while, as Shopify does.
  const id = await open({ tokenSeconds: 1, graceMs: 60_000 })
  const failures: Failure[] = []
  for (let time = 0; time < KILLS; time++) {
    const version = await readVersion(id)
    const reached = Promise.withResolvers<void>()
    // Half of them are killed before the app processes the request, half before its response arrives.
    const hook = time % 2 === 0 ? 'onTokenRequest' : 'onTokenResponse'
    server.hooks[hook] = () => {
      reached.resolve()
      return new Promise((resolve) => setTimeout(resolve, 500))
    }
    const victim = await startProcess(id, 1500, failures)
    await reached.promise
    await kill(victim)
    server.hooks[hook] = undefined
    const next = await startProcess(id, 1500, failures)
    await untilVersion(id, version + 1)
    await kill(next)
  }
  const { succeeded, failed } = server.countsOf('refresh_token')
  console.log({ kills: KILLS, refreshes: succeeded, failed, failures })
  expect(failed).toEqual(new Map())
  expect(failures).toEqual([])
})

test('a lost response of an app without grace is reported once, and a reconnection revives the credential', async () => {
  const id = await open({ tokenSeconds: 1 })
  const failures: Failure[] = []
  const reached = Promise.withResolvers<void>()
  server.hooks.onTokenResponse = () => {
    reached.resolve()
    return new Promise((resolve) => setTimeout(resolve, 500))
  }
  const victim = await startProcess(id, 1500, failures)
  await reached.promise
  await kill(victim)
  server.hooks.onTokenResponse = undefined
  await Promise.all(Array.from({ length: 3 }, () => startProcess(id, 1500, failures)))
  await expect.poll(() => failures.length, { timeout: 30_000 }).toBeGreaterThan(5)
  await children.killAll()
  expect(new Set(failures.map(({ code }) => code))).toEqual(new Set(['APP_AUTHENTICATION']))
  expect(server.countsOf('refresh_token').failed).toEqual(new Map([['invalid_grant', 1]]))
  const [{ count } = {}] = await database.prisma.$queryRaw<{ count: number }[]>`
    SELECT count(*)::integer AS count FROM change_log.changes
    WHERE topic = 'connection/authentication_failure' AND credential_id = ${id}::uuid`
  expect(count).toBe(1)

  const { environmentId } = owner
  const connector = defineTokenConnector(server)
  const issued = await server.issue(tokenClient.clientId)
  const tokens = { ...issued, expiresAt: '2020-01-01T00:00:00.000Z', values: {} }
  const revived = { id, environmentId, connector, method: 'oauth', values: {}, tokens }
  expect(await reviveCredential(database, testVault, revived)).toBe(true)
  const later: Failure[] = []
  const version = await readVersion(id)
  await startProcess(id, 1500, later)
  await untilVersion(id, version + 2)
  expect(later).toEqual([])
})
