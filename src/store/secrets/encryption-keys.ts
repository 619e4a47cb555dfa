/** Loads the encryption keys: from the configuration, or from a file in the data directory. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type EncryptionKey, generateEncryptionKey, parseEncryptionKeys } from './encryption-key.ts'

const FILE = 'encryption.keys'
const OTHERS = 0o077

/** The encryption keys are missing, their file is readable by other users, or it has an invalid format. */
export class EncryptionKeysError extends Error {
  override readonly name = 'EncryptionKeysError'
  readonly code = 'ENCRYPTION_KEYS_UNUSABLE'
}

export interface LoadedKeys {
  readonly keys: readonly EncryptionKey[]
  /** Path of the key file if it was created now. Without this file, encrypted values cannot be decrypted. */
  readonly newFile: string | undefined
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

const isExisting = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST'

const readKeys = async (path: string): Promise<readonly EncryptionKey[] | undefined> => {
  let mode: number
  try {
    mode = (await stat(path)).mode
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  // Windows has no permission bits.
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    throw new EncryptionKeysError(
      `${path} can be read by other users of this machine. Restrict its mode (chmod 600 ${path}). ` +
        'If another user may have read it, put a new key first and reseal (see docs/configuration.md).',
    )
  try {
    return parseEncryptionKeys(await readFile(path, 'utf8'))
  } catch (error) {
    throw new EncryptionKeysError(`${path}: ${error instanceof Error ? error.message : error}`)
  }
}

/** Creates the key file atomically. @returns false if another process has created it */
const writeKeys = async (dataDir: string, path: string): Promise<boolean> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const unfinished = `${path}.${randomUUID()}`
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.writeFile(`${generateEncryptionKey()}\n`)
    await file.sync()
    // Unlike a rename, a link does not replace a file that another process created in the meantime.
    await link(unfinished, path)
    return true
  } catch (error) {
    if (isExisting(error)) return false
    throw error
  } finally {
    await file.close()
    await rm(unfinished)
  }
}

/** Loads the keys of `<dataDir>/encryption.keys`, and creates the file if missing. @throws EncryptionKeysError */
const loadKeyFile = async (dataDir: string): Promise<LoadedKeys> => {
  const path = join(dataDir, FILE)
  const existing = await readKeys(path)
  if (existing !== undefined) return { keys: existing, newFile: undefined }
  const isNew = await writeKeys(dataDir, path)
  return { keys: (await readKeys(path)) ?? [], newFile: isNew ? path : undefined }
}

export interface KeySource {
  /** The configured keys; undefined: none are configured. */
  readonly encryptionKeys: readonly EncryptionKey[] | undefined
  /** Whether a file in `dataDir` may contain the keys. */
  readonly keyFileAllowed: boolean
  readonly dataDir: string
}

/** Loads the encryption keys. @throws EncryptionKeysError if none are configured and a key file is not allowed */
export const loadEncryptionKeys = async (source: KeySource): Promise<LoadedKeys> => {
  if (source.encryptionKeys !== undefined)
    return { keys: source.encryptionKeys, newFile: undefined }
  if (source.keyFileAllowed) return loadKeyFile(source.dataDir)
  throw new EncryptionKeysError(
    'TRUNKLINE_ENCRYPTION_KEYS: expected the key that encrypts secrets in the database, the same in every ' +
      'process. Create one with `trunkline secrets new-key` and store it with your other secrets.',
  )
}
