/** The storage of a process: its encryption keys, and a database with the schema of this version. */
import type { Logger } from 'pino'
import { startEmbeddedDatabase } from '../store/database/embedded/embedded.ts'
import { applyMigrations } from '../store/database/migrate.ts'
import type { EncryptionKey } from '../store/secrets/encryption-key.ts'
import { loadEncryptionKeys } from '../store/secrets/encryption-keys.ts'
import type { Config } from './config.ts'
import type { Progress } from './progress.ts'
import type { Shutdown } from './shutdown.ts'

export interface Storage {
  readonly keys: readonly EncryptionKey[]
  /** The file of encryption keys, if this start created it. */
  readonly newKeyFile: string | undefined
  /** The URL of the database. */
  readonly url: string
  /** Resolves once a database that this start created is safe from a crash of the machine. */
  readonly durable: Promise<void>
}

export interface StorageOptions {
  readonly log: Logger
  readonly shutdown: Shutdown
  readonly progress: Progress
  /** Called when a program of the embedded PostgreSQL runs: first one that creates the cluster, if it is new. */
  readonly onSpawn: (cluster: 'new' | 'existing') => void
}

/** Loads or creates the keys, starts the embedded database if none is configured, and applies the migrations. */
export const prepareStorage = async (
  config: Config,
  { log, shutdown, progress, onSpawn }: StorageOptions,
): Promise<Storage> => {
  const { keys, newFile: newKeyFile } = await loadEncryptionKeys(config)
  if (newKeyFile !== undefined)
    log.warn(
      { file: newKeyFile },
      'created an encryption key; back it up: without it, no stored secret can be decrypted',
    )
  let url = config.databaseUrl
  let durable = Promise.resolve()
  if (url === undefined) {
    const embedded = await startEmbeddedDatabase({ dataDir: config.dataDir, log, onSpawn })
    shutdown.add('embedded database', () => embedded.stop(), { outlivesProcess: true })
    url = embedded.url
    durable = embedded.durable
  }
  await applyMigrations(url, {
    log,
    onPending: (count) => progress(`Applying ${count} migrations`),
  })
  return { keys, newKeyFile, url, durable }
}
