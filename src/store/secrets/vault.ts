/**
 * Encryption of stored secrets: AES-256-GCM with the first key of a key ring ("seal", "open"). Row, tenant and
 * column are authenticated as associated data, so a value that is moved elsewhere does not decrypt.
 *
 * `version (1 byte) · length of the key's id (1) · key id · nonce (12) · ciphertext · tag (16)`
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { EncryptionKey } from './encryption-key.ts'

/** The row and purpose of a secret, which are its associated data. */
export type SecretContext =
  | { readonly kind: 'credential'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'authorization'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'answer'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'webhook'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'old-webhook'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'integration'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'old-integration'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'tokens'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'oauth-client'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'oauth-webhook'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'inbound'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'signing-key'; readonly id: string }

export interface Vault {
  /** Encrypts a secret with the first key. */
  seal(context: SecretContext, plain: string): Uint8Array<ArrayBuffer>
  /** Decrypts a secret. @throws VaultError */
  open(context: SecretContext, sealed: Uint8Array): string
  /** The first bytes of every value that the first key encrypts. */
  readonly currentHeader: Uint8Array<ArrayBuffer>
  /** Ids of all keys; the first one encrypts. */
  readonly keyIds: readonly string[]
}

/** A value that cannot be decrypted. */
export class VaultError extends Error {
  override readonly name = 'VaultError'
  /** `UNKNOWN_KEY`: its key is missing · `BROKEN_SEAL`: it was altered, or encrypted with other associated data. */
  readonly code: 'UNKNOWN_KEY' | 'BROKEN_SEAL'

  constructor(code: VaultError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const CIPHER = 'aes-256-gcm'
const VERSION = 1
// NIST SP 800-38D, sections 8.2.2 and 8.3: random nonces of 96 bits, for up to 2^32 values per key.
const NONCE_BYTES = 12
const TAG_BYTES = 16

const headerOf = (keyId: string): Buffer<ArrayBuffer> =>
  Buffer.concat([Buffer.of(VERSION, keyId.length), Buffer.from(keyId, 'latin1')])

/** Length of the header in bytes; the body follows. */
const headerLength = (sealed: Uint8Array): number => 2 + (sealed[1] ?? 0)

/** The associated data. JSON encodes it unambiguously. */
const associated = (header: Uint8Array, context: SecretContext): Buffer => {
  const environmentId = context.kind === 'signing-key' ? null : context.environmentId
  return Buffer.concat([
    header,
    Buffer.from(JSON.stringify([context.kind, environmentId, context.id]), 'utf8'),
  ])
}

const broken = ({ kind, id }: SecretContext): VaultError =>
  new VaultError(
    'BROKEN_SEAL',
    `The secret of ${kind} ${id} was altered, or belongs to another row. Restore it from a backup or set it again.`,
  )

/** Creates a vault. @param keys the first key encrypts, all keys decrypt */
export const createVault = (keys: readonly EncryptionKey[]): Vault => {
  const [current] = keys
  if (current === undefined) throw new RangeError('A vault needs a key.')
  const byId = new Map(keys.map((key) => [key.id, key]))
  const currentHeader = headerOf(current.id)
  return {
    currentHeader,
    keyIds: keys.map(({ id }) => id),
    seal: (context, plain) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, current.secret, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(associated(currentHeader, context))
      const body = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([currentHeader, nonce, body, cipher.getAuthTag()])
    },
    open: (context, sealed) => {
      const length = headerLength(sealed)
      if (sealed[0] !== VERSION || sealed.length < length + NONCE_BYTES + TAG_BYTES)
        throw broken(context)
      const header = sealed.subarray(0, length)
      const keyId = Buffer.from(header.subarray(2)).toString('latin1')
      const key = byId.get(keyId)
      if (key === undefined)
        throw new VaultError(
          'UNKNOWN_KEY',
          `The secret of ${context.kind} ${context.id} is encrypted with a missing key. Add the key to TRUNKLINE_ENCRYPTION_KEYS.`,
        )
      const nonce = sealed.subarray(length, length + NONCE_BYTES)
      const decipher = createDecipheriv(CIPHER, key.secret, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(associated(header, context))
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const body = sealed.subarray(length + NONCE_BYTES, -TAG_BYTES)
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch {
        // Node's error has no further details.
        throw broken(context)
      }
    },
  }
}
