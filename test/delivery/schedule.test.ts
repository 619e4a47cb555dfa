/** The retry schedule that Standard Webhooks recommends. */
import { expect, test } from 'vitest'
import { circuitPauseMs, endpointPauseMs, retryInMs } from '../../src/delivery/schedule.ts'

const SECOND_MS = 1000
const MINUTE = 60 * SECOND_MS
const HOUR = 60 * MINUTE
const exact = { scale: 1, random: () => 0 }
const latest = { scale: 1, random: () => 1 }

test('retries a message after 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 14 h, 20 h and 24 h, and then stops', () => {
  const pauses = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10].map((tried) => retryInMs(tried, undefined, exact))
  expect(pauses).toEqual([
    5 * SECOND_MS,
    5 * MINUTE,
    30 * MINUTE,
    2 * HOUR,
    5 * HOUR,
    10 * HOUR,
    14 * HOUR,
    20 * HOUR,
    24 * HOUR,
    undefined,
  ])
  const total = pauses.reduce<number>((sum, pause) => sum + (pause ?? 0), 0)
  expect(total / HOUR / 24).toBeGreaterThan(3)
})

test('jitter adds at most a fifth', () => {
  expect(retryInMs(2, undefined, latest)).toBe(6 * MINUTE)
})

test('Retry-After postpones the next attempt by at most a day, and never moves it forward', () => {
  expect(retryInMs(1, 60 * SECOND_MS, exact)).toBe(60 * SECOND_MS)
  expect(retryInMs(3, 60 * SECOND_MS, exact)).toBe(30 * MINUTE)
  expect(retryInMs(1, 100 * HOUR, exact)).toBe(24 * HOUR)
})

test('429 and 503 with Retry-After pause the whole endpoint', () => {
  expect(
    [429, 503, 500, 200, null].map((status) => endpointPauseMs(status, 7 * SECOND_MS)),
  ).toEqual([7 * SECOND_MS, 7 * SECOND_MS, 0, 0, 0])
  expect(endpointPauseMs(429, undefined)).toBe(0)
})

test('after five failures in a row, new messages wait for one second, then two, up to five minutes', () => {
  expect([1, 4, 5, 6, 7, 100].map((failures) => circuitPauseMs(failures, exact))).toEqual([
    0,
    0,
    SECOND_MS,
    2 * SECOND_MS,
    4 * SECOND_MS,
    5 * MINUTE,
  ])
})
