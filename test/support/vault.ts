/** One vault for all that a test starts, its child processes among it. */
import { parseEncryptionKeys } from '../../src/encryption-key.ts'
import { createVault } from '../../src/store/vault.ts'

export const TEST_KEYS = `test:${Buffer.alloc(32, 7).toString('base64')}`

export const testVault = createVault(parseEncryptionKeys(TEST_KEYS))
