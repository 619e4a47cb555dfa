/** The vault of one process, once it is sure that it opens what is stored. */
import type { EncryptionKey } from '../encryption-key.ts'
import type { Database } from './database.ts'
import { ensureAllSecrets } from './integration-secrets.ts'
import { checkEncryptionKeys, sealPlainCredentials } from './sealed-rows.ts'
import { createVault, type Vault } from './vault.ts'

interface VaultLog {
  info(facts: object, message: string): void
}

/**
 * Checks the keys against the database, and makes up for what an earlier version left in plain text or without a secret.
 * @throws MissingEncryptionKeyError
 */
export const openVault = async (
  database: Database,
  keys: readonly EncryptionKey[],
  log: VaultLog,
): Promise<Vault> => {
  const vault = createVault(keys)
  const hasOlder = await checkEncryptionKeys(database, vault)
  const sealed = await sealPlainCredentials(database, vault)
  if (sealed > 0) log.info({ credentials: sealed }, 'credentials in plain text were sealed')
  const given = await ensureAllSecrets(database, vault)
  if (given > 0)
    log.info({ integrations: given }, 'integrations were given a secret that signs their posts')
  if (hasOlder)
    log.info({}, 'some secrets are under an older encryption key: run `trunkline secrets reseal`')
  return vault
}
