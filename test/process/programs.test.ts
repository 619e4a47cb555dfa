/** The programs of the embedded PostgreSQL, which its user must be able to run. */
import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import { reachableFolder } from '../../src/store/database/embedded/programs.ts'
import { createDataDir, endHosts } from './hosts.ts'

afterEach(endHosts)

const someoneElse = (process.getuid?.() ?? 0) + 1
const user = { uid: someoneElse, gid: someoneElse }

const createInstallation = async () => {
  const root = await createDataDir(0o755)
  const native = join(root, 'closed', 'native')
  const program = join(native, 'bin', 'postgres')
  await mkdir(join(native, 'bin'), { recursive: true, mode: 0o700 })
  await writeFile(program, 'the program', { mode: 0o700 })
  await writeFile(join(native, 'library.so.1'), 'a library', { mode: 0o600 })
  await symlink('library.so.1', join(native, 'library.so'))
  return { native, program, version: '18.4.0', user, log: silentLog, root }
}

test('programs that their user can reach are used in place', async () => {
  const { root, ...programs } = await createInstallation()
  for (const folder of [join(root, 'closed'), programs.native, join(programs.native, 'bin')]) {
    await chmod(folder, 0o755)
  }
  await chmod(programs.program, 0o755)
  expect(await reachableFolder(programs)).toBe(programs.native)
})

test('programs that their user cannot reach are copied once, readable by all', async () => {
  const { root, ...programs } = await createInstallation()
  const options = { ...programs, cacheFolder: join(root, 'cache') }
  const folder = await reachableFolder(options)
  expect(folder).toBe(join(root, 'cache', 'postgresql-18.4.0'))
  expect(await readFile(join(folder, 'library.so'), 'utf8')).toBe('a library')
  expect((await stat(join(folder, 'library.so.1'))).mode & 0o777).toBe(0o644)
  expect((await stat(join(folder, 'bin', 'postgres'))).mode & 0o777).toBe(0o755)
  const { ino } = await stat(folder)
  expect(await reachableFolder(options)).toBe(folder)
  expect((await stat(folder)).ino).toBe(ino)
})

test('programs that cannot be made reachable are rejected with a remedy', async () => {
  const { root, ...programs } = await createInstallation()
  await mkdir(join(root, 'cache'), { mode: 0o700 })
  await expect(
    reachableFolder({ ...programs, cacheFolder: join(root, 'cache') }),
  ).rejects.toMatchObject({
    code: 'EMBEDDED_DATABASE_FAILED',
    message: expect.stringContaining(
      `cannot access ${join(root, 'closed')}, which contains its programs`,
    ),
  })
})
