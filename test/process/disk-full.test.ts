/** A full database disk: writes are rejected, none is lost, and the service recovers once space is free. */

import { execFile } from 'node:child_process'
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { silentLog } from '../../src/log.ts'
import {
  type EmbeddedDatabase,
  startEmbeddedDatabase,
} from '../../src/store/database/embedded/embedded.ts'
import { openServices, type ServiceProcess, type Services } from './service-process.ts'

const run = promisify(execFile)
const DISK_MB = 400

/** A file system of its own; undefined if this process may not mount one. */
const mountDisk = async (): Promise<string | undefined> => {
  const folder = await mkdtemp(join(tmpdir(), 'trunkline-disk-'))
  try {
    await run('mount', ['-t', 'tmpfs', '-o', `size=${DISK_MB}m`, 'tmpfs', folder])
    return folder
  } catch {
    await rm(folder, { recursive: true })
    return
  }
}
const disk = await mountDisk()
const missing = disk
  ? undefined
  : 'not tested on a full disk: this process may not mount a tmpfs (root)'
if (missing && process.env.CI !== undefined) throw new Error(missing)
if (missing) console.warn(missing)

let database: EmbeddedDatabase | undefined
let services: Services
let service: ServiceProcess
beforeAll(async () => {
  if (!disk) return
  // The embedded PostgreSQL runs as another user if this process is root.
  await chmod(disk, 0o755)
  database = await startEmbeddedDatabase({ dataDir: join(disk, 'data'), log: silentLog })
  services = await openServices(database.url)
  service = await services.start('api')
})
afterAll(async () => {
  if (!disk) return
  await services?.close()
  await database?.stop()
  await run('umount', ['--lazy', disk])
  await rm(disk, { recursive: true })
})

const fillerFile = join(disk ?? '', 'ballast')
/** Fills the remaining space. */
const fillDisk = async (): Promise<void> => {
  const mebibyte = Buffer.alloc(1024 * 1024)
  for (const size of [mebibyte, mebibyte.subarray(0, 4096)])
    for (;;)
      try {
        await writeFile(fillerFile, size, { flag: 'a' })
      } catch (error) {
        expect(error).toMatchObject({ code: 'ENOSPC' })
        break
      }
}

const createUser = async (username: string) => {
  const response = await fetch(`${service.address}/2023-12/users`, {
    method: 'POST',
    headers: { authorization: `Bearer ${services.key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ username }),
  })
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    text: await response.text(),
  }
}
const readReadiness = async () => {
  const response = await fetch(`${service.address}/ready`)
  return { status: response.status, text: await response.text() }
}

test.skipIf(!disk)(
  'writes and /ready return 503 while the disk is full, and recover with it',
  async () => {
    expect((await readReadiness()).status).toBe(200)
    await fillDisk()
    const created: string[] = []
    // Space already allocated can still take some writes.
    const createUntilRefused = async () => {
      for (;;) {
        const username = `${'u'.repeat(60)}${created.length}`
        const response = await createUser(username)
        if (response.status !== 200) return response
        created.push(username)
      }
    }
    expect(await createUntilRefused()).toMatchObject({
      status: 503,
      retryAfter: '10',
      text: expect.stringContaining('disk'),
    })
    expect(await readReadiness()).toEqual({ status: 503, text: expect.stringContaining('disk') })
    // Reads continue.
    await services.call(service.address, '/2024-03/one/users')

    await rm(fillerFile)
    await expect.poll(async () => (await readReadiness()).status, { timeout: 60_000 }).toBe(200)
    expect(await createUser('after')).toMatchObject({ status: 200 })
    const { data } = await services.call(service.address, '/2024-03/one/users')
    const stored = new Set(data.map((user: { readonly username: string }) => user.username))
    expect(created.filter((username) => !stored.has(username))).toEqual([])
    expect(service.ended()).toBeUndefined()
  },
)
