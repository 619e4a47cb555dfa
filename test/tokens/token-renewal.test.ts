/** The renewal of access tokens, against a real authorization server whose refresh tokens can be used once. */
import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { AppRequest, Connector } from '../../src/definition/connector.ts'
import { silentLog } from '../../src/log.ts'
import type { AppClient } from '../../src/outbound/http.ts'
import { openAppClient } from '../../src/process/app-client.ts'
import { acquireRenewal } from '../../src/store/accounts/credential-tokens.ts'
import { createCredential, readCredential } from '../../src/store/accounts/credentials.ts'
import { findCredential } from '../../src/store/accounts/listed-credentials.ts'
import { deleteOAuthClient, setOAuthClient } from '../../src/store/accounts/oauth-clients.ts'
import { reviveCredential } from '../../src/store/accounts/revive-credential.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { createSync } from '../../src/sync/schedule.ts'
import type { RenewalTimes } from '../../src/tokens/renewal-times.ts'
import { mayHaveArrived } from '../../src/write/run-steps.ts'
import {
  type AuthorizationServer,
  PASSWORD,
  startAuthorizationServer,
} from '../support/authorization-server.ts'
import { createTestDatabase } from '../support/database.ts'
import { defineTokenConnector, tokenClient, tokenClientMetadata } from '../support/token-app.ts'
import { testVault } from '../support/vault.ts'
import { addUser, type Owner } from '../sync/sync-harness.ts'

const get: AppRequest = { method: 'GET', path: '/stages' }
const machine = {
  client_id: 'machine',
  client_secret: 'machine-secret-1',
  redirect_uris: [],
  response_types: [],
  grant_types: ['client_credentials'],
}
const past = '2020-01-01T00:00:00.000Z'
const timeInMs = (ms: number): string => new Date(Date.now() + ms).toISOString()

let server: AuthorizationServer
let database: Database
let drop: () => Promise<void>
let connector: Connector
let owner: Owner
let statements: string[] = []
const clients: AppClient[] = []

/** A client with a memory of its own, as another process has. */
const openClient = (times: Partial<RenewalTimes> = { betweenRejectionsMs: 0 }): AppClient => {
  const { appClient } = openAppClient({
    database,
    vault: testVault,
    log: silentLog,
    clock: { nowMs: Date.now },
    allowPrivateAddresses: true,
    renewalTimes: { leaseMs: 3000, waitMs: 5000, ...times },
  })
  clients.push(appClient)
  return appClient
}

beforeAll(async () => {
  server = await startAuthorizationServer({ clients: [tokenClientMetadata, machine] })
  connector = defineTokenConnector(server)
  const created = await createTestDatabase()
  drop = created.drop
  database = openDatabase({ url: created.url, onStatement: (sql) => void statements.push(sql) })
  owner = await addUser(database)
  const key = { environmentId: owner.environmentId, app: 'ledger' }
  await setOAuthClient(database, testVault, key, { ...tokenClient, scopes: null })
})
beforeEach(() => {
  statements = []
  server.apiStatuses.length = 0
  Object.assign(server.countsOf('refresh_token'), { succeeded: 0, failed: new Map() })
  server.hooks.onTokenRequest = undefined
})
afterAll(async () => {
  for (const client of clients) await client.stop()
  await database.stop()
  await drop()
  await server.stop()
})

const connect = async (expiresAt?: string): Promise<string> => {
  const issued = await server.issue(tokenClient.clientId)
  const tokens = { ...issued, ...(expiresAt !== undefined && { expiresAt }), values: {} }
  const credential = { ...owner, connector, method: 'oauth', values: {}, tokens }
  return createCredential(database, testVault, credential)
}

const load = async (id: string) => {
  const credential = await readCredential(database, testVault, id)
  if (!credential) throw new Error('The credential does not exist.')
  return credential
}

const failureOf = (request: Promise<unknown>) =>
  request.then(
    () => undefined,
    (error: unknown) => error,
  )

const listEvents = (credentialId: string) => database.prisma.$queryRaw<{ topic: string }[]>`
  SELECT topic FROM change_log.changes WHERE credential_id = ${credentialId}::uuid
    AND topic LIKE 'connection/%' ORDER BY xid, sequence`

