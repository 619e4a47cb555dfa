/** The point budget of a shop (NOTES "points"). */
import type { AppRequest, AppResponse } from '../../definition/connector.ts'
import { isMutation } from '../../definition/graphql.ts'
import { numberAt, textsAt, valuesOf } from '../../definition/raw-values.ts'
import type { RequestLimits } from '../../definition/request-limits.ts'
import { shopName } from './shop.ts'

/** The name of the limit, which failures refer to. */
export const POINTS = 'points'

// Shopify refuses a query that costs more.
const MAX_COST = 1000
const MUTATION_COST = 10
// The bucket of each plan refills in 20 seconds: 2,000 points at 100 points per second.
const REFILL_MS = 20_000
const STANDARD_BUCKET = 2000

/** What a response reports about the cost of its request, in points. Undefined parts are not reported. */
export const costOf = ({ body }: AppResponse) => {
  const at = (path: string) => numberAt(body, `extensions.cost.${path}`)
  return {
    requested: at('requestedQueryCost'),
    actual: at('actualQueryCost'),
    max: at('throttleStatus.maximumAvailable'),
    remaining: at('throttleStatus.currentlyAvailable'),
    perSecond: at('throttleStatus.restoreRate'),
  }
}

/** The time until a number of points is restored; undefined if the response does not say. */
const restoreMs = (
  points: number | undefined,
  perSecond: number | undefined,
): number | undefined =>
  points === undefined || !perSecond ? undefined : Math.ceil((points / perSecond) * 1000)

/** The time until a throttled request can be sent again; undefined if the response does not say. */
export const throttledMs = (response: AppResponse): number | undefined => {
  const { requested, remaining, perSecond } = costOf(response)
  if (requested === undefined || remaining === undefined) return undefined
  return restoreMs(Math.max(0, requested - remaining), perSecond)
}

const TOKENS = /\w{1,60}|[{}]/g

/** Whether a selection is of the same objects as the one around it: a connection counts what its `first` allows. */
const isSameObjects = (name: string | undefined, before: string | undefined): boolean =>
  name === 'nodes' || name === 'pageInfo' || before === 'on'

/** The objects that a document can return. `first` must be a number, not a variable. */
const objectsIn = (document: string): number => {
  const tokens = [...document.matchAll(TOKENS)].map(([token]) => token)
  const factors = [1]
  let size = 1
  let objects = 0
  for (const [at, token] of tokens.entries()) {
    if (token === '}') factors.pop()
    else if (tokens[at - 1] === 'first') size = Number(token)
    else if (token === '{') {
      const factor = (factors.at(-1) ?? 1) * size
      if (!isSameObjects(tokens[at - 1], tokens[at - 2])) objects += factor
      factors.push(factor)
      size = 1
    }
  }
  return objects
}

/** The cost of a request, rather too high than too low: most records have fewer parts than their `first` allows. */
const cost = (request: AppRequest): number => {
  const { body } = request
  const [document = ''] = textsAt(body, 'query')
  const { ids } = valuesOf(valuesOf(body).variables)
  const records = Array.isArray(ids) ? Math.max(1, ids.length) : 1
  const mutation = isMutation(request) ? MUTATION_COST : 0
  return Math.min(MAX_COST, objectsIn(document) * records + mutation)
}

/** Each app has a bucket of points for each shop, which refills at a rate that depends on the plan of the shop. */
export const limits: RequestLimits = {
  windows: [
    { name: POINTS, scope: 'account', unit: 'points', max: STANDARD_BUCKET, per: REFILL_MS },
  ],
  // The shop itself issues the token, so no other credential can claim it.
  account: ({ shop = '' }) => shopName(shop),
  cost,
  readUsage: (response) => {
    const { actual, max, remaining, perSecond } = costOf(response)
    const used = max === undefined || remaining === undefined ? undefined : max - remaining
    // Points are restored all the time, but are counted until then all at once: half of them are restored earlier.
    const resetMs = restoreMs(used === undefined ? undefined : used / 2, perSecond)
    return {
      ...(actual !== undefined && { cost: actual }),
      limits: {
        [POINTS]: {
          ...(max !== undefined && { max }),
          ...(remaining !== undefined && { remaining }),
          ...(resetMs !== undefined && { resetMs }),
        },
      },
    }
  },
}
