/** The command line of an operator, with the service running or stopped. */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/sandbox/manifest.ts'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { createCredential, readCredential } from '../../src/store/accounts/credentials.ts'
import { parseEncryptionKeys } from '../../src/store/secrets/encryption-key.ts'
import { createVault } from '../../src/store/secrets/vault.ts'
import { createEmptyDatabase, createTestDatabase } from '../support/database.ts'
import { openDatabaseProxy } from '../support/database-proxy.ts'
import { startService, type TestService } from '../support/service.ts'
import { TEST_KEYS, testVault } from '../support/vault.ts'
import { createDataDir, endHosts, endWith } from './hosts.ts'

const CLI = fileURLToPath(new URL('../../src/cli.ts', import.meta.url))
const started: ChildProcess[] = []

afterEach(async () => {
  for (const child of started.splice(0)) await endWith(child, 'SIGKILL')
  await endHosts()
})

type Variables = Readonly<Record<string, string>>

const spawnCli = (args: readonly string[], variables: Variables): ChildProcess => {
  const { DATABASE_URL: _ours, ...env } = process.env
  const child = spawn(process.execPath, [CLI, ...args], { env: { ...env, ...variables } })
  started.push(child)
  return child
}

const run = async (args: readonly string[], variables: Variables = {}) => {
  const child = spawnCli(args, variables)
  const [out, err, [code]] = await Promise.all([
    text(child.stdout as never),
    text(child.stderr as never),
    once(child, 'exit'),
  ])
  return { out, err, code }
}

/** Starts the service. @returns its start-up message and a function that stops it */
const serve = async (variables: Variables, args: readonly string[] = []) => {
  const child = spawnCli(['serve', ...args], { PORT: '0', SANDBOX: 'false', ...variables })
  let output = ''
  let complaints = ''
  child.stderr?.on('data', (chunk) => {
    complaints += chunk
  })
  await new Promise<void>((resolve, reject) => {
    child.stdout?.on('data', (chunk) => {
      output += chunk
      // The message is written in one chunk.
      if (output.includes('Data ')) resolve()
    })
    child.once('exit', (code) => reject(new Error(`the service exited with ${code}`)))
  })
  const readyAt = output.indexOf('Trunkline is ready')
  const [progress, greeting] = [output.slice(0, readyAt), output.slice(readyAt)]
  const [, address = ''] = /REST +(\S+)\/2024/.exec(greeting) ?? []
  return {
    progress,
    greeting,
    address,
    /** @returns the exit code */
    stop: async () => {
      await endWith(child, 'SIGTERM')
      return child.exitCode
    },
    /** Standard error so far. */
    complaints: () => complaints,
  }
}

const statusOf = async (address: string, key: string): Promise<number> => {
  const headers = { authorization: `Bearer ${key}` }
  return (await fetch(`${address}/2024-03/one/crm/accounts`, { headers })).status
}

