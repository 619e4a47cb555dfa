import { expect, it } from 'vitest'
import { pollIntervalMs } from '../../src/sync/poll-interval.ts'

it.each([
  ['the interval while the resource changes', { idleRuns: 0, tookMs: 20 }, 15_000],
  ['the same after a few runs without a change', { idleRuns: 3, tookMs: 20 }, 15_000],
  ['twice that after four', { idleRuns: 4, tookMs: 20 }, 30_000],
  ['four times after eight', { idleRuns: 11, tookMs: 20 }, 60_000],
  ['eight times at most', { idleRuns: 1_000_000, tookMs: 20 }, 120_000],
  ['the duration of a run that takes longer', { idleRuns: 0, tookMs: 40_000 }, 40_000],
])('the next run is due after %s', (_case, facts, dueMs) => {
  expect(pollIntervalMs({ intervalMs: 15_000, limits: [], ...facts })).toBe(dueMs)
})
