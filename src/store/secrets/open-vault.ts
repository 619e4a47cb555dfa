/** Opens the vault of a process and checks that it can decrypt every stored value. */

import type { Log } from '../../log.ts'
import type { Database } from '../database/database.ts'
import type { EncryptionKey } from './encryption-key.ts'
import { ensureAllSecrets } from './integration-secrets.ts'
import { checkEncryptionKeys, sealPlainCredentials } from './sealed-rows.ts'
import { createVault, type Vault } from './vault.ts'

/**
 * Creates the vault and checks its keys against the database. It also encrypts plain-text values and creates
 * missing secrets that an earlier version left.
 * @throws MissingEncryptionKeyError
 */
export const openVault = async (
  database: Database,
  keys: readonly EncryptionKey[],
  log: Log,
): Promise<Vault> => {
  const vault = createVault(keys)
  const hasOlder = await checkEncryptionKeys(database, vault)
  const sealed = await sealPlainCredentials(database, vault)
  if (sealed > 0) log.info({ credentials: sealed }, 'encrypted plain-text credentials')
  const created = await ensureAllSecrets(database, vault)
  if (created > 0)
    log.info({ integrations: created }, 'created missing signing secrets of integrations')
  if (hasOlder)
    log.info({}, 'some secrets use an older encryption key: run `trunkline secrets reseal`')
  return vault
}
