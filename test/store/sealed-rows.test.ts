/** Every sealed value in a database opens, and stays readable while its key changes. */

import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/sandbox/manifest.ts'
import { silentLog } from '../../src/log.ts'
import { createCredential, readCredential } from '../../src/store/accounts/credentials.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import {
  generateEncryptionKey,
  parseEncryptionKeys,
} from '../../src/store/secrets/encryption-key.ts'
import { openVault } from '../../src/store/secrets/open-vault.ts'
import {
  checkEncryptionKeys,
  resealRows,
  sealedColumns,
  sealPlainCredentials,
} from '../../src/store/secrets/sealed-rows.ts'
import { createVault } from '../../src/store/secrets/vault.ts'
import { startService, type Tenant, type TestService } from '../support/service.ts'
import { testVault } from '../support/vault.ts'

const ROWS = 10_000

let service: TestService
let tenant: Tenant

beforeAll(async () => {
  service = await startService()
  tenant = await service.createTenant('development', [])
  // The service has sealed its signing key with an encryption key that the tests replace.
  await service.database.prisma.signingKey.deleteMany()
})
afterAll(() => service.stop())
beforeEach(() => service.database.prisma.credential.deleteMany())

const oldKey = generateEncryptionKey()
const newKey = generateEncryptionKey()
const vaultOf = (...keys: readonly string[]) => createVault(parseEncryptionKeys(keys.join(',')))

const create = (values: Record<string, string>, vault = testVault): Promise<string> =>
  createCredential(service.database, vault, {
    environmentId: tenant.environmentId,
    userId: tenant.userId,
    connector,
    values,
  })

const createRow = (n: number) => {
  // The first group distinguishes the ids.
  const id = n.toString(16).padStart(8, '0') + randomUUID().slice(8)
  const { environmentId, userId } = tenant
  return { id, route: id.slice(0, 8), environmentId, userId, app: 'test' }
}

test('covers every sealed column of the schema', async () => {
  const found = await service.database.prisma.$queryRaw<{ place: string }[]>`
    SELECT table_name || '.' || column_name AS place FROM information_schema.columns
    WHERE table_schema = 'public' AND column_name LIKE 'sealed%' ORDER BY 1`
  expect(found.map(({ place }) => place)).toEqual(
    sealedColumns.map(({ table, column }) => `${table}.${column}`).sort(),
  )
})

describe('a credential', () => {
  test('is stored sealed and read unchanged', async () => {
    const id = await create({ token: 'plain-as-day' })
    const row = await service.database.prisma.credential.findUniqueOrThrow({ where: { id } })
    expect(row.values).toBe(null)
    expect(Buffer.from(row.sealedValues ?? []).includes('plain-as-day')).toBe(false)
    const opened = await readCredential(service.database, testVault, id)
    expect(opened).toEqual({
      id,
      environmentId: tenant.environmentId,
      app: 'sandbox',
      label: null,
      method: 'token',
      values: { token: 'plain-as-day' },
      tokens: undefined,
    })
  })

  test('does not open with a value copied from another', async () => {
    const [mine, other] = [await create({ token: 'mine' }), await create({ token: 'other' })]
    await service.database.prisma.$executeRaw`
      UPDATE credentials SET sealed_values = (SELECT sealed_values FROM credentials
        WHERE id = ${other}::uuid) WHERE id = ${mine}::uuid`
    await expect(readCredential(service.database, testVault, mine)).rejects.toMatchObject({
      code: 'BROKEN_SEAL',
    })
  })
})

describe('credentials in plain text', () => {
  const addPlain = (count: number) =>
    service.database.prisma.credential.createMany({
      data: Array.from({ length: count }, (_, n) => ({
        ...createRow(n),
        values: { token: `t${n}` },
      })),
    })

  test('are read, sealed at start by several processes at the same time, and cleared', async () => {
    await addPlain(2000)
    const { prisma } = service.database
    const some = await prisma.credential.findFirstOrThrow({ orderBy: { id: 'desc' } })
    const readSealed = () => readCredential(service.database, testVault, some.id)
    expect((await readSealed())?.values).toEqual({ token: 't1999' })
    const others = [1, 2].map(() => openDatabase({ url: service.url }))
    const counts = await Promise.all(
      [service.database, ...others].map((database) => sealPlainCredentials(database, testVault)),
    )
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(2000)
    expect(await sealPlainCredentials(service.database, testVault)).toBe(0)
    const rows = await prisma.credential.findMany({ orderBy: { id: 'asc' } })
    expect(rows.every(({ values }) => values === null)).toBe(true)
    const tokens = rows.map(({ id, environmentId, sealedValues }) =>
      JSON.parse(
        testVault.open({ kind: 'credential', environmentId, id }, sealedValues ?? Buffer.of()),
      ),
    )
    expect(tokens).toEqual(rows.map((_, n) => ({ token: `t${n}` })))
    expect((await readSealed())?.values).toEqual({ token: 't1999' })
    for (const other of others) await other.stop()
  })
})

