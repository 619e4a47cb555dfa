/** An invalid REST request gets a 4xx that names the error. */
import { describe, expect, test } from 'vitest'
import { encodeCursor } from '../../src/query/cursor.ts'
import { type Expected, expectError } from '../support/expected-error.ts'
import { CREDENTIAL, NEVER, serviceWithRecords } from '../support/service-with-records.ts'

const harness = serviceWithRecords()
const { rest } = harness

const LONG = 'x'.repeat(1001)

describe('over REST', () => {
  const list = '/accounting/vendors'
  const invalid = (field: string): Expected => ({ code: 'INVALID_PARAMETER', field })

  test.each<[string, string, Expected]>([
    ['an unknown parameter', 'nope=1', invalid('nope')],
    ['a parameter in another letter case', 'VendorName=x', invalid('VendorName')],
    ['a parameter of another resource', 'billNumber=1', invalid('billNumber')],
    ['an operator that the field does not have', 'vendorNameMin=1', invalid('vendorNameMin')],
    ['__proto__ as a parameter', '__proto__=1', invalid('__proto__')],
    ['constructor as a parameter', 'constructor=1', invalid('constructor')],
    ['a nested parameter', 'vendorName[contains]=1', invalid('vendorName[contains]')],
    ['a parameter without a name', '=1', invalid('')],
    ['a parameter with a NUL in its name', 'a%00b=1', invalid('query')],
    ['a parameter of 1,001 letters', `${LONG}=1`, invalid('query')],
    ['a page size of 0', 'pageSize=0', invalid('pageSize')],
    ['a page size of 101', 'pageSize=101', invalid('pageSize')],
    ['a page size of 1.5', 'pageSize=1.5', invalid('pageSize')],
    ['a page size of abc', 'pageSize=abc', invalid('pageSize')],
    ['an empty page size', 'pageSize=', invalid('pageSize')],
    ['a negative page size', 'pageSize=-1', invalid('pageSize')],
    ['a page size of 1e1', 'pageSize=1e1', invalid('pageSize')],
    ['a page size with a space', 'pageSize=%201', invalid('pageSize')],
    ['page number 0', 'pageNumber=0', invalid('pageNumber')],
    ['page number x', 'pageNumber=x', invalid('pageNumber')],
    ['a page number past the offset limit', 'pageNumber=10000001', invalid('pageNumber')],
    ['a page number above any integer', `pageNumber=${'9'.repeat(400)}`, invalid('pageNumber')],
    ['an empty order', 'orderBy=', invalid('orderBy')],
    ['an order by an unknown field', 'orderBy=nope', invalid('orderBy')],
    ['an order by a list', 'orderBy=addresses', invalid('orderBy')],
    ['an order by a column', 'orderBy=vendor_name', invalid('orderBy')],
    ['an order by SQL', 'orderBy=createdAt;DROP TABLE x', invalid('orderBy')],
    ['an unknown direction', 'orderBy=createdAt:up', invalid('orderBy')],
    ['an order by a field twice', 'orderBy=createdAt,createdAt:desc', invalid('orderBy')],
    ['includeDeleted=maybe', 'includeDeleted=maybe', invalid('includeDeleted')],
    ['an invalid cursor', 'cursor=nope', { code: 'INVALID_CURSOR', field: 'cursor' }],
    ['an empty cursor', 'cursor=', { code: 'INVALID_CURSOR', field: 'cursor' }],
    ['a cursor with a NUL', 'cursor=%00', invalid('cursor')],
    ['a cursor of 1,001 letters', `cursor=${LONG}`, invalid('cursor')],
    ['a repeated parameter', 'vendorName=a&vendorName=b', invalid('vendorName')],
    ['a repeated credential', `credentialId=${CREDENTIAL}`, invalid('credentialId')],
    ['bytes that are not UTF-8', 'vendorName=%ff', invalid('vendorName')],
    ['half a surrogate pair', 'vendorName=%ED%A0%80', invalid('vendorName')],
    ['a bare percent sign', 'vendorName=100%', invalid('vendorName')],
    ['percent-encoding without digits', 'vendorName=%zz', invalid('vendorName')],
    ['a name that is not UTF-8', '%ff=1', invalid('query')],
  ])('%s', async (_what, query, expected) => {
    expectError(await rest(`${list}?credentialId=${CREDENTIAL}&${query}`), expected)
  })

  test.each<[string, string, Expected]>([
    ['no credential', '', invalid('credentialId')],
    ['an empty credential', '?credentialId=', invalid('credentialId')],
    [
      'two credentials',
      `?credentialId=${CREDENTIAL}&credentialId=${NEVER}`,
      invalid('credentialId'),
    ],
    ['an unknown credential', `?credentialId=${NEVER}`, { code: 'CREDENTIAL_NOT_FOUND' }],
    ['a credential that is not an id', '?credentialId=1', { code: 'CREDENTIAL_NOT_FOUND' }],
    ['a credential of SQL', "?credentialId=' OR 1=1 --", { code: 'CREDENTIAL_NOT_FOUND' }],
    ['a credential with a NUL', '?credentialId=%00', invalid('credentialId')],
    ['a credential that is not UTF-8', '?credentialId=%ff', invalid('credentialId')],
    ['a credential of 1,001 letters', `?credentialId=${LONG}`, invalid('credentialId')],
    ['a credential in braces', `?credentialId={${CREDENTIAL}}`, { code: 'CREDENTIAL_NOT_FOUND' }],
  ])('%s', async (_what, query, expected) => {
    for (const path of [list, `${list}/count`, `${list}/aggregate`, `${list}/1`])
      expectError(await rest(`${path}${query}`), expected, path)
  })

  test.each<[string, string, Expected]>([
    ['an id that no record has', '/nope', { code: 'NOT_FOUND' }],
    ['an id with a NUL', '/%00', { code: 'INVALID_PARAMETER', field: 'id' }],
    ['an id that is not UTF-8', '/%ff', { code: 'BAD_REQUEST' }],
    ['an id with a bare percent sign', '/100%', { code: 'BAD_REQUEST' }],
    ['an id of 513 letters', `/${'x'.repeat(513)}`, { code: 'NOT_FOUND' }],
    ['an id of 10,000 letters', `/${'x'.repeat(10_000)}`, { code: 'NOT_FOUND' }],
    ['an id with parent segments', '/..%2f..%2fcrm%2faccounts', { code: 'NOT_FOUND' }],
    ['a filter next to an id', '/1?vendorName=x', invalid('credentialId')],
  ])('%s', async (_what, path, expected) => {
    const query = path.includes('?') ? '' : `?credentialId=${CREDENTIAL}`
    expectError(await rest(`${list}${path}${query}`), expected)
  })

  test('rejects a list parameter on an id', async () => {
    for (const name of ['pageSize', 'cursor', 'orderBy', 'vendorName'])
      expectError(await rest(`${list}/1?credentialId=${CREDENTIAL}&${name}=1`), invalid(name))
    for (const name of ['pageSize', 'pageNumber', 'cursor', 'orderBy'])
      expectError(await rest(`${list}/count?credentialId=${CREDENTIAL}&${name}=1`), invalid(name))
    const cursor = encodeCursor([{ field: 'createdAt', isDescending: false }], {
      values: [null],
      id: NEVER,
    })
    expectError(
      await rest(`${list}?credentialId=${CREDENTIAL}&pageNumber=1&cursor=${cursor}`),
      invalid('pageNumber'),
    )
  })

  test('an error message is short and contains no HTML of the caller as HTML', async () => {
    const response = await rest(`${list}?credentialId=${CREDENTIAL}&<script>alert(1)</script>=1`)
    expectError(response, { code: 'INVALID_PARAMETER' })
    expect(response.headers['content-type']).toContain('application/json')
    const long = await rest(`${list}?credentialId=${CREDENTIAL}&${'x'.repeat(1000)}=1`)
    expect(long.body.length).toBeLessThan(3000)
  })

  test('an unknown address is a 404', async () => {
    for (const url of [
      '/',
      '/nope',
      '/2024-03',
      '/2024-03/one',
      '/2024-03/one/accounting',
      '/2024-03/one/accounting/nope',
      '/2024-03/one/accounting/VENDORS',
      '/2024-03/one/accounting/taxRates',
      '/2024-03/one/accounting/vendors/1/2',
      '/2024-03/two/accounting/vendors',
      '/2023-12/one/accounting/vendors',
      '/2024-03/one//accounting/vendors',
      '/.env',
      '/../../etc/passwd',
      '/%2e%2e/%2e%2e/etc/passwd',
      '/graphql/nope',
      `/${'x'.repeat(10_000)}`,
    ])
      for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const)
        expectError(
          await harness.service.server.inject({
            url,
            method,
            headers: { authorization: `Bearer ${harness.tenant.key}` },
          }),
          { code: 'NOT_FOUND' },
          `${method} ${url}`,
        )
  })
})
