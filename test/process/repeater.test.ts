/** A step is done again and again: never twice at once, whatever becomes of it, and not after the end. */
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRepeater } from '../../src/repeater.ts'

const EVERY_MS = 1000

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const fail = (error: unknown): never => {
  throw error
}

test('a step that takes longer than the time between two is not begun again meanwhile', async () => {
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

test('a failure is told, and the next step comes in its time', async () => {
  const told: unknown[] = []
  const step = () => Promise.reject(new Error('no'))
  const repeater = createRepeater({
    step,
    everyMs: EVERY_MS,
    onFailure: (error) => told.push(error),
  })
  repeater.start()
  await repeater.run()
  expect(told).toEqual([new Error('no')])
  await vi.advanceTimersByTimeAsync(EVERY_MS)
  expect(told).toHaveLength(2)
  await repeater.stop()
})

test('stopping tells the step to end, waits for it, and takes its end for no failure', async () => {
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