describe('on the embedded database', () => {
  test('creates, lists and revokes keys while the service runs and while it is stopped', async () => {
    const variables = { DATA_DIR: await createDataDir() }
    const service = await serve(variables)
    expect(service.greeting.trim().split('\n').length).toBeLessThanOrEqual(10)
    expect(service.greeting).toMatch(/Data .*back up .*encryption\.keys/)
    expect(await readFile(join(variables.DATA_DIR, 'encryption.keys'), 'utf8')).toMatch(/^k\w+:/)

    const generated = await run(['keys', 'generate', 'production'], variables)
    const [first = ''] = generated.out.split('\n')
    expect(first).toMatch(/^tl_prod_[0-9a-f]{48}$/)
    // 400 for the missing credentialId: the key itself was accepted.
    expect(await statusOf(service.address, first)).toBe(400)
    const [second = ''] = (await run(['keys', 'regenerate', 'production'], variables)).out.split(
      '\n',
    )
    await expect.poll(() => statusOf(service.address, first), { timeout: 60_000 }).toBe(401)
    expect(await statusOf(service.address, second)).toBe(400)
    const listed = await run(['keys', 'list', 'production'], variables)
    const [one = '', two = ''] = listed.out.trim().split('\n')
    expect(one).toMatch(/ {2}revoked \d{4}-/)
    expect(one).toContain(`${first.slice(0, 16)}…`)
    expect(two).not.toContain('revoked')
    expect(listed.out).not.toContain(second.slice(16))
    const development = await run(['keys', 'list', 'development'], variables)
    expect(development.out).toMatch(/^\S+ {2}tl_dev_/)

    await service.stop()
    const [id = ''] = two.split(' ')
    const revoked = await run(['keys', 'revoke', 'production', id], variables)
    expect(revoked).toMatchObject({ out: `${id} is revoked.\n`, code: 0 })
    // Written when the service stopped.
    expect((await run(['keys', 'list', 'production'], variables)).out).not.toContain('used never')

    const chosen = generateApiKey('development')
    const again = await serve({ ...variables, TRUNKLINE_DEV_API_KEY: chosen })
    expect(again.greeting).not.toContain('encryption.keys')
    // The operator knows a key that they chose, and standard output is often stored.
    expect(again.greeting).not.toContain(chosen.slice(7))
    expect(again.greeting).toContain('Key      the value of TRUNKLINE_DEV_API_KEY')
    expect(again.greeting).toContain(' KEY="$TRUNKLINE_DEV_API_KEY"')
    expect(await statusOf(again.address, chosen)).toBe(400)
    expect(await statusOf(again.address, second)).toBe(401)
    await again.stop()
  }, 240_000)

  test('fails without creating anything if the data directory has no database', async () => {
    const DATA_DIR = join(await createDataDir(), 'none')
    const { err, code } = await run(['keys', 'list', 'production'], { DATA_DIR })
    expect(err).toContain('There is no database in')
    expect(code).toBe(1)
  })
})

