/** What a process writes down, and how an operator may treat the file. */
import { readFile, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { closeLog, createLog } from '../../src/process/log.ts'
import { endHosts, newDataDir } from './hosts.ts'

afterEach(endHosts)

const openLog = async () => {
  const LOG_FILE = join(await newDataDir(), 'log')
  const log = createLog(readConfig({ LOG_FILE }))
  const flush = () => new Promise<void>((resolve) => log.flush(() => resolve()))
  return { log, flush, path: LOG_FILE, text: () => readFile(LOG_FILE, 'utf8') }
}

test('a failure that comes as a plain object is written with what it says, and without the job', async () => {
  const { log, flush, text } = await openLog()
  const told = { message: 'no connection', stack: 'Error: …', queue: 'sync', worker: { data: 'x' } }
  log.warn({ err: told }, 'the job queue met an error')
  await flush()
  const { err } = JSON.parse(await text())
  expect(err).toEqual({ message: 'no connection', stack: 'Error: …', queue: 'sync' })
  await closeLog(log)
})

test('a file that is cut off, as logrotate does with copytruncate, is written from its beginning', async () => {
  const { log, flush, path, text } = await openLog()
  log.info('before')
  await flush()
  await truncate(path)
  log.info('after')
  await flush()
  expect(JSON.parse(await text())).toMatchObject({ msg: 'after' })
  await closeLog(log)
})
