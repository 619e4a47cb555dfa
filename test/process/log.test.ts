/** The log of a process: no secrets in it, and rotation of its file. */
import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../src/process/config.ts'
import { closeLog, createLog } from '../../src/process/log.ts'
import { generateApiKey } from '../../src/store/accounts/api-key.ts'
import { createDataDir, endHosts } from './hosts.ts'

afterEach(endHosts)

const openLog = async () => {
  const LOG_FILE = join(await createDataDir(), 'log')
  const log = createLog(readConfig({ LOG_FILE }), 'worker')
  const flush = () => new Promise<void>((resolve) => log.flush(() => resolve()))
  return { log, flush, path: LOG_FILE, text: () => readFile(LOG_FILE, 'utf8') }
}

test('does not write a secret of the service in an error message', async () => {
  const { log, flush, text } = await openLog()
  const key = generateApiKey('production')
  log.error({ err: new Error('outer', { cause: new Error(`no row for ${key}`) }) }, 'failed')
  await flush()
  expect(await text()).toContain('no row for [redacted]')
  expect(await text()).not.toContain(key.slice(8))
  await closeLog(log)
})

test('continues at the beginning of a file that logrotate truncates with copytruncate', async () => {
  const { log, flush, path, text } = await openLog()
  log.info('before')
  await flush()
  await truncate(path)
  log.info('after')
  await flush()
  expect(JSON.parse(await text())).toMatchObject({ msg: 'after' })
  await closeLog(log)
})
