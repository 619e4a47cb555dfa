/** Encryption keys in the format of the configuration: `id:` and 32 bytes in base64. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

export interface EncryptionKey {
  /** Stored in every value that the key encrypts, to find the key again. */
  readonly id: string
  /** 256 bits. Logging or inspecting a KeyObject does not reveal the key. */
  readonly secret: KeyObject
}

/** The format of one key, for messages. */
const ENCRYPTION_KEY_FORM = 'id:key, the key being 32 bytes in base64'

const FORM = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/

/**
 * Parses a list of keys, separated by commas or whitespace. The first key encrypts; all keys decrypt.
 * @throws Error that names the position in the list, never the key
 */
export const parseEncryptionKeys = (text: string): readonly EncryptionKey[] => {
  const keys = text
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part, place) => {
      const [, id, secret] = FORM.exec(part) ?? []
      if (id === undefined || secret === undefined)
        throw new Error(`expected ${ENCRYPTION_KEY_FORM}; key ${place + 1} is not`)
      return { id, secret: createSecretKey(secret, 'base64') }
    })
  if (keys.length === 0) throw new Error(`expected one or more of ${ENCRYPTION_KEY_FORM}`)
  const duplicate = keys.find(({ id }, place) => keys.findIndex((key) => key.id === id) !== place)
  if (duplicate !== undefined)
    throw new Error(`expected unique ids; ${duplicate.id} is used more than once`)
  return keys
}

/** Generates a key in the format of the list. Its id is random too, so ids are unique. */
export const generateEncryptionKey = (): string =>
  `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`
