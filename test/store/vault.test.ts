/** A sealed value opens only in its own place, with its own key, unaltered. */
import { inspect } from 'node:util'
import { describe, expect, test } from 'vitest'
import {
  generateEncryptionKey,
  parseEncryptionKeys,
} from '../../src/store/secrets/encryption-key.ts'
import { createVault, type SecretContext, VaultError } from '../../src/store/secrets/vault.ts'

const PLAIN = '{"apiKey":"s3cret ✓"}'
const PLACE: SecretContext = {
  kind: 'credential',
  environmentId: 'eeeeeeee-0000-4000-8000-000000000001',
  id: 'aaaaaaaa-0000-4000-8000-000000000001',
}
const oldKey = generateEncryptionKey()
const newKey = generateEncryptionKey()
const vaultOf = (...keys: readonly string[]) => createVault(parseEncryptionKeys(keys.join(',')))
const vault = vaultOf(oldKey)

const codeOf = (open: () => unknown): string | undefined => {
  try {
    open()
    return undefined
  } catch (error) {
    expect(error).toBeInstanceOf(VaultError)
    expect(String(error)).not.toContain('s3cret')
    return (error as VaultError).code
  }
}

describe('the vault', () => {
  test.each(['', PLAIN, 'x'.repeat(100_000)])('opens what it sealed', (plain) => {
    expect(vault.open(PLACE, vault.seal(PLACE, plain))).toBe(plain)
  })

  test('seals a value differently each time, and reveals nothing of the content', () => {
    const sealed = Array.from({ length: 1000 }, () => Buffer.from(vault.seal(PLACE, PLAIN)))
    expect(new Set(sealed.map((bytes) => bytes.toString('hex'))).size).toBe(1000)
    expect(Buffer.concat(sealed).includes('s3cret')).toBe(false)
  })

  test.each<[string, SecretContext]>([
    ['another row', { ...PLACE, id: 'aaaaaaaa-0000-4000-8000-000000000002' }],
    ['another environment', { ...PLACE, environmentId: 'eeeeeeee-0000-4000-8000-000000000002' }],
    ['another purpose', { ...PLACE, kind: 'webhook' }],
    ['another purpose without environment', { kind: 'signing-key', id: PLACE.id }],
  ])('does not open a value in %s', (_where, place) => {
    const sealed = vault.seal(PLACE, PLAIN)
    expect(codeOf(() => vault.open(place, sealed))).toBe('BROKEN_SEAL')
  })

  test('does not open a value with any bit flipped, byte missing or byte added', () => {
    const sealed = vault.seal(PLACE, PLAIN)
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Uint8Array.from(sealed)
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7))
      expect(
        codeOf(() => vault.open(PLACE, altered)),
        `bit ${bit}`,
      ).toMatch(/BROKEN|UNKNOWN/)
    }
    for (let length = 0; length < sealed.length; length++)
      expect(codeOf(() => vault.open(PLACE, sealed.subarray(0, length)))).toBe('BROKEN_SEAL')
    expect(codeOf(() => vault.open(PLACE, Buffer.concat([sealed, Buffer.of(0)])))).toBe(
      'BROKEN_SEAL',
    )
  })

  test('seals with its first key and opens with any', () => {
    const before = vault.seal(PLACE, PLAIN)
    const both = vaultOf(newKey, oldKey)
    expect(both.open(PLACE, before)).toBe(PLAIN)
    const after = both.seal(PLACE, PLAIN)
    expect(vaultOf(newKey).open(PLACE, after)).toBe(PLAIN)
    expect(codeOf(() => vault.open(PLACE, after))).toBe('UNKNOWN_KEY')
  })

  test('rejects another key with the same id', () => {
    const [id] = oldKey.split(':')
    const [, secret] = newKey.split(':')
    expect(codeOf(() => vaultOf(`${id}:${secret}`).open(PLACE, vault.seal(PLACE, PLAIN)))).toBe(
      'BROKEN_SEAL',
    )
  })
})

describe('a list of keys', () => {
  test('shows no key when inspected', () => {
    const [key] = parseEncryptionKeys(oldKey)
    const secret = Buffer.from(oldKey.split(':')[1] ?? '', 'base64')
    const shown = inspect(key, { depth: 9, showHidden: true }) + JSON.stringify(key)
    for (const encoding of ['base64', 'hex'] as const)
      expect(shown).not.toContain(secret.toString(encoding))
  })

  test.each([
    ['', /one or more/],
    ['a', /key 1/],
    [`${oldKey},b:short`, /key 2/],
    [`${oldKey.slice(0, -1)}`, /key 1/],
    [`${'i'.repeat(33)}:${'A'.repeat(43)}=`, /key 1/],
    [`${oldKey},${oldKey}`, /more than once/],
  ])('is rejected when malformed: %#', (text, message) => {
    expect(() => parseEncryptionKeys(text)).toThrow(message)
    try {
      parseEncryptionKeys(text)
    } catch (error) {
      expect(String(error)).not.toContain(oldKey.slice(12))
    }
  })

  test('may be separated by line breaks or commas', () => {
    const ids = parseEncryptionKeys(`${oldKey}\n${newKey}\n`).map(({ id }) => id)
    expect(ids).toEqual(parseEncryptionKeys(`${oldKey}, ${newKey}`).map(({ id }) => id))
    expect(ids).toHaveLength(2)
  })
})
