/** `trunkline secrets`: the encryption keys, and the secrets that they encrypt. */
import type { Config } from '../process/config.ts'
import { generateEncryptionKey } from '../store/secrets/encryption-key.ts'
import { loadEncryptionKeys } from '../store/secrets/encryption-keys.ts'
import { checkEncryptionKeys, resealRows } from '../store/secrets/sealed-rows.ts'
import { createVault } from '../store/secrets/vault.ts'
import { withDatabase } from './database.ts'
import { UsageError } from './usage-error.ts'

const reseal = async (config: Config): Promise<void> => {
  const { keys } = await loadEncryptionKeys(config)
  const vault = createVault(keys)
  await withDatabase(config, async (database) => {
    await checkEncryptionKeys(database, vault)
    const { resealed, broken, remaining } = await resealRows(database, vault, (progress) =>
      console.log(`${progress.table}: ${progress.resealed} so far`),
    )
    console.log(`${resealed} secrets are now encrypted with the key ${vault.keyIds[0]}.`)
    if (broken.length > 0)
      throw new Error(`These secrets cannot be decrypted: ${broken.join(', ')}`)
    if (remaining > 0)
      throw new Error(
        `${remaining} secrets were written with an older key in the meantime. Put the new key first in every process, then run this again.`,
      )
  })
}

/** @throws UsageError, Error */
export const runSecretsCommand = async (
  config: Config,
  [name, ...rest]: readonly string[],
): Promise<void> => {
  if (rest.length > 0) throw new UsageError(`secrets ${name}: expected no further arguments.`)
  if (name === 'new-key') console.log(generateEncryptionKey())
  else if (name === 'reseal') await reseal(config)
  else throw new UsageError(`secrets: expected new-key or reseal, not "${name ?? ''}".`)
}
