/** The Shopify connector without a shop: the cost of requests, and failures. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/shopify/manifest.ts'
import type { AppRequest } from '../../src/definition/connector.ts'
import { REQUEST } from '../support/steps.ts'
import { context, findResource, okResponse } from './shopify/fixtures.ts'

describe('the cost in points', () => {
  const costOf = (request: AppRequest) => connector.limits?.cost?.(request)

  test.each(['customers', 'fulfillments', 'orders', 'products'])(
    'of a page of %s is below what Shopify accepts',
    (name) => {
      const position = { since: '2026-01-01T00:00:00.000Z', cursor: undefined, context }
      const request = findResource(name).listRequest(position)
      expect(costOf(request)).toBeGreaterThan(500)
      expect(costOf(request)).toBeLessThan(1000)
    },
  )

  test('is read from the response, with the bucket of the plan', () => {
    const throttleStatus = { maximumAvailable: 4000, currentlyAvailable: 3000, restoreRate: 200 }
    const cost = { requestedQueryCost: 900, actualQueryCost: 120, throttleStatus }
    expect(connector.limits?.readUsage?.(okResponse({}, { extensions: { cost } }))).toEqual({
      cost: 120,
      limits: { points: { max: 4000, remaining: 3000, resetMs: 2500 } },
    })
  })
})

describe('a failure', () => {
  const failureOf = (status: number, body: unknown) =>
    connector.readFailure({ status, headers: {}, body }, REQUEST)
  const errorBody = (code: string, rest: object = {}) => ({
    errors: [{ message: 'Words', extensions: { code, ...rest } }],
  })
  const userErrorBody = (field: readonly string[] | null, rest: object = {}) => ({
    data: { customerUpdate: { customer: null, userErrors: [{ field, message: 'No', ...rest }] } },
  })

  test('of throttling says when the points are restored', () => {
    const throttleStatus = { maximumAvailable: 2000, currentlyAvailable: 150, restoreRate: 100 }
    const cost = { requestedQueryCost: 400, actualQueryCost: null, throttleStatus }
    expect(failureOf(200, { ...errorBody('THROTTLED'), extensions: { cost } })).toMatchObject({
      kind: 'rate-limited',
      limit: 'points',
      retryAfterMs: 2500,
    })
  })

  test.each([
    [401, { errors: '[API] Invalid API key or access token' }, { kind: 'authentication' }],
    [402, {}, { kind: 'unavailable' }],
    [404, { errors: 'Not Found' }, { kind: 'refused' }],
    [200, errorBody('INTERNAL_SERVER_ERROR'), { kind: 'unavailable' }],
    [
      200,
      errorBody('ACCESS_DENIED'),
      { kind: 'refused', reason: expect.stringContaining('scope') },
    ],
    [
      200,
      errorBody('INVALID_VARIABLE', { problems: [{ path: ['email'], explanation: 'x' }] }),
      { kind: 'refused', field: 'email' },
    ],
    [200, userErrorBody(['input', 'email']), { kind: 'refused', field: 'email', reason: 'No' }],
    [
      200,
      userErrorBody(['variants', '0', 'price'], { code: 'INVALID' }),
      { field: 'variants.0.price', reason: 'INVALID: No' },
    ],
    [200, userErrorBody(['trackingInfoInput', 'urls']), { field: 'trackingInfo.urls' }],
    [200, userErrorBody(['input', 'id']), { kind: 'absent' }],
    [200, userErrorBody(null), { kind: 'refused', reason: 'No' }],
  ])('of %i %j', (status, body, expected) => {
    expect(failureOf(status, body)).toMatchObject(expected)
  })

  test('is not read from a success', () => {
    const data = { customerUpdate: { customer: { id: 'c' }, userErrors: [] } }
    expect(failureOf(200, { data })).toBeUndefined()
  })
})
