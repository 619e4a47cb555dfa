/** Where the encryption keys come from: the operator, or a file beside the data that is made once. */
import { randomUUID } from 'node:crypto'
import { link, mkdir, open, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type EncryptionKey,
  generateEncryptionKey,
  parseEncryptionKeys,
} from '../encryption-key.ts'

const FILE = 'encryption.keys'
const OTHERS = 0o077

/** Keys in a file that others may read, or that is not a list of keys. */
export class EncryptionKeysError extends Error {
  override readonly name = 'EncryptionKeysError'
  readonly code = 'ENCRYPTION_KEYS_UNUSABLE'
}

export interface LoadedKeys {
  readonly keys: readonly EncryptionKey[]
  /** The file that was made just now: whoever loses it loses what is sealed. */
  readonly newFile: string | undefined
}

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ENOENT'

const isThere = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'EEXIST'

const readKeys = async (path: string): Promise<readonly EncryptionKey[] | undefined> => {
  let mode: number
  try {
    mode = (await stat(path)).mode
  } catch (error) {
    if (isMissing(error)) return undefined
    throw error
  }
  // Windows has no such bits.
  if (process.platform !== 'win32' && (mode & OTHERS) !== 0)
    throw new EncryptionKeysError(
      `${path} can be read by other users of this machine. Close it (chmod 600 ${path}); ` +
        'if somebody may have read it, put a new key first and reseal (see the README).',
    )
  try {
    return parseEncryptionKeys(await readFile(path, 'utf8'))
  } catch (error) {
    throw new EncryptionKeysError(`${path}: ${error instanceof Error ? error.message : error}`)
  }
}

/** Makes the file complete or not at all. @returns whether it is this one's, and not another process's */
const writeKeys = async (dataDir: string, path: string): Promise<boolean> => {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const unfinished = `${path}.${randomUUID()}`
  const file = await open(unfinished, 'wx', 0o600)
  try {
    await file.writeFile(`${generateEncryptionKey()}\n`)
    await file.sync()
    // Unlike a rename, a link does not replace the file that another process made meanwhile.
    await link(unfinished, path)
    return true
  } catch (error) {
    if (isThere(error)) return false
    throw error
  } finally {
    await file.close()
    await rm(unfinished)
  }
}

/** The keys in `<dataDir>/encryption.keys`, made if it is not there. @throws EncryptionKeysError */
const loadKeyFile = async (dataDir: string): Promise<LoadedKeys> => {
  const path = join(dataDir, FILE)
  const kept = await readKeys(path)
  if (kept !== undefined) return { keys: kept, newFile: undefined }
  const isNew = await writeKeys(dataDir, path)
  return { keys: (await readKeys(path)) ?? [], newFile: isNew ? path : undefined }
}

export interface KeySource {
  /** The operator's own; undefined: none were given. */
  readonly encryptionKeys: readonly EncryptionKey[] | undefined
  /** Whether a file in `dataDir` may hold them. */
  readonly keyFileAllowed: boolean
  readonly dataDir: string
}

/** @throws EncryptionKeysError that says how to make a key, where there is none and a file will not do */
export const loadEncryptionKeys = async (source: KeySource): Promise<LoadedKeys> => {
  if (source.encryptionKeys !== undefined)
    return { keys: source.encryptionKeys, newFile: undefined }
  if (source.keyFileAllowed) return loadKeyFile(source.dataDir)
  throw new EncryptionKeysError(
    'TRUNKLINE_ENCRYPTION_KEYS: expected the key that seals what is secret in the database, the same in ' +
      'every process. Make one with `trunkline secrets new-key`, and keep it where your secrets are.',
  )
}
