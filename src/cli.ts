#!/usr/bin/env node
/** The command line: `trunkline serve`. */
import { relative } from 'node:path'
import { type Config, readConfig } from './config.ts'
import { startTrunkline, type Trunkline } from './main.ts'

const USAGE = `Usage: trunkline serve
  Starts the service. Configured by environment variables: see the README.`

/** What a person sees of a start: where it listens and what to try, in at most eight lines. */
const greeting = (config: Config, { address, firstStart }: Trunkline): string => {
  const { newKey, credentialIds } = firstStart
  const [credentialId] = credentialIds
  const key = newKey ?? config.developmentKey
  const shown = key ?? '$TRUNKLINE_KEY'
  return [
    `Trunkline is ready.`,
    `  REST     ${address}/2024-03/one`,
    `  GraphQL  ${address}/graphql`,
    `  Docs     ${address}/docs`,
    `  Data     ${config.databaseUrl === undefined ? relative('', config.dataDir) || '.' : 'PostgreSQL of DATABASE_URL'}`,
    ...(newKey === undefined ? [] : [`  Key      ${newKey}  (shown only now)`]),
    ...(credentialId === undefined
      ? []
      : [
          `  Try      curl -H 'Authorization: Bearer ${shown}' '${address}/2024-03/one/accounting/vendors?credentialId=${credentialId}&pageSize=2'`,
        ]),
  ].join('\n')
}

const serve = async (): Promise<void> => {
  const config = readConfig(process.env)
  const trunkline = await startTrunkline(config)
  console.log(greeting(config, trunkline))
  let stopping = false
  const stop = (): void => {
    // A second Ctrl-C does not wait.
    if (stopping) process.exit(1)
    stopping = true
    void trunkline.stop().then(() => process.exit(0))
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
}

const [command, ...rest] = process.argv.slice(2)
if (command === 'serve' && rest.length === 0) {
  try {
    await serve()
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error))
    process.exitCode = 1
  }
} else {
  console.error(USAGE)
  process.exitCode = 2
}