describe('a key change', () => {
  const addSealed = async (count: number) => {
    const vault = vaultOf(oldKey)
    await service.database.prisma.credential.createMany({
      data: Array.from({ length: count }, (_, n) => {
        const row = createRow(n)
        const { id, environmentId } = row
        const plain = JSON.stringify({ token: `t${n}` })
        return {
          ...row,
          sealedValues: vault.seal({ kind: 'credential', environmentId, id }, plain),
        }
      }),
    })
    const rows = await service.database.prisma.credential.findMany({ orderBy: { id: 'asc' } })
    return rows.map(({ id }) => id)
  }

  test(`leaves ${ROWS} rows readable at every moment, and none under the old key`, async () => {
    const ids = await addSealed(ROWS)
    const { database } = service
    const both = vaultOf(newKey, oldKey)
    const reader = openDatabase({ url: service.url })
    let isOver = false
    let reads = 0
    const readOn = async (): Promise<void> => {
      for (let n = 0; !isOver; n = (n + 997) % ROWS) {
        const opened = await readCredential(reader, both, ids[n] ?? '')
        expect(opened?.values).toEqual({ token: `t${n}` })
        reads += 1
      }
    }
    const reading = readOn()
    const counts: number[] = []
    const result = await resealRows(database, both, ({ resealed }) => counts.push(resealed))
    isOver = true
    await reading
    expect(result).toEqual({ resealed: ROWS, broken: [], remaining: 0 })
    expect(counts.length).toBeGreaterThan(10)
    expect(reads).toBeGreaterThan(10)
    // The old key is no longer needed.
    const alone = vaultOf(newKey)
    expect(await checkEncryptionKeys(database, alone)).toBe(false)
    const rows = await database.prisma.credential.findMany({ orderBy: { id: 'asc' } })
    for (const [n, { id, environmentId, sealedValues }] of rows.entries()) {
      const place = { kind: 'credential', environmentId, id } as const
      expect(alone.open(place, sealedValues ?? Buffer.of())).toBe(`{"token":"t${n}"}`)
    }
    expect((await resealRows(database, both)).resealed).toBe(0)
    await reader.stop()
  })

  test('does not overwrite a concurrent write, and names values that do not open', async () => {
    const [first = '', second = ''] = await addSealed(2)
    const { database } = service
    const { prisma } = database
    const { environmentId } = tenant
    const write = (id: string, sealedValues: Uint8Array<ArrayBuffer>) =>
      prisma.credential.update({ where: { id }, data: { sealedValues } })
    const both = vaultOf(newKey, oldKey)
    const fresh = both.seal({ kind: 'credential', environmentId, id: first }, '{"token":"new"}')
    const seal = both.seal.bind(both)
    await write(second, vaultOf(oldKey).seal({ kind: 'signing-key', id: 'x' }, 'of another place'))
    // Written between the read and the write of the batch, which holds no lock.
    let written: Promise<unknown> = Promise.resolve()
    const held = {
      ...both,
      seal: (place: Parameters<typeof seal>[0], plain: string) => {
        written = write(first, fresh).then(() => {})
        return seal(place, plain)
      },
    }
    const slow = {
      ...database,
      prisma: {
        $queryRaw: prisma.$queryRaw.bind(prisma),
        $executeRaw: async (statement: never) => {
          await written
          return prisma.$executeRaw(statement)
        },
      } as unknown as typeof prisma,
    }
    const result = await resealRows(slow, held)
    expect(result).toEqual({ resealed: 0, broken: [`credentials/${second}`], remaining: 0 })
    const opened = await readCredential(database, vaultOf(newKey), first)
    expect(opened?.values).toEqual({ token: 'new' })
  })

  test('is checked at start: a missing key is a named error, an older one is reported', async () => {
    await addSealed(1)
    const [oldId = ''] = oldKey.split(':')
    await expect(
      openVault(service.database, parseEncryptionKeys(newKey), silentLog),
    ).rejects.toThrow(new RegExp(`secrets encrypted with missing keys: ${oldId} `))
    const messages: string[] = []
    const log = {
      ...silentLog,
      info: (_facts: object, message: string) => void messages.push(message),
    }
    await openVault(service.database, parseEncryptionKeys(`${newKey},${oldKey}`), log)
    expect(messages.join()).toContain('trunkline secrets reseal')
  })
})
