/**
 * What is secret is sealed before it is stored: AES-256-GCM, under the first key of a ring. A sealed
 * value opens only in the place that it was sealed for, so one that is moved to another row, tenant or
 * column is as good as broken.
 *
 * `version (1 byte) · length of the key's id (1) · key id · nonce (12) · ciphertext · tag (16)`
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import type { EncryptionKey } from '../encryption-key.ts'

/** The row, and the purpose, that a secret belongs to. */
export type Place =
  | { readonly kind: 'credential'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'answer'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'webhook'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'old-webhook'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'integration'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'old-integration'; readonly environmentId: string; readonly id: string }
  | { readonly kind: 'signing-key'; readonly id: string }

export interface Vault {
  seal(place: Place, plain: string): Uint8Array<ArrayBuffer>
  /** @throws VaultError */
  open(place: Place, sealed: Uint8Array): string
  /** What everything begins with that the first key seals. */
  readonly currentHeader: Uint8Array<ArrayBuffer>
  /** The keys that can open, the one that seals first. */
  readonly keyIds: readonly string[]
}

/** A sealed value that does not open. */
export class VaultError extends Error {
  override readonly name = 'VaultError'
  /** `UNKNOWN_KEY`: none of ours sealed it · `BROKEN_SEAL`: it was altered, or sealed for another place. */
  readonly code: 'UNKNOWN_KEY' | 'BROKEN_SEAL'

  constructor(code: VaultError['code'], message: string) {
    super(message)
    this.code = code
  }
}

const CIPHER = 'aes-256-gcm'
const VERSION = 1
// NIST SP 800-38D, sections 8.2.2 and 8.3: random nonces of 96 bits, for up to 2^32 values a key.
const NONCE_BYTES = 12
const TAG_BYTES = 16

const headerOf = (keyId: string): Buffer<ArrayBuffer> =>
  Buffer.concat([Buffer.of(VERSION, keyId.length), Buffer.from(keyId, 'latin1')])

/** Where a sealed value ends to say what it is, and its body begins. */
const headerLength = (sealed: Uint8Array): number => 2 + (sealed[1] ?? 0)

/** What must be the same when it is opened: JSON, so that no two places read alike. */
const associated = (header: Uint8Array, place: Place): Buffer => {
  const environmentId = place.kind === 'signing-key' ? null : place.environmentId
  return Buffer.concat([
    header,
    Buffer.from(JSON.stringify([place.kind, environmentId, place.id]), 'utf8'),
  ])
}

const broken = ({ kind, id }: Place): VaultError =>
  new VaultError('BROKEN_SEAL', `The secret of ${kind} ${id} was altered, or is another's.`)

/** @param keys the first seals, all open */
export const createVault = (keys: readonly EncryptionKey[]): Vault => {
  const [current] = keys
  if (current === undefined) throw new RangeError('A vault needs a key.')
  const byId = new Map(keys.map((key) => [key.id, key]))
  const currentHeader = headerOf(current.id)
  return {
    currentHeader,
    keyIds: keys.map(({ id }) => id),
    seal: (place, plain) => {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, current.secret, nonce, { authTagLength: TAG_BYTES })
      cipher.setAAD(associated(currentHeader, place))
      return Buffer.concat([
        ...[currentHeader, nonce, cipher.update(plain, 'utf8'), cipher.final()],
        cipher.getAuthTag(),
      ])
    },
    open: (place, sealed) => {
      const length = headerLength(sealed)
      if (sealed[0] !== VERSION || sealed.length < length + NONCE_BYTES + TAG_BYTES)
        throw broken(place)
      const header = sealed.subarray(0, length)
      const keyId = Buffer.from(header.subarray(2)).toString('latin1')
      const key = byId.get(keyId)
      if (key === undefined)
        throw new VaultError(
          'UNKNOWN_KEY',
          `The secret of ${place.kind} ${place.id} is sealed with an encryption key that is not here.`,
        )
      const nonce = sealed.subarray(length, length + NONCE_BYTES)
      const decipher = createDecipheriv(CIPHER, key.secret, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(associated(header, place))
      decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
      const body = sealed.subarray(length + NONCE_BYTES, -TAG_BYTES)
      try {
        return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
      } catch {
        // Node's own error says no more than that it did not open.
        throw broken(place)
      }
    },
  }
}
