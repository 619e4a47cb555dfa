/** The QuickBooks connector without QuickBooks: failures. */
import { describe, expect, test } from 'vitest'
import { connector } from '../../src/connectors/quickbooks/manifest.ts'
import { unifiedField } from '../../src/definition/mapping/unified-field.ts'
import { findResource } from './quickbooks/fixtures.ts'

describe('a failure', () => {
  const readFailure = (
    status: number,
    error: object,
    path = '/invoice?requestid=1',
    headers = {},
  ) =>
    connector.readFailure(
      { status, headers, body: { Fault: { Error: [error], type: 'ValidationFault' } } },
      { method: 'POST', path },
    )

  test.each([
    [400, '5010', 'Stale Object Error', 'conflict'],
    [400, '610', 'Object Not Found', 'absent'],
    [400, '610', "Something you're trying to use has been made inactive", 'refused'],
    [401, '3200', 'message=AuthenticationFailed', 'authentication'],
    [403, '3100', 'ApplicationAuthorizationFailed', 'authentication'],
    [403, '5020', 'You do not have permission to access this feature', 'refused'],
    [400, '6000', 'A business validation error has occurred', 'refused'],
  ])('%i with the code %s (%s) is %s', (status, code, Message, kind) => {
    expect(readFailure(status, { code, Message })).toMatchObject({ kind })
  })

  test('of a limit lasts a minute unless the response says how long', () => {
    const error = { code: '003001', Message: 'ThrottleExceeded' }
    expect(readFailure(429, error)).toMatchObject({ kind: 'rate-limited', retryAfterMs: 60_000 })
    expect(readFailure(429, error, '/bill', { 'retry-after': '5' })).not.toHaveProperty(
      'retryAfterMs',
    )
  })

  test('of a token that is too old lists everything again', () => {
    const Detail =
      'Operation cdc with changedSince date which is older than fixed days is not supported.'
    expect(readFailure(400, { code: '500', Detail }, '/cdc?entities=Bill')).toMatchObject({
      kind: 'expired',
    })
  })

  test.each([
    ['invoices', '/invoice', { code: '2500', element: 'CustomerRef' }, 'customerId'],
    [
      'invoices',
      '/invoice',
      { code: '2020', Detail: 'Required parameter Line is missing in the request' },
      'lineItems',
    ],
    ['customers', '/customer', { code: '6240', element: '' }, 'customerName'],
    ['items', '/item', { code: '6240' }, 'itemName'],
    ['vendors', '/vendor', { code: '2050', element: 'PrimaryEmailAddr.Address' }, 'email'],
  ])('of %s at %s with %o is at %s', (name, path, error, field) => {
    const found = readFailure(400, error, path)
    expect(unifiedField(findResource(name).mapping, found?.field ?? '')).toBe(field)
  })

  test('with status 500 has the usual meaning of the status', () => {
    expect(readFailure(500, { code: '10000', Message: 'An application error' })).toBeUndefined()
  })
})
