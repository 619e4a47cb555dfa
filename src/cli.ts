#!/usr/bin/env node
/** The command line: `trunkline serve`, and what an operator does beside it. */
import { once } from 'node:events'
import { relative } from 'node:path'
import { runKeysCommand } from './commands/keys.ts'
import { runSecretsCommand } from './commands/secrets.ts'
import { UsageError } from './commands/usage-error.ts'
import { type Config, readConfig } from './config.ts'
import { type Role, roles, startTrunkline, type Trunkline } from './main.ts'

const USAGE = `Usage: trunkline <command>
  serve [--role all|api|worker]  starts the service, or one of several processes of it
  keys list <environment>        shows the API keys of an environment
  keys generate <environment>    makes a further key, shown once
  keys regenerate <environment>  makes a key, shown once, and revokes all others
  keys revoke <environment> <id> ends a key
  secrets new-key                prints a new encryption key, for TRUNKLINE_ENCRYPTION_KEYS
  secrets reseal                 brings all that is sealed under the first encryption key

<environment> is development or production. The commands work on DATABASE_URL, or on the data in
DATA_DIR, whether the service runs or not. The environment variables: see the README.`

/** What a person sees of a start: where it listens and what to try, in at most eight lines. */
const greeting = (
  config: Config,
  { address, firstStart, newKey, newKeyFile }: Trunkline,
): string => {
  const [credentialId] = firstStart.credentialIds
  // In double quotes, where a shell puts what its variable holds.
  const key = newKey ?? config.developmentKey ?? '$KEY'
  const data =
    config.databaseUrl === undefined
      ? relative('', config.dataDir) || '.'
      : 'PostgreSQL of DATABASE_URL'
  const keyFile =
    newKeyFile && `  (back up ${relative('', newKeyFile)}: without it no credential can be read)`
  if (address === undefined) return `Trunkline works. (No address: this process is a worker.)`
  return [
    `Trunkline is ready.`,
    `  REST     ${address}/2024-03/one`,
    `  GraphQL  ${address}/graphql`,
    `  Docs     ${address}/docs`,
    `  Data     ${data}${keyFile ?? ''}`,
    ...(newKey !== undefined
      ? [`  Key      ${newKey}  (shown only now)`]
      : config.developmentKey === undefined
        ? ['  Key      as at the first start; another: npm run trunkline keys generate development']
        : []),
    ...(credentialId === undefined
      ? []
      : [
          `  Try      curl -H "Authorization: Bearer ${key}" '${address}/2024-03/one/accounting/vendors?credentialId=${credentialId}&pageSize=2'`,
        ]),
  ].join('\n')
}

/** @throws UsageError */
const readRole = (rest: readonly string[]): Role => {
  const [, given] = /^--role[= ](.+)$/.exec(rest.join(' ')) ?? []
  const role = roles.find((known) => known === (given ?? (rest.length === 0 ? 'all' : undefined)))
  if (role === undefined)
    throw new UsageError(
      `serve: expected --role and one of ${roles.join(', ')}, not "${rest.join(' ')}".`,
    )
  return role
}

const serve = async (config: Config, rest: readonly string[]): Promise<void> => {
  const role = readRole(rest)
  const asked = new AbortController()
  const { signal } = asked
  const stop = (): void => {
    // A second Ctrl-C does not wait.
    if (signal.aborted) process.exit(1)
    asked.abort()
  }
  // Before anything is started: from the first moment there is something to stop.
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  try {
    const trunkline = await startTrunkline(config, role, signal)
    console.log(greeting(config, trunkline))
    if (!signal.aborted) await once(signal, 'abort')
    process.exit((await trunkline.stop()) ? 0 : 1)
  } catch (error) {
    if (!signal.aborted || error !== signal.reason) throw error
    process.exit(0)
  }
}

const commands: Readonly<
  Record<string, (config: Config, rest: readonly string[]) => Promise<void>>
> = { serve, keys: runKeysCommand, secrets: runSecretsCommand }

const [name = '', ...rest] = process.argv.slice(2)
const command = Object.hasOwn(commands, name) ? commands[name] : undefined
try {
  if (name === 'help' || [name, ...rest].some((word) => word === '--help' || word === '-h'))
    console.log(USAGE)
  else if (command === undefined) throw new UsageError(`There is no command "${name}".`)
  else await command(readConfig(process.env), rest)
} catch (error) {
  const isUsage = error instanceof UsageError
  const message = error instanceof Error ? error.message : String(error)
  const text = isUsage ? `${message}\n\n${USAGE}` : message
  // Whatever may be left of what had begun: it is over once this has been read.
  process.stderr.write(`${text}\n`, () => process.exit(isUsage ? 2 : 1))
}
