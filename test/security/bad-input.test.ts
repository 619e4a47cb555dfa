/** An invalid REST request gets a 4xx that names the error. */
import { describe, expect, test } from 'vitest'
import { encodeCursor } from '../../src/query/cursor.ts'
import { type Expected, expectError } from '../support/expected-error.ts'
import { CREDENTIAL, NEVER, shareServiceWithRecords } from '../support/service-with-records.ts'

const harness = shareServiceWithRecords()
const { rest } = harness

const LONG = 'x'.repeat(1001)

describe('over REST', () => {
  const list = '/accounting/vendors'
  const invalidParameter = (field: string): Expected => ({ code: 'INVALID_PARAMETER', field })

  test.each<[string, string, Expected]>([
    ['an unknown parameter', 'nope=1', invalidParameter('nope')],
    ['a parameter in another letter case', 'VendorName=x', invalidParameter('VendorName')],
    ['a parameter of another resource', 'billNumber=1', invalidParameter('billNumber')],
    [
      'an operator that the field does not have',
      'vendorNameMin=1',
      invalidParameter('vendorNameMin'),
    ],
    ['__proto__ as a parameter', '__proto__=1', invalidParameter('__proto__')],
    ['constructor as a parameter', 'constructor=1', invalidParameter('constructor')],
    ['a nested parameter', 'vendorName[contains]=1', invalidParameter('vendorName[contains]')],
    ['a parameter without a name', '=1', invalidParameter('')],
    ['a parameter with a NUL in its name', 'a%00b=1', invalidParameter('query')],
    ['a parameter of 1,001 letters', `${LONG}=1`, invalidParameter('query')],
    ['a page size of 0', 'pageSize=0', invalidParameter('pageSize')],
    ['a page size of 101', 'pageSize=101', invalidParameter('pageSize')],
    ['a page size of 1.5', 'pageSize=1.5', invalidParameter('pageSize')],
    ['a page size of abc', 'pageSize=abc', invalidParameter('pageSize')],
    ['an empty page size', 'pageSize=', invalidParameter('pageSize')],
    ['a negative page size', 'pageSize=-1', invalidParameter('pageSize')],
    ['a page size of 1e1', 'pageSize=1e1', invalidParameter('pageSize')],
    ['a page size with a space', 'pageSize=%201', invalidParameter('pageSize')],
    ['page number 0', 'pageNumber=0', invalidParameter('pageNumber')],
    ['page number x', 'pageNumber=x', invalidParameter('pageNumber')],
    ['a page number past the offset limit', 'pageNumber=10000001', invalidParameter('pageNumber')],
    [
      'a page number above any integer',
      `pageNumber=${'9'.repeat(400)}`,
      invalidParameter('pageNumber'),
    ],
    ['an empty order', 'orderBy=', invalidParameter('orderBy')],
    ['an order by an unknown field', 'orderBy=nope', invalidParameter('orderBy')],
    ['an order by a list', 'orderBy=addresses', invalidParameter('orderBy')],
    ['an order by a column', 'orderBy=vendor_name', invalidParameter('orderBy')],
    ['an order by SQL', 'orderBy=createdAt;DROP TABLE x', invalidParameter('orderBy')],
    ['an unknown direction', 'orderBy=createdAt:up', invalidParameter('orderBy')],
    ['an order by a field twice', 'orderBy=createdAt,createdAt:desc', invalidParameter('orderBy')],
    ['includeDeleted=maybe', 'includeDeleted=maybe', invalidParameter('includeDeleted')],
    ['an invalid cursor', 'cursor=nope', { code: 'INVALID_CURSOR', field: 'cursor' }],
    ['an empty cursor', 'cursor=', { code: 'INVALID_CURSOR', field: 'cursor' }],
    ['a cursor with a NUL', 'cursor=%00', invalidParameter('cursor')],
    ['a cursor of 1,001 letters', `cursor=${LONG}`, invalidParameter('cursor')],
    ['a repeated parameter', 'vendorName=a&vendorName=b', invalidParameter('vendorName')],
    ['a repeated credential', `credentialId=${CREDENTIAL}`, invalidParameter('credentialId')],
    ['bytes that are not UTF-8', 'vendorName=%ff', invalidParameter('vendorName')],
    ['half a surrogate pair', 'vendorName=%ED%A0%80', invalidParameter('vendorName')],
    ['a bare percent sign', 'vendorName=100%', invalidParameter('vendorName')],
    ['percent-encoding without digits', 'vendorName=%zz', invalidParameter('vendorName')],
    ['a name that is not UTF-8', '%ff=1', invalidParameter('query')],
  ])('%s', async (_what, query, expected) => {
    expectError(await rest(`${list}?credentialId=${CREDENTIAL}&${query}`), expected)
  })

  test.each<[string, string, Expected]>([
    ['no credential', '', invalidParameter('credentialId')],
    ['an empty credential', '?credentialId=', invalidParameter('credentialId')],
    [
      'two credentials',
      `?credentialId=${CREDENTIAL}&credentialId=${NEVER}`,
      invalidParameter('credentialId'),
    ],
    ['an unknown credential', `?credentialId=${NEVER}`, { code: 'CREDENTIAL_NOT_FOUND' }],
    ['a credential that is not an id', '?credentialId=1', { code: 'CREDENTIAL_NOT_FOUND' }],
    ['a credential of SQL', "?credentialId=' OR 1=1 --", { code: 'CREDENTIAL_NOT_FOUND' }],
    ['a credential with a NUL', '?credentialId=%00', invalidParameter('credentialId')],
    ['a credential that is not UTF-8', '?credentialId=%ff', invalidParameter('credentialId')],
    ['a credential of 1,001 letters', `?credentialId=${LONG}`, invalidParameter('credentialId')],
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
    ['a filter next to an id', '/1?vendorName=x', invalidParameter('credentialId')],
  ])('%s', async (_what, path, expected) => {
    const query = path.includes('?') ? '' : `?credentialId=${CREDENTIAL}`
    expectError(await rest(`${list}${path}${query}`), expected)
  })

  test('rejects a list parameter on an id', async () => {
    for (const name of ['pageSize', 'cursor', 'orderBy', 'vendorName'])
      expectError(
        await rest(`${list}/1?credentialId=${CREDENTIAL}&${name}=1`),
        invalidParameter(name),
      )
    for (const name of ['pageSize', 'pageNumber', 'cursor', 'orderBy'])
      expectError(
        await rest(`${list}/count?credentialId=${CREDENTIAL}&${name}=1`),
        invalidParameter(name),
      )
    const cursor = encodeCursor([{ field: 'createdAt', isDescending: false }], {
      values: [null],
      id: NEVER,
    })
    expectError(
      await rest(`${list}?credentialId=${CREDENTIAL}&pageNumber=1&cursor=${cursor}`),
      invalidParameter('pageNumber'),
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