describe('a start', () => {
  test('that fails does not use up the key, which the next successful start prints once', async () => {
    const variables = { DATA_DIR: await createDataDir(), SANDBOX: 'true' }
    const taken = createServer().listen(0, '127.0.0.1')
    await once(taken, 'listening')
    const PORT = String(Object(taken.address()).port)
    const failed = await run(['serve'], { ...variables, PORT })
    expect(failed).toMatchObject({ code: 1, err: expect.stringContaining(`Port ${PORT}`) })
    expect(failed.out).toMatch(
      /^Starting PostgreSQL …\nApplying \d+ migrations …\n[\s\S]*Synced 2 of 2 sandbox companies …\n/,
    )
    taken.close()
    const first = await serve(variables)
    const [, key = ''] = /Key +(tl_dev_[0-9a-f]{48}) /.exec(first.greeting) ?? []
    expect(await statusOf(first.address, key)).toBe(400)
    const [, exports = ''] = /^ +(export .*)/m.exec(first.greeting) ?? []
    const [, curl = ''] = /^ +curl (.*)/m.exec(first.greeting) ?? []
    // What the shell makes of the two lines, as after pasting them.
    const shell = spawnSync('sh', ['-c', `${exports}; printf '%s\\n' $USER_ID ${curl}`])
    const [userId, , header, url = ''] = shell.stdout.toString().split('\n')
    expect(header).toBe(`Authorization: Bearer ${key}`)
    const headers = { authorization: `Bearer ${key}` }
    expect((await (await fetch(url, { headers })).json()).vendors).toHaveLength(2)
    const credentials = await fetch(`${first.address}/2024-03/users/${userId}/credentials`, {
      headers,
    })
    expect((await credentials.json()).data).toHaveLength(2)
    expect(first.greeting).toContain(`/graphql#key=${key}\n`)
    expect(first.greeting).toContain(`/docs#key=${key}\n`)
    await first.stop()
    const second = await serve(variables)
    expect(second.greeting).not.toContain(key)
    expect(second.greeting).toContain(
      'Key      shown at the first start; for another: npm run trunkline',
    )
    expect(second.progress).toBe('Starting PostgreSQL …\nStarting the API …\n')
    expect(second.greeting).toMatch(/ export URL=\S+ USER_ID=\S+ ID=\S+\n/)
    expect(second.greeting).not.toContain('#key')
    await second.stop()
  }, 90_000)

  test('of a worker creates no key, since nobody would see it', async () => {
    const { url, drop } = await createTestDatabase()
    const shared = { DATABASE_URL: url, TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS, PORT: '0' }
    const worker = spawnCli(['serve', '--role', 'worker'], { ...shared, SANDBOX: 'false' })
    await once(worker.stdout as never, 'data')
    const api = await serve(shared, ['--role', 'api'])
    const [, key = ''] = /Key +(tl_dev_[0-9a-f]{48}) /.exec(api.greeting) ?? []
    expect(await statusOf(api.address, key)).toBe(400)
    await api.stop()
    await endWith(worker, 'SIGTERM')
    await drop()
  }, 90_000)

  test('with an unwritable log serves requests, reports the error once, and stops on request', async () => {
    const service = await serve({ DATA_DIR: await createDataDir(), LOG_FILE: '/dev/full' })
    // More lines than the log buffers.
    for (let n = 0; n < 60; n++) expect((await fetch(`${service.address}/health`)).status).toBe(200)
    expect(await service.stop()).toBe(0)
    expect(service.complaints()).toMatch(/^The log cannot be written: ENOSPC.*\n$/)
  }, 90_000)

  test('that is interrupted stops what has started, in order, and keeps its log', async () => {
    const dataDir = await createDataDir()
    const child = spawnCli(['serve'], { DATA_DIR: dataDir, PORT: '0' })
    const postmaster = join(dataDir, 'postgres', 'postmaster.pid')
    const isReady = async () =>
      (await readFile(postmaster, 'utf8').catch(() => '')).includes('ready')
    await expect.poll(isReady, { timeout: 60_000, interval: 10 }).toBe(true)
    await endWith(child, 'SIGINT')
    expect([child.exitCode, child.signalCode]).toEqual([0, null])
    expect(existsSync(postmaster)).toBe(false)
    const lines = (await readFile(join(dataDir, 'trunkline.log'), 'utf8')).trim().split('\n')
    expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ msg: 'stopped' })
  }, 90_000)

  test('that fails at LISTEN exits', async () => {
    const { url, drop } = await createTestDatabase()
    const way = await openDatabaseProxy(url)
    way.silenceAt('LISTEN')
    const { err, code } = await run(['serve'], {
      DATABASE_URL: way.url,
      TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
      SANDBOX: 'false',
    })
    expect([code, err]).toEqual([1, 'Query read timeout\n'])
    await way.close()
    await drop()
  }, 60_000)

  test.each([
    [{ LOG_FILE: '/' }, /^LOG_FILE: \/ cannot be written: .*EISDIR/],
    [{ HOST: '999.1.1.1' }, /^HOST: expected an address of this machine, not 999\.1\.1\.1/],
    [
      { DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/x', TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS },
      /^The database at 127\.0\.0\.1:1\/x cannot be reached: connect ECONNREFUSED/m,
    ],
  ])(
    'with invalid settings names the setting: %o',
    async (variables, expected) => {
      const { err, code } = await run(['serve'], {
        DATA_DIR: await createDataDir(),
        PORT: '0',
        SANDBOX: 'false',
        ...variables,
      })
      expect([code, err]).toEqual([1, expect.stringMatching(expected)])
      expect(err).not.toContain('secret')
    },
    60_000,
  )
})

test('a service is not ready while the database does not respond, and recovers', async () => {
  const { url, drop } = await createTestDatabase()
  const way = await openDatabaseProxy(url)
  const { address } = await serve({
    DATABASE_URL: way.url,
    TRUNKLINE_ENCRYPTION_KEYS: TEST_KEYS,
    LOG_LEVEL: 'silent',
  })
  const readReadiness = async () => (await fetch(`${address}/ready`)).status
  await expect.poll(readReadiness, { timeout: 30_000 }).toBe(200)
  way.silence()
  await expect.poll(readReadiness, { timeout: 30_000 }).toBe(503)
  await expect.poll(readReadiness, { timeout: 30_000 }).toBe(200)
  await way.close()
  await drop()
}, 90_000)