describe('a token', () => {
  test('that has expired is renewed before the request, and costs no statement while it is valid', async () => {
    const client = openClient()
    const credential = await load(await connect(past))
    expect(await client.send(connector, credential, get)).toMatchObject({ status: 200 })
    expect(server.apiStatuses).toEqual([200])
    expect(await load(credential.id)).toMatchObject({ tokens: { version: 2 } })
    statements = []
    // The credential was loaded before the renewal, as in a long run.
    await client.send(connector, credential, get)
    expect(statements).toEqual([])
    expect(server.countsOf('refresh_token')).toEqual({ succeeded: 1, failed: new Map() })
  })

  test('that the app rejects is renewed once, and the request is sent again', async () => {
    const credential = await load(await connect())
    server.revoke('AccessToken')
    const post: AppRequest = { method: 'POST', path: '/stages', body: {} }
    for (const send of [openClient().send, openClient().pass]) {
      expect(await send(connector, credential, post)).toMatchObject({ status: 200 })
    }
    // The second client finds the version that the first one has stored.
    expect(server.apiStatuses).toEqual([401, 200, 401, 200])
    expect(server.countsOf('refresh_token').succeeded).toBe(1)
  })

  test('that the app rejects again, just after a renewal, is not renewed again', async () => {
    const credential = await load(await connect())
    const client = openClient({})
    server.revoke('AccessToken')
    // The token is as young as that of an end user who has just connected the app.
    const requests = Array.from({ length: 3 }, () => client.send(connector, credential, get))
    for (const response of await Promise.all(requests))
      expect(response).toMatchObject({ status: 200 })
    expect(server.countsOf('refresh_token')).toEqual({ succeeded: 1, failed: new Map() })
    server.revoke('AccessToken')
    expect(await failureOf(client.send(connector, credential, get))).toMatchObject({
      code: 'APP_AUTHENTICATION',
      isFinal: false,
    })
    expect(server.countsOf('refresh_token').succeeded).toBe(1)
  })

  test('is renewed once by several processes with several requests each', async () => {
    const credential = await load(await connect(past))
    const processes = Array.from({ length: 4 }, () => openClient())
    const requests = processes.flatMap((client) =>
      Array.from({ length: 5 }, () => client.send(connector, credential, get)),
    )
    await Promise.all(requests)
    expect(server.apiStatuses).toEqual(Array(20).fill(200))
    expect(server.countsOf('refresh_token')).toEqual({ succeeded: 1, failed: new Map() })
  })

  test('that is still valid is used while another process renews it, and while renewals fail', async () => {
    const credential = await load(await connect(timeInMs(5000)))
    // The token was stored an hour ago, so its renewal is due.
    const due = {
      ...credential,
      tokens: { ...credential.tokens, storedMs: Date.now() - 3_600_000 },
    }
    const stored = due as typeof credential
    const lease = { key: { credentialId: credential.id }, holder: owner.userId, durationMs: 300 }
    await acquireRenewal(database, lease, 1)
    expect(await openClient().send(connector, stored, get)).toMatchObject({ status: 200 })
    expect(server.countsOf('refresh_token').succeeded).toBe(0)
    // The process died: its lease expires.
    await wait(350)
    server.hooks.onTokenRequest = () => {
      throw new Error('The server fails.')
    }
    const client = openClient()
    for (let time = 0; time < 3; time++)
      expect(await client.send(connector, stored, get)).toMatchObject({ status: 200 })
    server.hooks.onTokenRequest = undefined
    expect(await openClient().send(connector, stored, get)).toMatchObject({ status: 200 })
    expect(server.countsOf('refresh_token').succeeded).toBe(1)
  })

  test('that cannot be renewed now fails the request, which was not sent', async () => {
    const credential = await load(await connect(past))
    server.hooks.onTokenRequest = () => {
      throw new Error('The server fails.')
    }
    const post: AppRequest = { method: 'POST', path: '/stages' }
    const failure = await failureOf(openClient().send(connector, credential, post))
    expect(failure).toMatchObject({ code: 'APP_UNAVAILABLE', problem: 'token' })
    expect(mayHaveArrived(failure)).toBe(false)
    server.hooks.onTokenRequest = undefined
    const key = { environmentId: owner.environmentId, app: 'ledger' }
    await deleteOAuthClient(database, key)
    const unconfigured = await failureOf(openClient().send(connector, credential, post))
    expect(unconfigured).toMatchObject({ code: 'APP_REFUSED' })
    await setOAuthClient(database, testVault, key, { ...tokenClient, scopes: null })
    expect(await openClient().send(connector, credential, post)).toMatchObject({ status: 200 })
    expect(server.apiStatuses).toEqual([200])
  })

  test.each([
    ['machine', { id: machine.client_id, secret: machine.client_secret }, { secret: 'wrong' }],
    ['session', { password: PASSWORD }, { password: 'wrong' }],
  ])(
    'is bought by the method %s, before and after the credential is stored',
    async (method, values, wrong) => {
      const client = openClient()
      const signal = AbortSignal.timeout(10_000)
      expect(await client.check(connector, { method, values }, signal)).toMatchObject({
        status: 200,
      })
      const rejected = { method, values: { ...values, ...wrong } }
      expect(await failureOf(client.check(connector, rejected, signal))).toMatchObject({
        code: 'APP_AUTHENTICATION',
        isFinal: false,
      })
      const id = await createCredential(database, testVault, {
        ...owner,
        connector,
        method,
        values,
      })
      for (const credential of [await load(id), await load(id)])
        expect(await client.send(connector, credential, get)).toMatchObject({ status: 200 })
      expect(await load(id)).toMatchObject({ tokens: { version: 2 } })
      server.revoke()
      // The first request after the revocation renews the token by itself.
      expect(await openClient().send(connector, await load(id), get)).toMatchObject({ status: 200 })
      expect(await load(id)).toMatchObject({ tokens: { version: 3 } })
    },
  )
})

