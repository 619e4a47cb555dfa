/** The declaration of an app's limits, and the interval of polls that follows from it. */
import { expect, test } from 'vitest'
import { defineConnector } from '../../src/definition/connector.ts'
import type { RequestLimits, WindowLimit } from '../../src/definition/request-limits.ts'
import { type PolledLimit, pollIntervalMs } from '../../src/sync/poll-interval.ts'
import { limits as documented } from '../docs/request-limits.ts'

const window: WindowLimit = {
  name: 'perMinute',
  scope: 'credential',
  unit: 'requests',
  max: 60,
  per: 'minute',
}

const define = (limits: RequestLimits) =>
  defineConnector({
    app: 'test',
    name: 'Test',
    doc: 'A test.',
    auth: {
      none: {
        type: 'apiKey',
        fields: {
          company: { doc: 'The company.', secret: false },
          tenantId: { doc: 'The company.', secret: false },
        },
        baseUrl: 'http://app.test',
        request: {},
      },
    },
    readFailure: () => undefined,
    check: { method: 'GET', path: '' },
    resources: {},
    limits,
  })

const invalid: [RequestLimits, string][] = [
  [{}, 'neither windows nor a concurrency'],
  [{ windows: [{ ...window, name: 'per minute' }] }, 'the name "per minute"'],
  [{ windows: [window, window] }, 'two windows with the name perMinute'],
  [{ windows: [{ ...window, max: 0 }] }, 'the limit perMinute of 0'],
  [{ windows: [{ ...window, max: 0.5 }] }, 'the limit perMinute of 0.5'],
  [{ windows: [{ ...window, per: 10 }] }, 'the period 10 of perMinute'],
  [
    { windows: [{ ...window, per: 'minutes' as 'minute' }] },
    'the period "minutes" of perMinute: did you mean "minute"?',
  ],
  [{ windows: [{ ...window, unit: 'points' }] }, 'a limit in points without `cost`'],
  [{ windows: [window], cost: () => 2 }, 'a cost without a limit in points'],
  [{ windows: [{ ...window, scope: 'account' }] }, 'the scope account without `account`'],
  [{ windows: [window], account: 'company' }, '`account` without a limit of the scope account'],
  [
    { windows: [{ ...window, scope: 'account' }], account: 'realm' },
    'the account "realm", which is not a value of the credential',
  ],
  [{ concurrency: { scope: 'app', max: 0 } }, 'a concurrency of 0'],
]
test.each(invalid)('the limits %j are invalid: %s', (limits, problem) => {
  expect(() => define(limits)).toThrow(TypeError)
  expect(() => define(limits)).toThrow(`The limits of the connector test have ${problem}`)
})

test.each<[RequestLimits]>([
  [documented],
  [{ windows: [window, { ...window, name: 'perWeek', per: 7 * 86_400_000 }] }],
  [{ windows: [{ ...window, unit: 'points' }], cost: () => 2 }],
  [{ concurrency: { scope: 'account', max: 5 }, account: 'company' }],
  [{ concurrency: { scope: 'account', max: 5 }, account: ({ company }) => company ?? '' }],
])('the limits %j are valid', (limits) => {
  expect(define(limits).limits).toBe(limits)
})

const DAY_MS = 86_400_000
const perDay: PolledLimit = { max: 5000, periodMs: DAY_MS, cost: 1, resources: 11 }
test.each<[string, readonly PolledLimit[], number, number]>([
  ['the configured interval without limits', [], 20, 15_000],
  ['the duration of a longer run', [], 20_000, 20_000],
  // 1,500 requests a day for eleven resources.
  ['what the share for changes affords', [perDay], 20, 633_600],
  ['more for a poll that costs more', [{ ...perDay, cost: 2 }], 20, 1_267_200],
  ['the tightest of several limits', [perDay, { ...perDay, resources: 1 }], 20, 633_600],
  ['the configured interval if more is affordable', [{ ...perDay, max: 10 ** 6 }], 20, 15_000],
])('the next run starts after %s', (_name, limits, tookMs, expected) => {
  expect(
    pollIntervalMs({ intervalMs: 15_000, tookMs, idleRuns: 0, webhookAgeMs: null, limits }),
  ).toBe(expected)
})
