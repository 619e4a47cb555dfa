/** The limits on requests (NOTES "limits"). */
import type { AppResponse } from '../../definition/connector.ts'
import type { ReportedUsage, RequestLimits } from '../../definition/request-limits.ts'

const BURST_MS = 10_000

const numberIn = ({ headers }: AppResponse, name: string): number | undefined => {
  const text = headers[`x-hubspot-ratelimit-${name}`]
  const value = Number(text)
  return text === undefined || text === '' || Number.isNaN(value) ? undefined : value
}

const usageOf = (max: number | undefined, remaining: number | undefined): ReportedUsage => ({
  ...(max !== undefined && { max }),
  ...(remaining !== undefined && { remaining }),
})

export const limits: RequestLimits = {
  windows: [
    { name: 'burst', scope: 'account', unit: 'requests', max: 100, per: BURST_MS },
    { name: 'search', scope: 'account', unit: 'points', max: 4, per: 'second' },
    { name: 'daily', scope: 'account', unit: 'requests', max: 250_000, per: 'day' },
  ],
  // A private app has limits of its own, so its account is the credential.
  account: ({ portalId = '' }) => portalId,
  cost: ({ path }) => (path.endsWith('/search') ? 1 : 0),
  readUsage: (response) => ({
    limits: {
      daily: usageOf(numberIn(response, 'daily'), numberIn(response, 'daily-remaining')),
      // Search responses have no headers, or those of another interval.
      ...(numberIn(response, 'interval-milliseconds') === BURST_MS && {
        burst: usageOf(numberIn(response, 'max'), numberIn(response, 'remaining')),
      }),
    },
  }),
}
