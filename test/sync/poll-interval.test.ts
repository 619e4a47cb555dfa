import { expect, test } from 'vitest'
import { pollIntervalMs } from '../../src/sync/poll-interval.ts'

const HOUR_MS = 3_600_000

test.each([
  ['without webhooks', { intervalMs: 15_000, tookMs: 100, webhookAgeMs: null }, 15_000],
  ['while webhooks arrive', { intervalMs: 15_000, tookMs: 100, webhookAgeMs: 60_000 }, 300_000],
  ['an hour after the last', { intervalMs: 15_000, tookMs: 100, webhookAgeMs: HOUR_MS }, 15_000],
  ['at most a quarter of an hour', { intervalMs: 60_000, tookMs: 100, webhookAgeMs: 0 }, 900_000],
  ['never faster than configured', { intervalMs: HOUR_MS, tookMs: 100, webhookAgeMs: 0 }, HOUR_MS],
  ['a long run', { intervalMs: 15_000, tookMs: 40_000, webhookAgeMs: null }, 40_000],
])('the interval %s', (_name, facts, expected) => {
  expect(pollIntervalMs(facts)).toBe(expected)
})
