/** OAuth clients, and the tokens of credentials: how they are stored, renewed and replaced. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Connector, defineConnector } from '../../src/definition/connector.ts'
import {
  acquireRenewal,
  readTokens,
  releaseRenewal,
  saveRenewal,
} from '../../src/store/accounts/credential-tokens.ts'
import {
  createCredential,
  deleteCredential,
  readCredential,
} from '../../src/store/accounts/credentials.ts'
import {
  deleteOAuthClient,
  listOAuthClients,
  readOAuthClient,
  setOAuthClient,
} from '../../src/store/accounts/oauth-clients.ts'
import { reviveCredential } from '../../src/store/accounts/revive-credential.ts'
import {
  generateEncryptionKey,
  parseEncryptionKeys,
} from '../../src/store/secrets/encryption-key.ts'
import { resealRows } from '../../src/store/secrets/sealed-rows.ts'
import { createVault } from '../../src/store/secrets/vault.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { ledgerOAuth as oauth } from '../support/token-app.ts'
import { TEST_KEYS, testVault } from '../support/vault.ts'

const connector: Connector = defineConnector({
  app: 'ledger',
  name: 'Ledger',
  doc: 'An app with OAuth.',
  auth: { oauth, key: { ...oauth, type: 'apiKey', request: {} } },
  readFailure: () => undefined,
  check: { method: 'GET', path: '/' },
  resources: {},
})

const tokens = { accessToken: 'at-1', refreshToken: 'rt-1', values: { region: 'eu' } }

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
})
afterAll(() => service.stop())

const create = () => {
  const { environmentId, userId } = tenant
  return createCredential(service.database, testVault, {
    environmentId,
    userId,
    connector,
    method: 'oauth',
    values: { realm: '7' },
    tokens,
  })
}

const vaultOf = (...keys: readonly string[]) => createVault(parseEncryptionKeys(keys.join(',')))

const leaseOf = (credentialId: string) => ({
  key: { credentialId },
  holder: randomUUID(),
  durationMs: 30_000,
})

test('an OAuth client is set, replaced, read with its secrets, listed without them, and deleted', async () => {
  const { database } = service
  const key = { environmentId: tenant.environmentId, app: 'ledger' }
  const first = {
    clientId: 'one',
    clientSecret: 'first-secret',
    scopes: null,
    webhookSecret: 'first-webhook-secret',
  }
  const second = { clientId: 'two', clientSecret: 'second-secret', scopes: ['a', 'b'] }
  await setOAuthClient(database, testVault, key, first)
  expect(await readOAuthClient(database, testVault, key)).toEqual(first)
  const [{ hasWebhookSecret } = {}] = await listOAuthClients(database, tenant.environmentId)
  expect(hasWebhookSecret).toBe(true)
  await setOAuthClient(database, testVault, key, second)
  expect(await readOAuthClient(database, testVault, key)).toEqual({
    ...second,
    webhookSecret: null,
  })
  const listed = await listOAuthClients(database, tenant.environmentId)
  expect(listed).toEqual([
    {
      app: 'ledger',
      clientId: 'two',
      scopes: ['a', 'b'],
      hasWebhookSecret: false,
      createdAt: expect.any(Date),
      updatedAt: expect.any(Date),
    },
  ])
  const elsewhere = { ...key, environmentId: randomUUID() }
  expect(await readOAuthClient(database, testVault, elsewhere)).toBe(undefined)
  expect(await deleteOAuthClient(database, key)).toBe(true)
  expect(await deleteOAuthClient(database, key)).toBe(false)
})

test('a credential is read with its tokens in one statement, and they are deleted with it', async () => {
  const id = await create()
  service.takeStatements()
  const read = await readCredential(service.database, testVault, id)
  expect(service.takeStatements()).toHaveLength(1)
  expect(read).toMatchObject({
    method: 'oauth',
    values: { realm: '7' },
    tokens: { version: 1, tokens },
  })
  const { environmentId, userId } = tenant
  await deleteCredential(service.database, environmentId, userId, id)
  expect(await readTokens(service.database, testVault, { credentialId: id, environmentId })).toBe(
    undefined,
  )
})

test('tokens and client secrets stay readable while the encryption key is replaced', async () => {
  const { database } = service
  const { environmentId } = tenant
  const id = await create()
  const key = { environmentId, app: 'ledger' }
  const client = {
    clientId: 'one',
    clientSecret: 'first-secret',
    scopes: null,
    webhookSecret: 'first-webhook-secret',
  }
  await setOAuthClient(database, testVault, key, client)
  const next = generateEncryptionKey()
  const rotated = vaultOf(next, TEST_KEYS)
  expect(await resealRows(database, rotated)).toMatchObject({ broken: [], remaining: 0 })
  const onlyNext = vaultOf(next)
  expect(await readCredential(database, onlyNext, id)).toMatchObject({ tokens: { tokens } })
  expect(await readOAuthClient(database, onlyNext, key)).toEqual(client)
  await resealRows(database, vaultOf(TEST_KEYS, next))
})

test('one process renews tokens; a stale version and a lost lease change nothing', async () => {
  const { database } = service
  const credentialId = await create()
  const { environmentId } = tenant
  const read = () => readTokens(database, testVault, { credentialId, environmentId })
  const [lease, other] = [leaseOf(credentialId), leaseOf(credentialId)]
  expect(await acquireRenewal(database, lease, 1)).toBe(true)
  expect(await acquireRenewal(database, other, 1)).toBe(false)
  await releaseRenewal(database, lease)
  expect(await acquireRenewal(database, other, 1)).toBe(true)
  const renewed = { environmentId, tokens: { ...tokens, accessToken: 'at-2' } }
  expect(await saveRenewal(database, testVault, lease, renewed)).toBe(false)
  expect(await saveRenewal(database, testVault, other, renewed)).toBe(true)
  expect(await read()).toMatchObject({ version: 2, tokens: renewed.tokens, failure: undefined })
  expect(await acquireRenewal(database, lease, 1)).toBe(false)
})

test('a reconnected credential has its id, new values and new tokens, whose renewals continue', async () => {
  const { database } = service
  const id = await create()
  const { environmentId } = tenant
  const lease = leaseOf(id)
  await acquireRenewal(database, lease, 1)
  const change = { id, environmentId, connector, values: { realm: '8' } }
  const fresh = { accessToken: 'at-9', values: {} }
  expect(
    await reviveCredential(database, testVault, { ...change, method: 'oauth', tokens: fresh }),
  ).toBe(true)
  // A renewal of the earlier tokens is still in progress.
  expect(await saveRenewal(database, testVault, lease, { environmentId, tokens })).toBe(false)
  expect(await readCredential(database, testVault, id)).toMatchObject({
    id,
    values: { realm: '8' },
    tokens: { version: 2, tokens: fresh },
  })
  await reviveCredential(database, testVault, { ...change, method: 'key' })
  expect(await readCredential(database, testVault, id)).toMatchObject({
    method: 'key',
    tokens: undefined,
  })
  const elsewhere = { ...change, method: 'key', environmentId: randomUUID() }
  expect(await reviveCredential(database, testVault, elsewhere)).toBe(false)
})
