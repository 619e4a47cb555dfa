/** Encryption keys, as operators write them: `id:` and 32 bytes in base64. */
import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto'

export interface EncryptionKey {
  /** Stands in everything the key seals, so that it is found again. */
  readonly id: string
  /** 256 bits, in a form that no log and no inspection shows. */
  readonly secret: KeyObject
}

/** What one key looks like, for messages. */
const ENCRYPTION_KEY_FORM = 'id:key, the key being 32 bytes in base64'

const FORM = /^([A-Za-z0-9_-]{1,32}):([A-Za-z0-9+/]{43}=)$/

/**
 * A list of keys, apart by commas or line ends: the first seals, all open.
 * @throws Error that names the place in the list, never what stands there
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
  const twice = keys.find(({ id }, place) => keys.findIndex((key) => key.id === id) !== place)
  if (twice !== undefined) throw new Error(`expected ids that differ; ${twice.id} comes twice`)
  return keys
}

/** A new key, as it is written in the list. Its id is drawn too, so no two keys share one. */
export const generateEncryptionKey = (): string =>
  `k${randomBytes(4).toString('hex')}:${randomBytes(32).toString('base64')}`
