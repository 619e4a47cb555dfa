/** The vault that a test's service and its child processes share. */
import { parseEncryptionKeys } from '../../src/store/secrets/encryption-key.ts'
import { createVault } from '../../src/store/secrets/vault.ts'

export const TEST_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`

export const testVault = createVault(parseEncryptionKeys(TEST_KEYS))