describe('a credential whose renewal the app rejects', () => {
  test('is reported once, its syncs stop, and a reconnection starts them again', async () => {
    const id = await connect(past)
    server.revoke()
    const client = openClient()
    const sync = createSync({
      database,
      vault: testVault,
      appClient: client,
      log: silentLog,
      intervalMs: 60_000,
      connectors: new Map([['ledger', connector]]),
    })
    const failures = await Promise.all([
      failureOf(client.send(connector, await load(id), get)),
      failureOf(openClient().send(connector, await load(id), get)),
    ])
    for (const failure of failures)
      expect(failure).toMatchObject({ code: 'APP_AUTHENTICATION', isFinal: true })
    expect(await failureOf(sync.syncNow(id))).toMatchObject({ errors: [{ isFinal: true }] })
    expect(await listEvents(id)).toEqual([
      { topic: 'connection/created' },
      { topic: 'connection/authentication_failure' },
    ])
    // One renewal was rejected in total, and no request was sent to the app.
    expect(server.countsOf('refresh_token').failed).toEqual(new Map([['invalid_grant', 1]]))
    expect(server.apiStatuses).toEqual([])
    const scope = { ...owner, credentialId: id }
    const stopped = await findCredential(database, scope)
    expect(stopped?.syncs).toMatchObject([
      { isPaused: false, dueAt: null, failureCode: 'APP_AUTHENTICATION', failures: 1 },
    ])
    const [{ isDue } = {}] = await database.prisma.$queryRaw<{ isDue: boolean }[]>`
      SELECT due_at < clock_timestamp() + interval '10 years' AS "isDue" FROM sync_states
      WHERE credential_id = ${id}::uuid`
    expect(isDue).toBe(false)

    const tokens = { ...(await server.issue(tokenClient.clientId)), values: {} }
    const { environmentId } = owner
    const revived = { id, environmentId, connector, method: 'oauth', values: {}, tokens }
    await reviveCredential(database, testVault, revived)
    const due = await findCredential(database, scope)
    expect(Date.parse(due?.syncs[0]?.dueAt ?? '')).toBeLessThanOrEqual(Date.now() + 1000)
    await sync.syncNow(id)
    expect(server.apiStatuses).toEqual([200])
    const recovered = await findCredential(database, scope)
    expect(recovered?.syncs).toMatchObject([{ failureCode: null, failures: 0 }])
    await sync.stop()
  })
})
