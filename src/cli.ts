#!/usr/bin/env node
/** The command line: `trunkline serve`, and the commands for operators. */
import { once } from 'node:events'
import { relative } from 'node:path'
import { UsageError } from './commands/usage-error.ts'
import type { TrunklineProcess } from './main.ts'
import { version } from './package-json.ts'
import { type Config, readConfig } from './process/config.ts'
import { createProgress } from './process/progress.ts'
import { type Role, roles } from './process/role.ts'

const USAGE = `Usage: trunkline <command>
  serve [--role all|api|worker]  starts the service, or one process of it
  keys list <environment>        lists the API keys of an environment
  keys generate <environment>    creates another key and shows it once
  keys regenerate <environment>  creates a key, shows it once, and revokes all others
  keys revoke <environment> <id> revokes a key
  oauth-clients list <environment>
                                 lists the OAuth clients of an environment, without their secrets
  oauth-clients set <environment> <app> <client id> [scope...]
                                 sets an OAuth client; its secret is read from standard input, or from
                                 OAUTH_CLIENT_SECRET; the one of the app's webhooks from OAUTH_WEBHOOK_SECRET
  oauth-clients delete <environment> <app>
                                 deletes an OAuth client
  doctor                         checks the configuration, the keys and the database, and says what to do
  copy-database                  copies the embedded database to the empty one of DATABASE_URL
  migrate                        applies the pending migrations to the database, then exits
  secrets new-key                prints a new encryption key, for TRUNKLINE_ENCRYPTION_KEYS
  secrets reseal                 encrypts all secrets again with the first encryption key
  help, --version                prints this text, or the version

<environment> is development or production. The commands use the database of DATABASE_URL, or the one
in DATA_DIR, whether the service runs or not. docs/configuration.md lists the variables.`

// In a clone this file is TypeScript, and no `trunkline` is installed.
const COMMAND = import.meta.filename.endsWith('.ts') ? 'npm run trunkline' : 'npx trunkline'

const CURL = `curl -H "Authorization: Bearer $KEY" "$URL/2024-03/one/accounting/vendors?credentialId=$ID&pageSize=2"`

/** The values of the README's examples, as a line for a shell; without the key if only the operator knows it. */
const exportLine = (
  config: Config,
  address: string,
  { firstStart, newKey }: TrunklineProcess,
): string => {
  // In double quotes, so that the shell expands the variable.
  const key = newKey ?? (config.developmentKey && '"$TRUNKLINE_DEV_API_KEY"')
  const values = {
    URL: address,
    KEY: key,
    USER_ID: firstStart.userId,
    ID: firstStart.credentialIds[0],
  }
  const assignments = Object.entries(values).flatMap(([name, value]) =>
    value ? [`${name}=${value}`] : [],
  )
  return `export ${assignments.join(' ')}`
}

const keyLine = (config: Config, newKey: string | undefined): string => {
  // Standard output ends up in logs: a key is printed only once, when it is created.
  if (newKey !== undefined) return `${newKey}  (shown only now)`
  return config.developmentKey === undefined
    ? `shown at the first start; for another: ${COMMAND} keys generate development`
    : 'the value of TRUNKLINE_DEV_API_KEY'
}

/** The text that a start prints: the addresses, and a first request. */
const greeting = (config: Config, trunkline: TrunklineProcess): string => {
  const { address, firstStart, newKey, newKeyFile } = trunkline
  if (address === undefined)
    return `Trunkline is running. (This process is a worker and has no address.)`
  const data =
    config.databaseUrl === undefined
      ? relative('', config.dataDir) || '.'
      : 'PostgreSQL of DATABASE_URL'
  const keyFile =
    newKeyFile && `  (back up ${relative('', newKeyFile)}: without it no credential can be read)`
  // The pages of a development service fill in the key of the fragment, which browsers do not send.
  const fragment = newKey !== undefined && config.isDevelopment ? `#key=${newKey}` : ''
  return [
    `Trunkline is ready.`,
    `  Open     ${address}`,
    `  REST     ${address}/2024-03/one`,
    `  GraphQL  ${address}/graphql${config.graphiql ? fragment : ''}`,
    `  Docs     ${address}/docs${fragment}`,
    `  Data     ${data}${keyFile ?? ''}`,
    `  Key      ${keyLine(config, newKey)}`,
    'To try it, paste:',
    `  ${exportLine(config, address, trunkline)}`,
    ...(firstStart.credentialIds.length === 0 ? [] : [`  ${CURL}`]),
  ].join('\n')
}

/** @throws UsageError */
const readRole = (rest: readonly string[]): Role => {
  const [, requested] = /^--role[= ](.+)$/.exec(rest.join(' ')) ?? []
  const role = roles.find(
    (known) => known === (requested ?? (rest.length === 0 ? 'all' : undefined)),
  )
  if (role === undefined)
    throw new UsageError(
      `serve: expected --role with one of ${roles.join(', ')}, not "${rest.join(' ')}".`,
    )
  return role
}

const serve = async (config: Config, rest: readonly string[]): Promise<void> => {
  const role = readRole(rest)
  const stopping = new AbortController()
  const { signal } = stopping
  const stop = (): void => {
    // A second Ctrl-C ends the process immediately.
    if (signal.aborted) process.exit(1)
    stopping.abort()
  }
  // Registered before the start, so that a signal during it is not missed.
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    const { startTrunkline } = await import('./main.ts')
    const trunkline = await startTrunkline(config, role, signal, createProgress(config))
    console.log(greeting(config, trunkline))
    if (!signal.aborted) await once(signal, 'abort')
    process.exit((await trunkline.stop()) ? 0 : 1)
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
    process.exit(0)
  }
}

type Command = (config: Config, rest: readonly string[]) => Promise<void>

/** The commands by name, each imported only when it is used: the service starts PostgreSQL first. */
const commands: Readonly<Record<string, () => Promise<Command>>> = {
  serve: async () => serve,
  'copy-database': async () => (await import('./commands/copy-database.ts')).runCopyDatabaseCommand,
  doctor: async () => (await import('./commands/doctor.ts')).runDoctorCommand,
  keys: async () => (await import('./commands/keys.ts')).runKeysCommand,
  migrate: async () => (await import('./commands/migrate.ts')).runMigrateCommand,
  'oauth-clients': async () => (await import('./commands/oauth-clients.ts')).runOAuthClientsCommand,
  secrets: async () => (await import('./commands/secrets.ts')).runSecretsCommand,
}

const [name = '', ...rest] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
try {
  if (name === 'help' || [name, ...rest].some((word) => word === '--help' || word === '-h'))
    console.log(USAGE)
  else if (name === '--version') console.log(version)
  else if (command === undefined) throw new UsageError(`Unknown command "${name}".`)
  else {
    const run = await command()
    await run(readConfig(process.env), rest)
  }
} catch (error) {
  const isUsage = error instanceof UsageError
  const message = error instanceof Error ? error.message : String(error)
  const text = isUsage ? `${message}\n\n${USAGE}` : message
  // Exits once the text is written, even if something that was started still runs.
  process.stderr.write(`${text}\n`, () => process.exit(isUsage ? 2 : 1))
}
