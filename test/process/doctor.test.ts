/** `trunkline doctor` names what is wrong and what to do, and changes nothing. */
import { randomUUID } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { runDoctorCommand } from '../../src/commands/doctor.ts'
import { readConfig } from '../../src/process/config.ts'
import { generateEncryptionKey } from '../../src/store/secrets/encryption-key.ts'
import { createEmptyDatabase } from '../support/database.ts'
import { startService, type TestService } from '../support/service.ts'
import { findUnusedAddress } from '../support/unused-address.ts'
import { TEST_KEYS } from '../support/vault.ts'

let service: TestService
beforeAll(async () => {
  service = await startService()
})
afterAll(() => service.stop())
afterEach(() => void vi.restoreAllMocks())

/** Runs the command. @returns its lines by subject, and its error message */
const diagnose = async (variables: Readonly<Record<string, string>>) => {
  const log = vi.spyOn(console, 'log').mockImplementation(() => {})
  const config = readConfig({ TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS, ...variables })
  const failure = await runDoctorCommand(config, []).then(
    () => undefined,
    (error: Error) => error.message,
  )
  const lines = log.mock.calls.map(([line]) => String(line))
  const subjects = lines.map((line) => [line.slice(9, 25).trim(), line] as const)
  return { failure, lines, of: new Map(subjects) }
}

test('a healthy service has no findings', async () => {
  const { failure, lines, of } = await diagnose({ DATABASE_URL: service.url })
  expect(failure).toBeUndefined()
  // The server of the tests may run without fsync, and other tests have connections to it.
  const isOfServer = (line: string) => / (fsync|connections) /.test(line)
  expect(lines.filter((line) => !line.startsWith('ok ') && !isOfServer(line))).toEqual([])
  expect(of.get('migrations')).toContain('all applied')
  expect(of.get('secrets')).toContain('all use the first encryption key')
})

test('a missing and an older encryption key are named', async () => {
  const key = generateEncryptionKey()
  const missing = await diagnose({ DATABASE_URL: service.url, TRUNKLINE_ENCRYPTION_KEYS: key })
  expect(missing.failure).toBe('1 problem found.')
  expect(missing.of.get('secrets')).toMatch(/^problem .*missing keys: test /)
  const older = await diagnose({
    DATABASE_URL: service.url,
    TRUNKLINE_ENCRYPTION_KEYS: `${key},${TEST_KEYS}`,
  })
  expect(older.failure).toBeUndefined()
  expect(older.of.get('secrets')).toMatch(/^warning .*trunkline secrets reseal/)
})

test('an empty database has pending migrations, and stays empty', async () => {
  const { url, drop } = await createEmptyDatabase()
  try {
    for (const _run of [1, 2]) {
      const { failure, of } = await diagnose({ DATABASE_URL: url })
      expect(failure).toBeUndefined()
      expect(of.get('migrations')).toMatch(/ \d\d pending; .*trunkline migrate/)
      expect(of.has('secrets')).toBe(false)
    }
  } finally {
    await drop()
  }
})

test('a database with another encoding, and one that does not respond, are problems', async () => {
  const name = `ascii_${randomUUID().slice(0, 8)}`
  const { prisma } = service.database
  await prisma.$executeRawUnsafe(
    `CREATE DATABASE ${name} TEMPLATE template0 ENCODING 'SQL_ASCII' LOCALE 'C'`,
  )
  try {
    const url = new URL(service.url)
    url.pathname = `/${name}`
    const { failure, of } = await diagnose({ DATABASE_URL: String(url) })
    expect(failure).toBe('1 problem found.')
    expect(of.get('encoding')).toMatch(/^problem .*SQL_ASCII.*ENCODING 'UTF8'/)
  } finally {
    await prisma.$executeRawUnsafe(`DROP DATABASE ${name} WITH (FORCE)`)
  }
  const { host } = new URL(await findUnusedAddress())
  const { failure, of } = await diagnose({ DATABASE_URL: `postgresql://x@${host}/x` })
  expect(failure).toBe('1 problem found.')
  expect(of.get('database')).toMatch(/^problem .*ECONNREFUSED.*: check that PostgreSQL responds/)
  expect(of.get('database')).toContain(host)
})

test('production needs configured keys; a new data directory stays empty', async () => {
  const { failure, of } = await diagnose({
    DATABASE_URL: service.url,
    NODE_ENV: 'production',
    TRUNKLINE_ENCRYPTION_KEYS: '',
  })
  expect(failure).toBe('1 problem found.')
  expect(of.get('encryption keys')).toMatch(/^problem .*trunkline secrets new-key/)

  const folder = await mkdtemp(join(tmpdir(), 'trunkline-doctor-'))
  try {
    const fresh = await diagnose({ DATA_DIR: folder, TRUNKLINE_ENCRYPTION_KEYS: '' })
    expect(fresh.failure).toBeUndefined()
    expect(fresh.of.get('database')).toContain('none yet')
    expect(await readdir(folder)).toEqual([])
  } finally {
    await rm(folder, { recursive: true })
  }
})
