import type { RequestLimits } from '../../src/definition/request-limits.ts'

/** The property `limits` of a connector. */
export const limits: RequestLimits = {
  windows: [
    { name: 'perMinute', scope: 'account', unit: 'requests', max: 60, per: 'minute' },
    { name: 'perDay', scope: 'account', unit: 'requests', max: 5_000, per: 'day' },
    { name: 'ofApp', scope: 'app', unit: 'requests', max: 10_000, per: 'minute' },
  ],
  concurrency: { scope: 'account', max: 5 },
  account: 'tenantId',
  readUsage: ({ headers }) => ({
    limits: { perDay: { remaining: Number(headers['x-daylimit-remaining']) } },
  }),
}
