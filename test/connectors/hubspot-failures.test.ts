/** The HubSpot connector without a HubSpot: failures and limits. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/hubspot/manifest.ts'
import type { AppRequest } from '../../src/definition/connector.ts'
import { unifiedField } from '../../src/definition/mapping/unified-field.ts'
import { REQUEST } from '../support/steps.ts'
import { findResource, okResponse } from './hubspot/fixtures.ts'

describe('a failure', () => {
  const search: AppRequest = { method: 'POST', path: '/crm/objects/2026-03/contacts/search' }
  const create: AppRequest = { method: 'POST', path: '/crm/objects/2026-03/contacts' }

  test.each([
    [401, {}, REQUEST, { kind: 'authentication' }],
    [403, { category: 'MISSING_SCOPES', message: 'no scope' }, REQUEST, { kind: 'refused' }],
    [404, {}, REQUEST, { kind: 'absent' }],
    [409, { message: 'Contact already exists.' }, create, { field: 'properties.email' }],
    [423, {}, REQUEST, { kind: 'unavailable', retryAfterMs: 2000 }],
    [477, {}, REQUEST, { kind: 'unavailable' }],
    [429, { policyName: 'DAILY' }, REQUEST, { kind: 'rate-limited', limit: 'daily' }],
    [429, { policyName: 'TEN_SECONDLY_ROLLING' }, search, { limit: 'burst', retryAfterMs: 10_000 }],
    [429, {}, search, { limit: 'search', retryAfterMs: 1000 }],
    [429, {}, create, { limit: 'burst', retryAfterMs: 10_000 }],
    [
      400,
      {
        message: 'Property values were not valid',
        errors: [{ message: 'not an option', context: { propertyName: ['industry'] } }],
      },
      create,
      { kind: 'refused', reason: 'not an option', field: 'properties.industry' },
    ],
    [
      400,
      { message: 'Property values were not valid: [{"isValid":false,"name":"industry"}]' },
      create,
      { kind: 'refused', field: 'properties.industry' },
    ],
    [400, { message: 'Invalid input' }, create, { kind: 'refused', reason: 'Invalid input' }],
  ])('with status %s and body %j is classified', (status, body, request, expected) => {
    expect(connector.readFailure({ status, headers: {}, body }, request)).toMatchObject(expected)
  })

  test('of a limit has no default retry time if the response has one', () => {
    const response = { status: 429, headers: { 'retry-after': '3' }, body: {} }
    expect(connector.readFailure(response, search)).toEqual({
      kind: 'rate-limited',
      reason: 'it responded with 429',
      limit: 'search',
    })
  })

  test.each([200, 207, 500, 503])(
    'with status %s has the usual meaning of the status',
    (status) => {
      expect(connector.readFailure({ status, headers: {}, body: {} }, REQUEST)).toBeUndefined()
    },
  )

  test.each([
    ['accounts', 'properties.industry', 'industry'],
    ['accounts', 'properties.hubspot_owner_id', 'accountOwner'],
    ['accounts', 'properties.zip', 'addresses'],
    ['contacts', 'properties.email', 'emailAddresses'],
    ['opportunities', 'properties.pipeline', 'opportunityStage'],
    ['tasks', 'properties.hs_timestamp', 'dueDate'],
  ])('of %s at %s is located at %s', (name, appField, field) => {
    expect(unifiedField(findResource(name).mapping, appField)).toBe(field)
  })
})

test('the limits follow the headers of the account', () => {
  const { limits } = connector
  expect(limits?.cost?.({ method: 'POST', path: '/crm/objects/2026-03/deals/search' })).toBe(1)
  expect(limits?.cost?.(REQUEST)).toBe(0)
  const headers = {
    'x-hubspot-ratelimit-daily': '500000',
    'x-hubspot-ratelimit-daily-remaining': '499000',
    'x-hubspot-ratelimit-interval-milliseconds': '10000',
    'x-hubspot-ratelimit-max': '190',
    'x-hubspot-ratelimit-remaining': '0',
  }
  expect(limits?.readUsage?.({ status: 200, headers, body: {} })).toEqual({
    limits: { daily: { max: 500_000, remaining: 499_000 }, burst: { max: 190, remaining: 0 } },
  })
  expect(limits?.readUsage?.(okResponse({}))).toEqual({ limits: { daily: {} } })
})
