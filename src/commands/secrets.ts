/** `trunkline secrets`: the encryption keys, and what they seal. */
import type { Config } from '../config.ts'
import { generateEncryptionKey } from '../encryption-key.ts'
import { loadEncryptionKeys } from '../store/encryption-keys.ts'
import { checkEncryptionKeys, resealRows } from '../store/sealed-rows.ts'
import { createVault } from '../store/vault.ts'
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
    console.log(`${resealed} secrets are now under the key ${vault.keyIds[0]}.`)
    if (broken.length > 0) throw new Error(`These do not open: ${broken.join(', ')}`)
    if (remaining > 0)
      throw new Error(
        `${remaining} were written meanwhile under an older key: give every process the new one first, then repeat this.`,
      )
  })
}

/** @throws UsageError, Error */
export const runSecretsCommand = async (
  config: Config,
  [name, ...rest]: readonly string[],
): Promise<void> => {
  if (rest.length > 0) throw new UsageError(`secrets ${name}: expected nothing more.`)
  if (name === 'new-key') console.log(generateEncryptionKey())
  else if (name === 'reseal') await reseal(config)
  else throw new UsageError(`secrets: expected new-key or reseal, not "${name ?? ''}".`)
}
