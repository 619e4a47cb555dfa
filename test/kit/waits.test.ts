/** The waits of the conformance suite, with a virtual clock. */
import { expect, test } from 'vitest'
import { ApiError } from '../../src/errors.ts'
import { AppRateLimitedError, AppUnavailableError } from '../../src/outbound/app-error.ts'
import { lagMsOf, retryWithinLimits, untilShown } from '../../tools/app-kit/check/waits.ts'

const facts = { app: 'template', appName: 'Template', request: 'GET /accounts', reason: 'r' }
const rateLimitError = (ms: number | undefined) => new AppRateLimitedError(facts, ms)

const openWaits = () => {
  let timeMs = 0
  const reported: number[] = []
  const waits = {
    clock: {
      nowMs: () => timeMs,
      wait: async (ms: number) => {
        timeMs += ms
      },
    },
    onWait: (_: string, ms: number) => void reported.push(ms),
  }
  return { waits, reported, passedMs: () => timeMs }
}

/** Work that fails with these errors, then succeeds. */
const failWith = (...errors: readonly Error[]) => {
  let calls = 0
  return async () => {
    const error = errors[calls++]
    if (error) throw error
    return calls
  }
}

test.each([
  ['the pause that the app requests', [rateLimitError(20_000)], [20_000]],
  ['a second without one', [rateLimitError(undefined), rateLimitError(0)], [1_000, 1_000]],
  [
    'the longest pause of several runs',
    [new AggregateError([rateLimitError(60_000), rateLimitError(2_000)])],
    [60_000],
  ],
  [
    'the pause of a write',
    [new ApiError('APP_RATE_LIMITED', 'Later.', [], { retryAfterMs: 5_000 })],
    [5_000],
  ],
])('work that a limit rejects waits for %s', async (_name, errors, expected) => {
  const { waits, reported, passedMs } = openWaits()
  expect(await retryWithinLimits(waits, failWith(...errors))).toBe(errors.length + 1)
  expect(reported).toEqual(expected)
  expect(passedMs()).toBe(expected.reduce((sum, ms) => sum + ms, 0))
})

test.each([
  ['another failure', new AppUnavailableError(facts, 'network')],
  [
    'another failure next to a limit',
    new AggregateError([rateLimitError(1), new AppUnavailableError(facts, 'network')]),
  ],
  ['a limit of a day', rateLimitError(24 * 3_600_000)],
])('does not wait after %s', async (_name, error) => {
  const { waits, reported } = openWaits()
  await expect(retryWithinLimits(waits, failWith(error))).rejects.toBe(error)
  expect(reported).toEqual([])
})

test('a change may appear until the end of the lag', async () => {
  const { waits, reported, passedMs } = openWaits()
  expect(await untilShown(waits, 60_000, async () => passedMs() >= 58_000)).toBe(true)
  expect(passedMs()).toBe(60_000)
  expect(reported).toEqual([60_000])
  expect(await untilShown(waits, 7_000, async () => false)).toBe(false)
  expect(passedMs()).toBe(67_000)
})

test('the lag is the overlap that a connector declares', () => {
  const deletions = 'reported'
  expect(lagMsOf({ changes: { by: 'time', overlapMs: 300_000 }, deletions })).toBe(300_000)
  expect(lagMsOf({ changes: { by: 'token' }, deletions })).toBe(0)
})
