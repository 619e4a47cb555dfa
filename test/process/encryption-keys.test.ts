/** The sources of encryption keys, and starts that fail without one. */
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../src/process/config.ts'
import { loadEncryptionKeys } from '../../src/store/secrets/encryption-keys.ts'
import { TEST_KEYS } from '../support/vault.ts'
import { createDataDir, endHosts } from './hosts.ts'

afterEach(endHosts)

const URL = 'postgres://a:b@127.0.0.1:1/c'

const load = (variables: Readonly<Record<string, string>>) =>
  loadEncryptionKeys(readConfig(variables))

test('a new data directory gets a key that only its owner can read, and keeps it', async () => {
  const DATA_DIR = join(await createDataDir(), 'new')
  const first = await load({ DATA_DIR })
  const path = join(DATA_DIR, 'encryption.keys')
  expect(first.newFile).toBe(path)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const second = await load({ DATA_DIR })
  expect(second.newFile).toBe(undefined)
  expect(second.keys.map(({ id }) => id)).toEqual(first.keys.map(({ id }) => id))
  expect(second.keys[0]?.secret.equals(first.keys[0]?.secret as never)).toBe(true)
})

test('one of twenty concurrent starts creates the key, and all use it', async () => {
  const DATA_DIR = await createDataDir()
  const loaded = await Promise.all(Array.from({ length: 20 }, () => load({ DATA_DIR })))
  expect(loaded.filter(({ newFile }) => newFile !== undefined)).toHaveLength(1)
  expect(new Set(loaded.map(({ keys }) => keys[0]?.id)).size).toBe(1)
  expect(await readdir(DATA_DIR)).toEqual(['encryption.keys'])
})

test.each([0o640, 0o604, 0o666])('rejects a file that others may access (%o)', async (mode) => {
  const DATA_DIR = await createDataDir()
  await load({ DATA_DIR })
  await chmod(join(DATA_DIR, 'encryption.keys'), mode)
  await expect(load({ DATA_DIR })).rejects.toMatchObject({
    code: 'ENCRYPTION_KEYS_UNUSABLE',
    message: expect.stringContaining('chmod 600'),
  })
})

test('rejects a file without a valid key and leaves it unchanged', async () => {
  const DATA_DIR = await createDataDir()
  const path = join(DATA_DIR, 'encryption.keys')
  await writeFile(path, 'mine: secret-words\n', { mode: 0o600 })
  const refused = load({ DATA_DIR })
  await expect(refused).rejects.toThrow(/encryption\.keys: expected/)
  await expect(refused).rejects.not.toThrow(/secret-words/)
  expect(await readFile(path, 'utf8')).toBe('mine: secret-words\n')
})

test('the operator’s own keys take precedence over a file, and none is created', async () => {
  const DATA_DIR = await createDataDir()
  const { keys } = await load({ DATA_DIR, TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS })
  expect(keys.map(({ id }) => id)).toEqual(['test'])
  expect(await readdir(DATA_DIR)).toEqual([])
})

test('a production database requires the operator’s own keys, a development one does not', async () => {
  const DATA_DIR = await createDataDir()
  const production = { DATA_DIR, DATABASE_URL: URL, NODE_ENV: 'production' }
  await expect(load(production)).rejects.toThrow(
    /TRUNKLINE_ENCRYPTION_KEYS.*trunkline secrets new-key/,
  )
  expect(await readdir(DATA_DIR)).toEqual([])
  expect((await load({ ...production, NODE_ENV: 'development' })).keys).toHaveLength(1)
})

test('an invalid variable is reported by name without its value', () => {
  const read = () => readConfig({ TRUNKLINE_ENCRYPTION_KEYS: 'a:b64-of-my-secret' })
  expect(read).toThrow(/^TRUNKLINE_ENCRYPTION_KEYS: expected/)
  expect(read).not.toThrow(/my-secret/)
})
