/** The sandbox's tokens are stored as hashes: they give access, and no dump of the database contains one. */
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTrunkline } from '../../src/main.ts'
import { readConfig } from '../../src/process/config.ts'
import { createSandboxApp } from '../../src/sandbox/app.ts'
import { readCredential } from '../../src/store/accounts/credentials.ts'
import { type Database, openDatabase } from '../../src/store/database/database.ts'
import { createTestDatabase } from '../support/database.ts'
import { dumpTables } from '../support/dump.ts'
import { TEST_KEYS, testVault } from '../support/vault.ts'

const hostClock = { nowMs: Date.now }
const KEY = `tl_dev_${'5a'.repeat(24)}`
/** Of a company from an earlier version, and of one that an end user creates. */
const EARLIER = 'canary-earlier-9f27c1'
const TYPED = 'canary-typed-41d0be'

let server: Awaited<ReturnType<typeof createTestDatabase>>
let database: Database
let dataDir: string
beforeAll(async () => {
  server = await createTestDatabase()
  database = openDatabase({ url: server.url })
  dataDir = await mkdtemp(join(tmpdir(), 'trunkline-sandbox-tokens-'))
})
afterAll(async () => {
  await database.stop()
  await server.drop()
  await rm(dataDir, { recursive: true })
})

const logFile = () => join(dataDir, 'trunkline.log')

const start = () =>
  startTrunkline(
    readConfig({
      DATABASE_URL: server.url,
      DATA_DIR: dataDir,
      LOG_FILE: logFile(),
      LOG_LEVEL: 'trace',
      TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
      PORT: '0',
      SANDBOX: 'true',
      TRUNKLINE_DEV_API_KEY: KEY,
    }),
  )

const send = async (address: string | undefined, method: string, path: string, body?: object) => {
  const response = await fetch(`${address}/2024-03${path}`, {
    method,
    headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return { status: response.status, body: await response.text() }
}

/** The tokens in the credentials, decrypted. */
const readSealedTokens = async (): Promise<readonly string[]> => {
  const rows = await database.prisma.credential.findMany({ select: { id: true } })
  const opened = await Promise.all(rows.map(({ id }) => readCredential(database, testVault, id)))
  return opened.map((credential) => credential?.values.token ?? '')
}

test('a token gives access, and neither a dump nor the log contains it', {
  timeout: 120_000,
}, async () => {
  await createSandboxApp({ database, clock: hostClock }).openTenant('earlier', { token: EARLIER })
  await database.prisma.$executeRaw`UPDATE sandbox_records
    SET body = (body - 'tokenHash' - 'form') || jsonb_build_object('token', ${EARLIER}::text)
    WHERE tenant = 'earlier' AND kind = '_tenant'`
  expect(await dumpTables(database)).toContain(EARLIER)

  const first = await start()
  const { id: userId } = await database.prisma.endUser.findFirstOrThrow()
  const connect = (tenant: string, token: string) =>
    send(first.address, 'POST', '/headless/credentials', {
      userId,
      app: 'sandbox',
      credential: { tenant, token },
    })
  expect(await connect('earlier', EARLIER)).toMatchObject({ status: 200 })
  expect(await connect('earlier', `${EARLIER}x`)).toMatchObject({ status: 400 })
  expect(await connect('typed', TYPED)).toMatchObject({ status: 200 })
  expect(await connect('typed', TYPED)).toMatchObject({ status: 200 })
  expect(await connect('typed', EARLIER)).toMatchObject({ status: 400 })
  const ofFirst = await readSealedTokens()

  // The example's credentials are gone: the next start creates new ones, which must open its companies.
  for (const { id } of await database.prisma.credential.findMany({ select: { id: true } }))
    await send(first.address, 'DELETE', `/users/${userId}/credentials/${id}`)
  expect(await database.prisma.credential.count()).toBe(0)
  await first.stop()
  const second = await start()
  const [credentialId] = second.firstStart.credentialIds
  const vendors = await send(
    second.address,
    'GET',
    `/one/accounting/vendors/count?credentialId=${credentialId}`,
  )
  const inApp = { tenant: 'acme', kind: 'vendors', deleted: false }
  const count = await database.prisma.sandboxRecord.count({ where: inApp })
  expect(JSON.parse(vendors.body)).toEqual({ count })
  const ofSecond = await readSealedTokens()
  await second.stop()

  const tokens = [...ofFirst, ...ofSecond, EARLIER, TYPED]
  expect(new Set(tokens).size).toBe(6)
  const log = await readFile(logFile(), 'utf8')
  const dump = await dumpTables(database)
  expect(log).toContain('hashed sandbox tokens that were stored in plain text')
  expect(log).toContain('gave sandbox companies of an earlier version new records')
  expect(dump).toContain('tokenHash')
  for (const token of tokens)
    for (const form of [token, Buffer.from(token).toString('hex'), btoa(token).slice(2, -4)]) {
      expect(log).not.toContain(form)
      expect(dump).not.toContain(form)
    }
})

test('a company that a process of the earlier version creates in the meantime can be connected', async () => {
  const app = createSandboxApp({ database, clock: hostClock })
  await app.openTenant('meantime')
  await database.prisma.$executeRaw`UPDATE sandbox_records
    SET body = (body - 'tokenHash') || '{"token":"plain"}'
    WHERE tenant = 'meantime' AND kind = '_tenant'`
  const request = (token: string) =>
    app.handle(
      new Request('http://sandbox.trunkline.internal/v1/vendors', {
        headers: { authorization: `Bearer ${token}`, 'sandbox-tenant': 'meantime' },
      }),
    )
  expect((await request('plain')).status).toBe(200)
  expect((await request('other')).status).toBe(401)
})
