/** How a process stops: in order, within a limit, and from the middle of its start. */
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
const never = (): Promise<void> => new Promise(() => {})
const step = (name: string) => async (): Promise<void> => void done.push(name)

test('the newest is stopped first, and one that fails keeps no other from it', async () => {
  const shutdown = createShutdown({ log })
  shutdown.add('database', step('database'))
  shutdown.add('workers', () => Promise.reject(new Error('no')))
  shutdown.add('server', step('server'))
  expect(await shutdown.run()).toBe(true)
  expect(done).toEqual(['server', 'database'])
  expect(logged).toMatchObject([{ msg: 'failed to stop', step: 'workers' }, { msg: 'stopped' }])
})

test('a step that does not end is named, and the others are stopped all the same', async () => {
  const shutdown = createShutdown({ log, limitMs: 10 })
  const ended = Promise.withResolvers<void>()
  shutdown.add('embedded database', () => ended.promise.then(step('embedded database')), {
    outlives: true,
  })
  shutdown.add('database', step('database'))
  shutdown.add('server', never)
  const stopped = shutdown.run()
  await expect.poll(() => done).toEqual(['database'])
  ended.resolve()
  expect(await stopped).toBe(false)
  expect(done).toEqual(['database', 'embedded database'])
  expect(logged).toMatchObject([{ msg: 'did not stop in time', step: 'server' }, {}])
})

test('a start that is told to stop ends at its next step, with what that has started', async () => {
  const asked = new AbortController()
  const shutdown = createShutdown({ log, asked: asked.signal })
  asked.abort()
  expect(() => shutdown.add('database', step('database'))).toThrow(asked.signal.reason)
  expect(await shutdown.run()).toBe(true)
  expect(done).toEqual(['database'])
})

test('a start that is told to stop and gets to no further step is not waited for', async () => {
  const asked = new AbortController()
  const shutdown = createShutdown({ log, asked: asked.signal, limitMs: 10 })
  const start = shutdown.within(never())
  asked.abort()
  await expect(start).rejects.toThrow('did not get to its next step')
})