describe('a command line', () => {
  test.each([
    ['serve --role x', 'serve: expected --role with one of all, api, worker, not "--role x".'],
    ['keys list staging', 'keys list: expected development or production, not "staging".'],
    ['keys revoke production', 'keys revoke production: expected the id of one key.'],
    ['secrets', 'secrets: expected new-key or reseal, not "".'],
    // Names of every object.
    [
      'keys constructor production',
      'keys: expected list, generate, regenerate, revoke, not "constructor".',
    ],
    [
      'oauth-clients set development sandbox',
      'oauth-clients set development: expected an app, a client id and scopes.',
    ],
    ['migrate now', 'migrate: expected no further arguments.'],
    ['toString', 'Unknown command "toString".'],
  ])('that is invalid is rejected with the reason: %s', async (line, expected) => {
    const { out, err, code } = await run(line.split(' '))
    expect([out, code, err.split('\n')[0]]).toEqual(['', 2, expected])
    expect(err).toContain('Usage: trunkline')
  })

  test.each(['help', 'keys --help', 'serve -h'])('shows the usage: %s', async (line) => {
    const { out, code } = await run(line.split(' '))
    expect([code, out.split('\n')[0]]).toEqual([0, 'Usage: trunkline <command>'])
    for (const command of ['serve', 'keys list', 'keys generate', 'keys regenerate', 'keys revoke'])
      expect(out).toContain(command)
    for (const command of ['doctor', 'migrate', 'secrets new-key', 'secrets reseal', '--version'])
      expect(out).toContain(command)
  })
})

test('prints the version of package.json', async () => {
  const { version } = JSON.parse(await readFile(join(dirname(CLI), '../package.json'), 'utf8'))
  expect(await run(['--version'])).toEqual({ out: `${version}\n`, err: '', code: 0 })
})

test('migrates a database without starting the service', async () => {
  const { url, drop } = await createEmptyDatabase()
  const migrate = () => run(['migrate'], { DATABASE_URL: url })
  const first = await migrate()
  expect([first.code, first.out]).toEqual([0, expect.stringMatching(/^applied a migration: /m)])
  expect(await migrate()).toMatchObject({
    out: '0 migrations were applied. The database is up to date.\n',
    code: 0,
  })
  await drop()
})

describe('on DATABASE_URL', () => {
  let service: TestService

  beforeAll(async () => {
    service = await startService()
  })
  afterAll(() => service.stop())

  test('re-encrypts everything under a new key, after which the old one can be removed', async () => {
    const { database, url } = service
    const { environmentId, userId } = await service.createTenant('development', [])
    const create = (token: string) =>
      createCredential(database, testVault, {
        environmentId,
        userId,
        connector,
        values: { tenant: 'x', token },
      })
    const ids = await Promise.all(Array.from({ length: 3 }, (_, n) => create(`t${n}`)))
    await service.tokens.issue({ environmentId, userId })
    const newKey = (await run(['secrets', 'new-key'])).out.trim()
    const [newId = ''] = newKey.split(':')
    const runReseal = (keys: string) =>
      run(['secrets', 'reseal'], { DATABASE_URL: url, TRUNKLINE_ENCRYPTION_KEYS: keys })

    const lacking = await runReseal(newKey)
    expect(lacking.err).toContain('secrets encrypted with missing keys: test ')
    expect(lacking.code).toBe(1)
    const done = await runReseal(`${newKey},${TEST_KEYS}`)
    expect(done.out).toContain('credentials: 3 so far\n')
    expect(done.out).toContain(`4 secrets are now encrypted with the key ${newId}.`)
    expect(done.code).toBe(0)
    expect(done.out + done.err).not.toContain(newKey.split(':')[1])
    const alone = createVault(parseEncryptionKeys(newKey))
    const tokens = await Promise.all(ids.map((id) => readCredential(database, alone, id)))
    expect(tokens.map((credential) => credential?.values.token)).toEqual(['t0', 't1', 't2'])
    expect((await runReseal(newKey)).out).toBe(
      `0 secrets are now encrypted with the key ${newId}.\n`,
    )
  }, 60_000)

  test('a start without a required encryption key fails and names the key', async () => {
    const { environmentId, userId } = await service.createTenant('development', [])
    await createCredential(service.database, testVault, {
      environmentId,
      userId,
      connector,
      values: { tenant: 'x', token: 't' },
    })
    const { err, code } = await run(['serve'], {
      DATABASE_URL: service.url,
      DATA_DIR: await createDataDir(),
      PORT: '0',
      LOG_LEVEL: 'silent',
    })
    expect(err).toMatch(/secrets encrypted with missing keys: .*test /)
    expect(code).toBe(1)
  })

  test('an unknown key cannot be revoked', async () => {
    const { err, code } = await run(['keys', 'revoke', 'production', 'none'], {
      DATABASE_URL: service.url,
    })
    expect(err).toContain('no active key with the id none')
    expect(code).toBe(1)
  })
})
