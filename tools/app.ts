/** The kit for authors of connectors: `npm run app new`, `check` and `record`. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { firstMethodName, isSecret, methodOf } from '../src/definition/authenticate.ts'
import type { Connector, CredentialValues } from '../src/definition/connector.ts'
import { connectors } from '../src/generated/registry.ts'
import { silentLog } from '../src/log.ts'
import { createAppClient } from '../src/outbound/http.ts'
import { startEmbeddedDatabase } from '../src/store/database/embedded/embedded.ts'
import { applyMigrations } from '../src/store/database/migrate.ts'
import { readContext } from '../src/write/account-context.ts'
import { withEnteredToken } from './app-kit/check/entered-token.ts'
import { reportTable } from './app-kit/check/result.ts'
import { checkApp } from './app-kit/check/run.ts'
import { openWorkbench } from './app-kit/check/workbench.ts'
import { writeConnector } from './app-kit/new-connector.ts'
import { fixtureText, recordListing } from './app-kit/record.ts'

const ROOT = join(import.meta.dirname, '..')

const USAGE = `Usage: npm run app <command>
  new <name>                  write src/connectors/<name>, from a template that compiles
  check <name> -- <options>   check the connector against a running app; exit with 1 if a check fails
  record <name> -- <options>  write the pages of all listings to test/connectors/fixtures/<name>

Options of check and record:
  --credential <name>=<value>  a value of the credential; repeat it for each value. check takes accessToken
                               for a method with OAuth or a login
  --url <address>              the same as --credential url=<address>
  --method <name>              how to connect the app; default: the first method of its manifest
Options of check:
  --write <file>               check writes too: JSON, by topic: { "create": {…}, "update": {…} }
  --report <file>              write the results as JSON
  --deadline <ms>              how long the app may take to respond; default: 5000
Options of record:
  --since <time>               record the listings of changes since then, as <resource>-changes.json`

class UsageError extends Error {}

const readOptions = (args: readonly string[]) => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      credential: { type: 'string', multiple: true, default: [] },
      url: { type: 'string' },
      method: { type: 'string' },
      write: { type: 'string' },
      report: { type: 'string' },
      deadline: { type: 'string' },
      since: { type: 'string' },
    },
  })
  return values
}

type Options = ReturnType<typeof readOptions>

const valuesOf = ({ credential, url }: Options): CredentialValues =>
  Object.fromEntries([
    ...(url === undefined ? [] : [['url', url]]),
    ...credential.map((pair) => {
      const end = pair.indexOf('=')
      if (end < 1)
        throw new UsageError(`--credential must be <name>=<value>: ${pair.slice(0, end)}`)
      return [pair.slice(0, end), pair.slice(end + 1)]
    }),
  ])

const requireConnector = (app: string): Connector => {
  const connector = connectors.get(app)
  if (!connector)
    throw new UsageError(`There is no connector ${app}, only ${[...connectors.keys()].join(', ')}.`)
  return connector
}

const createNew = (app: string): number => {
  const files = writeConnector(ROOT, app)
  // Imports are shorter than in the template, so they are formatted again.
  execFileSync('npx', ['biome', 'check', '--write', join('src/connectors', app)], { cwd: ROOT })
  execFileSync(process.execPath, ['codegen.ts'], { cwd: ROOT, stdio: 'inherit' })
  for (const file of files) console.log(`Wrote ${file}`)
  console.log('Change them to what the app does, then run npm run app check.')
  return 0
}

const check = async (app: string, options: Options): Promise<number> => {
  const declared = requireConnector(app)
  const method = options.method ?? firstMethodName(declared.auth)
  const connector = withEnteredToken(declared, method)
  const writes = options.write === undefined ? {} : JSON.parse(readFileSync(options.write, 'utf8'))
  const dataDir = mkdtempSync(join(tmpdir(), 'trunkline-check-'))
  const { url, stop } = await startEmbeddedDatabase({ dataDir, log: silentLog })
  try {
    await applyMigrations(url)
    const bench = await openWorkbench(url, {
      connector,
      values: valuesOf(options),
      method,
      ...(options.deadline !== undefined && { deadlineMs: Number(options.deadline) }),
      onWait: (reason, ms) =>
        void process.stderr.write(`waits up to ${Math.ceil(ms / 1000)} s for ${reason}\n`),
    })
    const results = await checkApp(bench, {
      writes,
      onResult: ({ outcome, check, topic = '' }) =>
        void process.stderr.write(`${outcome} ${check} ${topic}\n`),
    }).finally(() => bench.stop())
    console.log(reportTable(results))
    if (options.report !== undefined)
      writeFileSync(options.report, `${JSON.stringify({ app, results }, null, 2)}\n`)
    return results.some(({ outcome }) => outcome === 'failed') ? 1 : 0
  } finally {
    await stop()
    rmSync(dataDir, { recursive: true, force: true })
  }
}

const record = async (app: string, options: Options): Promise<number> => {
  const connector = requireConnector(app)
  const values = valuesOf(options)
  const methodName = options.method ?? firstMethodName(connector.auth)
  const method = methodOf(connector.auth, methodName)
  if (method?.type !== 'apiKey')
    throw new UsageError('Only a method of the type apiKey can be recorded.')
  const secrets = Object.entries(values).flatMap(([name, value]) =>
    isSecret(method, name) ? [value, encodeURIComponent(value)] : [],
  )
  const folder = join(ROOT, 'test/connectors/fixtures', app)
  mkdirSync(folder, { recursive: true })
  const appClient = createAppClient({ allowPrivateAddresses: true })
  const credential = { method: methodName, values }
  const { since } = options
  try {
    const context =
      connector.context &&
      (await readContext({ appClient, connector, credential }, connector.context))
    for (const [topic, resource] of Object.entries(connector.resources)) {
      const start = {
        ...(since !== undefined && { since }),
        ...(context !== undefined && { context }),
      }
      const pages = await recordListing(
        resource,
        (request) => appClient.send(connector, credential, { ...request, read: true }),
        start,
      )
      const name = topic.slice(topic.indexOf('/') + 1)
      const file = join(folder, `${name}${since === undefined ? '' : '-changes'}.json`)
      writeFileSync(file, fixtureText({ ...start, pages }, secrets))
      console.log(`Wrote ${pages.length} pages to ${file}`)
    }
  } finally {
    await appClient.stop()
  }
  return 0
}

const run = ([command, app, ...args]: readonly string[]): number | Promise<number> => {
  if (app === undefined || app.startsWith('-')) throw new UsageError(USAGE)
  if (command === 'new') return createNew(app)
  if (command === 'check') return check(app, readOptions(args))
  if (command === 'record') return record(app, readOptions(args))
  throw new UsageError(USAGE)
}

try {
  process.exitCode = await run(process.argv.slice(2))
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exitCode = 1
}
