/** `trunkline doctor`: checks the configuration, the keys and the database, and says what to do. It changes nothing. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../process/config.ts'
import { openDatabase } from '../store/database/database.ts'
import { readServerFacts, type ServerFacts } from '../store/database/server-check.ts'
import type { EncryptionKey } from '../store/secrets/encryption-key.ts'
import { loadEncryptionKeys } from '../store/secrets/encryption-keys.ts'
import { checkEncryptionKeys } from '../store/secrets/sealed-rows.ts'
import { createVault } from '../store/secrets/vault.ts'
import { withDatabaseUrl } from './database.ts'
import { UsageError } from './usage-error.ts'

/** A problem prevents a start or endangers data; a warning does not. */
interface Finding {
  readonly level: 'ok' | 'warning' | 'problem'
  readonly subject: string
  readonly text: string
}

const MIN_VERSION = 150_000
// Of one process: two pools of 10 connections, the listener, and one of a migration.
const CONNECTIONS = 22
// The service warns beyond the same difference.
const MAX_CLOCK_DIFFERENCE_MS = 2000

const ok = (subject: string, text: string): Finding => ({ level: 'ok', subject, text })
const warning = (subject: string, text: string): Finding => ({ level: 'warning', subject, text })
const problem = (subject: string, text: string): Finding => ({ level: 'problem', subject, text })

const explain = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(explain).join('; ')
  return error instanceof Error ? error.message : String(error)
}

const checkKeys = async (
  config: Config,
): Promise<{ readonly finding: Finding; readonly keys?: readonly EncryptionKey[] }> => {
  const subject = 'encryption keys'
  const file = join(config.dataDir, 'encryption.keys')
  if (config.encryptionKeys === undefined && config.keyFileAllowed && !existsSync(file))
    return { finding: ok(subject, `none yet; the first start creates ${file}`) }
  try {
    const { keys } = await loadEncryptionKeys(config)
    const source = config.encryptionKeys === undefined ? file : 'TRUNKLINE_ENCRYPTION_KEYS'
    return { finding: ok(subject, `${keys.length} in ${source}`), keys }
  } catch (error) {
    return { finding: problem(subject, explain(error)) }
  }
}

const checkServer = (facts: ServerFacts): Finding[] => {
  const { connections, hostAheadMs, pending } = facts
  const free = connections.max - connections.open
  return [
    facts.version < MIN_VERSION
      ? problem('PostgreSQL', `${facts.versionText} is too old: use version 15 or newer.`)
      : ok('PostgreSQL', facts.versionText),
    facts.isReplica
      ? problem('role', 'The server is a read-only replica: set DATABASE_URL to the primary.')
      : ok('role', 'primary'),
    facts.encoding === 'UTF8'
      ? ok('encoding', 'UTF8')
      : problem('encoding', `${facts.encoding}: create the database with ENCODING 'UTF8'.`),
    facts.fsync
      ? ok('fsync', 'on')
      : warning('fsync', 'off: a crash of the machine may destroy the database. Set fsync = on.'),
    facts.mayCreate || pending.length === 0
      ? ok('privileges', 'the user may change the schema, or need not')
      : problem(
          'privileges',
          'The user may not create schemas: run GRANT CREATE ON DATABASE … TO the user of DATABASE_URL.',
        ),
    free < CONNECTIONS
      ? warning(
          'connections',
          `${free} of ${connections.max} are free, and a process opens up to ${CONNECTIONS}: raise max_connections.`,
        )
      : ok(
          'connections',
          `${free} of ${connections.max} are free; a process opens up to ${CONNECTIONS}`,
        ),
    Math.abs(hostAheadMs) > MAX_CLOCK_DIFFERENCE_MS
      ? warning(
          'clock',
          `This host is ${hostAheadMs} ms ahead of the database, whose clock is used: check NTP on both.`,
        )
      : ok('clock', `${hostAheadMs} ms ahead of the database's`),
    pending.length > 0
      ? ok(
          'migrations',
          `${pending.length} pending; the next start, or \`trunkline migrate\`, applies them`,
        )
      : ok('migrations', 'all applied'),
  ]
}

/** Whether the keys decrypt what the database contains. */
const checkSecrets = async (url: string, keys: readonly EncryptionKey[]): Promise<Finding> => {
  const subject = 'secrets'
  const database = openDatabase({ url, maxConnections: 1 })
  try {
    return (await checkEncryptionKeys(database, createVault(keys)))
      ? warning(subject, 'Some use an older encryption key: run `trunkline secrets reseal`.')
      : ok(subject, 'all use the first encryption key')
  } catch (error) {
    return problem(subject, explain(error))
  } finally {
    await database.stop()
  }
}

async function* checkDatabase(
  url: string,
  keys: readonly EncryptionKey[] | undefined,
): AsyncGenerator<Finding, void> {
  let facts: ServerFacts
  try {
    facts = await readServerFacts(url)
  } catch (error) {
    const place = URL.parse(url)?.host || 'the address of DATABASE_URL'
    yield problem(
      'database',
      `${explain(error)}: check that PostgreSQL responds at ${place} and accepts the user of DATABASE_URL.`,
    )
    return
  }
  yield* checkServer(facts)
  // The columns of the secrets exist once the migrations are applied.
  if (keys !== undefined && facts.pending.length === 0) yield await checkSecrets(url, keys)
}

const print = ({ level, subject, text }: Finding): void =>
  console.log(`${level.padEnd(8)} ${subject.padEnd(16)} ${text}`)

/** @throws UsageError; Error if there is a problem */
export const runDoctorCommand = async (config: Config, rest: readonly string[]): Promise<void> => {
  if (rest.length > 0) throw new UsageError('doctor: expected no further arguments.')
  let problems = 0
  const report = (finding: Finding): void => {
    print(finding)
    if (finding.level === 'problem') problems += 1
  }
  report(ok('configuration', config.isDevelopment ? 'development' : 'production'))
  report(ok('Node', process.version))
  const { finding, keys } = await checkKeys(config)
  report(finding)
  if (config.databaseUrl === undefined && !existsSync(join(config.dataDir, 'postgres')))
    report(ok('database', `none yet; the first start creates one in ${config.dataDir}`))
  else
    await withDatabaseUrl(config, async (url) => {
      for await (const found of checkDatabase(url, keys)) report(found)
    })
  if (problems > 0) throw new Error(`${problems} ${problems === 1 ? 'problem' : 'problems'} found.`)
}
