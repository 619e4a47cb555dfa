/** Where the encryption keys come from, and when a start is refused for want of one. */
import { chmod, readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { loadEncryptionKeys } from '../../src/store/encryption-keys.ts'
import { TEST_KEYS } from '../support/vault.ts'
import { endHosts, newDataDir } from './hosts.ts'

afterEach(endHosts)

const URL = 'postgres://a:b@127.0.0.1:1/c'

const load = (variables: Readonly<Record<string, string>>) =>
  loadEncryptionKeys(readConfig(variables))

test('a new data directory gets a key, for its owner alone, and keeps it', async () => {
  const DATA_DIR = join(await newDataDir(), 'new')
  const first = await load({ DATA_DIR })
  const path = join(DATA_DIR, 'encryption.keys')
  expect(first.newFile).toBe(path)
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  const second = await load({ DATA_DIR })
  expect(second.newFile).toBe(undefined)
  expect(second.keys.map(({ id }) => id)).toEqual(first.keys.map(({ id }) => id))
  expect(second.keys[0]?.secret.equals(first.keys[0]?.secret as never)).toBe(true)
})

test('of twenty that make it at once one does, and all have the same key', async () => {
  const DATA_DIR = await newDataDir()
  const loaded = await Promise.all(Array.from({ length: 20 }, () => load({ DATA_DIR })))
  expect(loaded.filter(({ newFile }) => newFile !== undefined)).toHaveLength(1)
  expect(new Set(loaded.map(({ keys }) => keys[0]?.id)).size).toBe(1)
  expect(await readdir(DATA_DIR)).toEqual(['encryption.keys'])
})

test.each([0o640, 0o604, 0o666])('a file that others may use (%o) is refused', async (mode) => {
  const DATA_DIR = await newDataDir()
  await load({ DATA_DIR })
  await chmod(join(DATA_DIR, 'encryption.keys'), mode)
  await expect(load({ DATA_DIR })).rejects.toMatchObject({
    code: 'ENCRYPTION_KEYS_UNUSABLE',
    message: expect.stringContaining('chmod 600'),
  })
})

test('a file that holds no key is refused and left as it is', async () => {
  const DATA_DIR = await newDataDir()
  const path = join(DATA_DIR, 'encryption.keys')
  await writeFile(path, 'mine: secret-words\n', { mode: 0o600 })
  const refused = load({ DATA_DIR })
  await expect(refused).rejects.toThrow(/encryption\.keys: expected/)
  await expect(refused).rejects.not.toThrow(/secret-words/)
  expect(await readFile(path, 'utf8')).toBe('mine: secret-words\n')
})

test('the operator’s own keys are taken before any file, and none is made', async () => {
  const DATA_DIR = await newDataDir()
  const { keys } = await load({ DATA_DIR, TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS })
  expect(keys.map(({ id }) => id)).toEqual(['test'])
  expect(await readdir(DATA_DIR)).toEqual([])
})

test('a production database wants the operator’s own; one for development does not', async () => {
  const DATA_DIR = await newDataDir()
  const production = { DATA_DIR, DATABASE_URL: URL, NODE_ENV: 'production' }
  await expect(load(production)).rejects.toThrow(
    /TRUNKLINE_ENCRYPTION_KEYS.*trunkline secrets new-key/,
  )
  expect(await readdir(DATA_DIR)).toEqual([])
  expect((await load({ ...production, NODE_ENV: 'development' })).keys).toHaveLength(1)
})

test('a wrong variable is told by its name, without what it holds', () => {
  const read = () => readConfig({ TRUNKLINE_ENCRYPTION_KEYS: 'a:b64-of-my-secret' })
  expect(read).toThrow(/^TRUNKLINE_ENCRYPTION_KEYS: expected/)
  expect(read).not.toThrow(/my-secret/)
})
