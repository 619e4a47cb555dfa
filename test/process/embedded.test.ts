/** The embedded PostgreSQL: its settings, its password, and its end with or without its process. */
import { chmod, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client } from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { startEmbeddedDatabase } from '../../src/store/database/embedded/embedded.ts'
import {
  createDataDir,
  endHosts,
  endWith,
  type HostMessage,
  readPostmasterPid,
  startHost,
  waitForMessage,
} from './hosts.ts'

afterEach(endHosts)

const query = async (url: string, sql: string): Promise<unknown[]> => {
  const client = new Client({ connectionString: url })
  client.on('error', () => {}) // the server may be stopped under it
  await client.connect()
  try {
    return (await client.query({ text: sql, rowMode: 'array' })).rows.flat()
  } finally {
    await client.end()
  }
}
const start = (dataDir: string) => startEmbeddedDatabase({ dataDir, log: silentLog })
const isRunning = (pid: number) => {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

describe('the embedded database', () => {
  test('is durable, in UTC, sorted by code point, and without superuser rights', async () => {
    const database = await start(await createDataDir())
    const settings = ['fsync', 'synchronous_commit', 'is_superuser', 'TimeZone', 'server_encoding']
    const values = settings.map((name) => `current_setting('${name}')`)
    expect(await query(database.url, `SELECT ${values}`)).toEqual([
      'on',
      'on',
      'off',
      'UTC',
      'UTF8',
    ])
    expect(
      await query(
        database.url,
        `SELECT (SELECT string_agg(v, '' ORDER BY v) FROM unnest('{é,a,Z}'::text[]) AS v),
           'É' ILIKE 'é'`,
      ),
    ).toEqual(['Zaé', true])
    await database.stop()
  })

  test('requires its password, which is in a file readable by its owner only', async () => {
    const dataDir = await createDataDir()
    const database = await start(dataDir)
    const passwordPath = join(dataDir, 'database-password')
    expect((await stat(passwordPath)).mode & 0o777).toBe(0o600)
    const { password } = new URL(database.url)
    expect((await readFile(passwordPath, 'utf8')).trim()).toBe(password)
    for (const wrong of ['', 'wrong']) {
      const url = new URL(database.url)
      url.password = wrong
      await expect(query(url.href, 'SELECT 1')).rejects.toThrow(/password/)
    }
    const superuser = database.url.replace('trunkline:', 'postgres:')
    await expect(query(superuser, 'SELECT 1')).rejects.toThrow(/password/)
    await database.stop()
  })

  test('keeps its rows and its password across starts', async () => {
    const dataDir = await createDataDir()
    const first = await start(dataDir)
    await query(first.url, 'CREATE TABLE kept AS SELECT 7 AS number')
    await first.stop()
    const second = await start(dataDir)
    expect(await query(second.url, 'SELECT number FROM kept')).toEqual([7])
    expect(new URL(second.url).password).toBe(new URL(first.url).password)
    await second.stop()
  })

  test('replaces a lost password and restricts an open password file', async () => {
    const dataDir = await createDataDir()
    const first = await start(dataDir)
    await first.stop()
    await rm(join(dataDir, 'database-password'))
    const second = await start(dataDir)
    await second.stop()
    expect(new URL(second.url).password).not.toBe(new URL(first.url).password)
    await chmod(join(dataDir, 'database-password'), 0o644)
    const third = await start(dataDir)
    expect(await query(third.url, 'SELECT 1')).toEqual([1])
    expect((await stat(join(dataDir, 'database-password'))).mode & 0o777).toBe(0o600)
    await third.stop()
  })

  test('stops once however often stop is called, and leaves nothing running', async () => {
    const dataDir = await createDataDir()
    const database = await start(dataDir)
    const pid = await readPostmasterPid(dataDir)
    await Promise.all([database.stop(), database.stop()])
    expect(isRunning(pid)).toBe(false)
  })

  test('rejects files of another PostgreSQL version and names it', async () => {
    const dataDir = await createDataDir()
    await (await start(dataDir)).stop()
    await writeFile(join(dataDir, 'postgres', 'PG_VERSION'), '12\n')
    await expect(start(dataDir)).rejects.toMatchObject({
      code: 'EMBEDDED_DATABASE_FAILED',
      message: expect.stringContaining('was made by PostgreSQL 12'),
    })
  })

  test('restarts on its port when PostgreSQL alone is killed', async () => {
    const dataDir = await createDataDir()
    const database = await start(dataDir)
    await query(database.url, 'CREATE TABLE kept AS SELECT 7 AS number')
    for (let round = 0; round < 3; round++) {
      const pid = await readPostmasterPid(dataDir)
      process.kill(pid, 'SIGKILL')
      await vi.waitFor(
        async () => {
          expect(await query(database.url, 'SELECT number FROM kept')).toEqual([7])
          expect(await readPostmasterPid(dataDir)).not.toBe(pid)
        },
        { timeout: 60_000, interval: 20 },
      )
    }
    await database.stop()
  })
})

describe('a process with the embedded database', () => {
  test('loses no committed row when killed, and its PostgreSQL is stopped', async () => {
    const dataDir = await createDataDir()
    const host = await startHost([dataDir, 'write'])
    let written = 0
    await waitForMessage(host.child, (message: HostMessage) => {
      written = message.written ?? written
      return written >= 100 || undefined
    })
    const orphan = await readPostmasterPid(dataDir)
    host.child.on('message', (message: HostMessage) => {
      written = message.written ?? written
    })
    await endWith(host.child, 'SIGKILL')
    expect(isRunning(orphan)).toBe(true)

    const database = await start(dataDir)
    expect(await readPostmasterPid(dataDir)).not.toBe(orphan)
    const [count] = await query(database.url, 'SELECT count(*)::int FROM written')
    expect(count).toBeGreaterThanOrEqual(written)
    await database.stop()
  })

  test('loses no committed row when killed together with its PostgreSQL', async () => {
    const dataDir = await createDataDir()
    const host = await startHost([dataDir, 'write'])
    const written = await waitForMessage(host.child, (message: HostMessage) =>
      (message.written ?? 0) >= 100 ? message.written : undefined,
    )
    process.kill(await readPostmasterPid(dataDir), 'SIGKILL')
    await endWith(host.child, 'SIGKILL')
    const database = await start(dataDir)
    const [count] = await query(database.url, 'SELECT count(*)::int FROM written')
    expect(count).toBeGreaterThanOrEqual(written)
    await database.stop()
  })

  test.each([1, 6, 11])(
    'loses no committed row when killed %i ms after it restarts its PostgreSQL',
    async (ms) => {
      const dataDir = await createDataDir()
      const host = await startHost([dataDir])
      await query(host.url, 'CREATE TABLE kept AS SELECT 7 AS number')
      const restarts = waitForMessage(host.child, ({ warning }: HostMessage) =>
        warning?.includes('restarting'),
      )
      process.kill(await readPostmasterPid(dataDir), 'SIGKILL')
      await restarts
      await sleep(ms)
      await endWith(host.child, 'SIGKILL')
      // The new PostgreSQL is an orphan that starts at the same time as the next one.
      const database = await start(dataDir)
      expect(await query(database.url, 'SELECT number FROM kept')).toEqual([7])
      await database.stop()
    },
  )

  test('starts although the pid of a dead PostgreSQL now belongs to another server', async () => {
    const dataDir = await createDataDir()
    const host = await startHost([dataDir])
    const pid = await readPostmasterPid(dataDir)
    process.kill(pid, 'SIGKILL')
    await endWith(host.child, 'SIGKILL')
    const otherDataDir = await createDataDir()
    const otherHost = await startHost([otherDataDir])
    const pidPath = join(dataDir, 'postgres', 'postmaster.pid')
    const lines = (await readFile(pidPath, 'utf8')).split('\n')
    await writeFile(pidPath, [await readPostmasterPid(otherDataDir), ...lines.slice(1)].join('\n'))

    const database = await start(dataDir)
    expect(await query(database.url, 'SELECT 1')).toEqual([1])
    expect(await query(otherHost.url, 'SELECT 1')).toEqual([1])
    await database.stop()
  })

  test('finishes its work on Ctrl-C before the database stops', async () => {
    const dataDir = await createDataDir()
    const host = await startHost([dataDir], { detached: true })
    const pid = await readPostmasterPid(dataDir)
    const exited = new Promise((resolve) => host.child.once('exit', resolve))
    const drained = waitForMessage(host.child, (message: HostMessage) => message.drained)
    process.kill(-host.pid, 'SIGINT') // as a terminal does: to the whole group
    expect(await drained).toBe(true)
    expect(await exited).toBe(0)
    expect(isRunning(pid)).toBe(false)
  })

  test('rejects a data directory in use by another process, and names it', async () => {
    const dataDir = await createDataDir()
    const host = await startHost([dataDir])
    const second = await startHost([dataDir])
    expect(second.error).toMatchObject({ code: 'DATA_DIRECTORY_IN_USE' })
    expect(second.error?.message).toContain(`in use by process ${host.pid} on `)
    expect(second.error?.message).toMatch(/since \d{4}-\d\d-\d\dT/)
    await expect(start(dataDir)).rejects.toMatchObject({ code: 'DATA_DIRECTORY_IN_USE' })
    expect(await query(host.url, 'SELECT 1')).toEqual([1])
    await endWith(host.child, 'SIGINT')
    await (await start(dataDir)).stop()
  })

  test.skipIf(process.getuid?.() !== 0)('runs as a user other than root', async () => {
    const nobody = { uid: 65_534, gid: 65_534 }
    const dataDir = join(await createDataDir(0o777), 'of-nobody')
    const host = await startHost([dataDir], nobody)
    expect(host.error).toBe(undefined)
    expect((await stat(join(dataDir, 'postgres'))).uid).toBe(nobody.uid)
    expect(await query(host.url, 'SELECT 1')).toEqual([1])
    await endWith(host.child, 'SIGINT')
  })
})
