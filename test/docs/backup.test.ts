/** The commands of the page about backups, on a PostgreSQL with its own programs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { openDatabase } from '../../src/store/database/database.ts'
import { startEmbeddedDatabase } from '../../src/store/database/embedded/embedded.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { createDataDir, endHosts } from '../process/hosts.ts'
import { missingPrograms, startCluster, type TestCluster } from '../support/cluster.ts'
import { pageAt } from './pages.ts'
import { openShell } from './shell.ts'

if (missingPrograms) console.warn(missingPrograms)

/** Runs the commands of the page that match. @returns what they print */
const runCommands = async (
  matching: RegExp,
  variables: Readonly<Record<string, string>>,
): Promise<string> => {
  const commands = pageAt('docs/backup-and-upgrade.md').blocks.filter(
    ({ language, text }) => language === 'sh' && matching.test(text),
  )
  expect(commands).not.toEqual([])
  const shell = openShell(variables)
  const { code, output } = await shell.run(commands.map(({ text }) => text).join('\n'))
  shell.close()
  expect(code, output).toBe(0)
  return output
}

describe.skipIf(missingPrograms)('docs/backup-and-upgrade.md', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await startCluster()
    await applyMigrations(cluster.url)
  })
  afterAll(async () => {
    await endHosts()
    await cluster.remove()
  })

  test('has commands that dump the database and restore it', async () => {
    const before = openDatabase({ url: cluster.url })
    const { id } = await before.prisma.organisation.create({ data: { name: 'Harbour Light' } })
    await before.stop()
    await runCommands(/^(pg_dump|createdb)/, { DATABASE_URL: cluster.url })
    const url = cluster.url.replace(/\/[^/]+$/, '/trunkline_restored')
    expect(await applyMigrations(url)).toMatchObject({ applied: [] })
    const restored = openDatabase({ url })
    expect(await restored.prisma.organisation.findUnique({ where: { id } })).not.toBeNull()
    await restored.stop()
  })

  test('has a command that copies the embedded database to a server', async () => {
    const dataDir = await createDataDir()
    const embedded = await startEmbeddedDatabase({ dataDir, log: silentLog })
    await applyMigrations(embedded.url)
    const before = openDatabase({ url: embedded.url })
    const { id } = await before.prisma.organisation.create({ data: { name: 'Harbour Light' } })
    await before.stop()
    await embedded.stop()
    const administrator = openDatabase({ url: cluster.url })
    await administrator.prisma.$executeRaw`CREATE DATABASE trunkline_copied`
    await administrator.stop()
    const url = cluster.url.replace(/\/[^/]+$/, '/trunkline_copied')
    const output = await runCommands(/copy-database/, { DATABASE_URL: url, DATA_DIR: dataDir })
    expect(output).toContain('organisations: 1 rows')
    const copied = openDatabase({ url })
    expect(await copied.prisma.organisation.findUnique({ where: { id } })).not.toBeNull()
    await copied.stop()
  })
})
