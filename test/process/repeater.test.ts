/** A repeated step: never twice at the same time, despite failures, and not after the stop. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRepeater } from '../../src/repeater.ts'

const EVERY_MS = 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const fail = (error: unknown): never => {
  throw error
}

test('a step that takes longer than the interval does not overlap with the next', async () => {
  let steps = 0
  let first = Promise.withResolvers<void>()
  const step = () => {
    steps += 1
    return first.promise
  }
  const repeater = createRepeater({ step, everyMs: EVERY_MS, onFailure: fail })
  repeater.start()
  await vi.advanceTimersByTimeAsync(5 * EVERY_MS)
  void repeater.run()
  expect(steps).toBe(1)
  first.resolve()
  first = Promise.withResolvers()
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(steps).toBe(2)
  first.resolve()
  await repeater.stop()
})

test('a failure is reported, and the next step follows on schedule', async () => {
  const reported: unknown[] = []
  const step = () => Promise.reject(new Error('no'))
  const repeater = createRepeater({
    step,
    everyMs: EVERY_MS,
    onFailure: (error) => reported.push(error),
  })
  repeater.start()
  await repeater.run()
  expect(reported).toEqual([new Error('no')])
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(reported).toHaveLength(2)
  await repeater.stop()
})

test('stopping aborts the step, waits for it, and does not report the abort as a failure', async () => {
  let isStopped = false
  let steps = 0
  const step = async (signal: AbortSignal) => {
    steps += 1
    await new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
  }
  const repeater = createRepeater({ step, everyMs: EVERY_MS, onFailure: fail })
  repeater.start()
  const running = repeater.run().then(() => expect(isStopped).toBe(false))
  await repeater.stop().then(() => {
    isStopped = true
  })
  await running
  await repeater.run()
  await vi.advanceTimersByTimeAsync(5 * EVERY_MS)
  expect(steps).toBe(1)
})
