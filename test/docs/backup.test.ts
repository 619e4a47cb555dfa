/** The commands of the page about backups, on a PostgreSQL with its own programs. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../src/store/database/database.ts'
import { applyMigrations } from '../../src/store/database/migrate.ts'
import { missingPrograms, startCluster, type TestCluster } from '../support/cluster.ts'
import { pageAt } from './pages.ts'
import { openShell } from './shell.ts'

if (missingPrograms) console.warn(missingPrograms)

describe.skipIf(missingPrograms)('docs/backup-and-upgrade.md', () => {
  let cluster: TestCluster
  beforeAll(async () => {
    cluster = await startCluster()
    await applyMigrations(cluster.url)
  })
  afterAll(() => cluster.remove())

  test('its commands dump the database and restore it', async () => {
    const before = openDatabase({ url: cluster.url })
    const { id } = await before.prisma.organisation.create({ data: { name: 'Harbour Light' } })
    await before.stop()
    const commands = pageAt('docs/backup-and-upgrade.md').blocks.filter(
      ({ language }) => language === 'sh',
    )
    const shell = openShell({ DATABASE_URL: cluster.url })
    const { code, output } = await shell.run(commands.map(({ text }) => text).join('\n'))
    shell.close()
    expect(code, output).toBe(0)
    const url = cluster.url.replace(/\/[^/]+$/, '/trunkline_restored')
    expect(await applyMigrations(url)).toMatchObject({ applied: [] })
    const restored = openDatabase({ url })
    expect(await restored.prisma.organisation.findUnique({ where: { id } })).not.toBeNull()
    await restored.stop()
  })
})
