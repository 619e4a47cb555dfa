/** The interval between polls of a resource. */
import { expect, it } from 'vitest'
import { pollIntervalMs } from '../../src/sync/poll-interval.ts'

const HOUR_MS = 3_600_000

it.each([
  ['the interval while the resource changes', {}, 15_000],
  ['the same after a few runs without a change', { idleRuns: 3 }, 15_000],
  ['twice that after four', { idleRuns: 4 }, 30_000],
  ['four times after eight', { idleRuns: 11 }, 60_000],
  ['eight times at most', { idleRuns: 1_000_000 }, 120_000],
  ['the duration of a run that takes longer', { tookMs: 40_000 }, 40_000],
  ['20 times the interval while webhooks arrive', { webhookAgeMs: 60_000 }, 300_000],
  ['the interval an hour after the last', { webhookAgeMs: HOUR_MS }, 15_000],
  ['a quarter of an hour at most', { intervalMs: 60_000, webhookAgeMs: 0 }, 900_000],
  ['a longer interval that is configured', { intervalMs: HOUR_MS, webhookAgeMs: 0 }, HOUR_MS],
])('the next run is due after %s', (_case, facts, dueMs) => {
  const usual = { intervalMs: 15_000, tookMs: 20, idleRuns: 0, webhookAgeMs: null, limits: [] }
  expect(pollIntervalMs({ ...usual, ...facts })).toBe(dueMs)
})
