/** Shutdown of a process: in order, within a time limit, and also during start. */
import pino from 'pino'
import { beforeEach, expect, test } from 'vitest'
import { createShutdown } from '../../src/process/shutdown.ts'

let logged: { readonly msg: string; readonly step?: string }[]
let done: string[]

beforeEach(() => {
  logged = []
  done = []
})

const log = pino({}, { write: (line) => void logged.push(JSON.parse(line)) })
const waitForever = (): Promise<void> => new Promise(() => {})
const step = (name: string) => async (): Promise<void> => void done.push(name)

test('stops the newest step first, and a failing step does not keep others from stopping', async () => {
  const shutdown = createShutdown({ log })
  shutdown.add('database', step('database'))
  shutdown.add('workers', () => Promise.reject(new Error('no')))
  shutdown.add('server', step('server'))
  expect(await shutdown.run()).toBe(true)
  expect(done).toEqual(['server', 'database'])
  expect(logged).toMatchObject([{ msg: 'failed to stop', step: 'workers' }, { msg: 'stopped' }])
})

test('names a step that does not end, and stops the others', async () => {
  const shutdown = createShutdown({ log, limitMs: 10 })
  const ended = Promise.withResolvers<void>()
  shutdown.add('embedded database', () => ended.promise.then(step('embedded database')), {
    outlivesProcess: true,
  })
  shutdown.add('database', step('database'))
  shutdown.add('server', waitForever)
  const stopped = shutdown.run()
  await expect.poll(() => done).toEqual(['database'])
  ended.resolve()
  expect(await stopped).toBe(false)
  expect(done).toEqual(['database', 'embedded database'])
  expect(logged).toMatchObject([{ msg: 'did not stop in time', step: 'server' }, {}])
})

test('a start that receives a stop request ends at its next step and stops what has started', async () => {
  const stop = new AbortController()
  const shutdown = createShutdown({ log, signal: stop.signal })
  stop.abort()
  expect(() => shutdown.add('database', step('database'))).toThrow(stop.signal.reason)
  expect(await shutdown.run()).toBe(true)
  expect(done).toEqual(['database'])
})

test('a start that receives a stop request and reaches no further step is not waited for', async () => {
  const stop = new AbortController()
  const shutdown = createShutdown({ log, signal: stop.signal, limitMs: 10 })
  const start = shutdown.within(waitForever())
  stop.abort()
  await expect(start).rejects.toThrow('did not reach its next step')
})
