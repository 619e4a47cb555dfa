/** Forged cursors: random, truncated, altered and invented. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Resource } from '../../src/definition/resource.ts'
import { catalogue } from '../../src/generated/registry.ts'
import { orderFields } from '../../src/query/cursor.ts'
import { readError } from '../support/expected-error.ts'
import { sampleRecord } from '../support/sample.ts'
import { CREDENTIAL, NEVER, shareServiceWithRecords } from '../support/service-with-records.ts'

const SEED = 20_261_121

const harness = shareServiceWithRecords()
const { rest } = harness

describe('a list rejects as a cursor', () => {
  const cursorOf = (parts: unknown): string =>
    Buffer.from(JSON.stringify(parts)).toString('base64url')

  const put = async (resource: Resource, orderBy: string, cursor: string) => {
    const { statusCode, ...response } = await rest(
      `${resource.restPath}?credentialId=${CREDENTIAL}&orderBy=${orderBy}&cursor=${encodeURIComponent(cursor)}`,
    )
    if (statusCode !== 200) {
      const { code } = readError({ statusCode, ...response, body: response.body }, cursor)
      expect(['INVALID_CURSOR', 'INVALID_PARAMETER'], cursor).toContain(code)
    }
    return statusCode
  }

  test('random bytes', async () => {
    const resource = catalogue.get('crm/accounts')
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(
          fc
            .uint8Array({ maxLength: 200 })
            .map((bytes) => Buffer.from(bytes).toString('base64url')),
          fc.string({ unit: 'binary', maxLength: 100 }).filter((text) => text.isWellFormed()),
          fc.json().map((json) => Buffer.from(json).toString('base64url')),
          fc.array(fc.jsonValue(), { minLength: 2, maxLength: 4 }).map(cursorOf),
        ),
        async (cursor) => {
          expect(await put(resource, 'createdAt', cursor)).toBe(400)
        },
      ),
      { seed: SEED, numRuns: 500 },
    )
  })

  test('a cursor truncated at any letter, or with any letter changed', async () => {
    const resource = catalogue.get('crm/accounts')
    const page = await rest(`/crm/accounts?credentialId=${CREDENTIAL}&orderBy=createdAt&pageSize=1`)
    const cursor = String(page.headers['next-cursor'])
    expect(await put(resource, 'createdAt', cursor)).toBe(200)
    for (let length = 0; length < cursor.length; length++)
      expect(await put(resource, 'createdAt', cursor.slice(0, length)), `${length}`).toBe(400)
    for (let place = 0; place < cursor.length; place++)
      await put(
        resource,
        'createdAt',
        `${cursor.slice(0, place)}${cursor[place] === 'A' ? 'B' : 'A'}${cursor.slice(place + 1)}`,
      )
  })

  test('a cursor with values that the field cannot have', async () => {
    const values = [
      '',
      'x',
      'NaN',
      'Infinity',
      '1e999',
      '2147483648',
      '-2147483649',
      '9'.repeat(600),
      '-0.0',
      '1.',
      '0000-01-01T00:00:00.000Z',
      '2024-02-30T00:00:00.000Z',
      '2024-01-01T24:00:00.000Z',
      '2024-01-01T23:59:60.000Z',
      '99999-01-01T00:00:00.000Z',
      '-0001-01-01T00:00:00.000Z',
      'infinity',
      'now',
      "'; DROP TABLE x; --",
      'a\0b',
      '\ufeff',
      5,
      true,
      {},
      [],
    ]
    for (const resource of [
      'crm/accounts',
      'accounting/payments',
      'commerce/orders',
      'crm/users',
    ].map(catalogue.get)) {
      const { id } = sampleRecord(CREDENTIAL, resource, 1)
      for (const field of orderFields(resource)) {
        const kind = resource.allFields[field]?.kind.name
        for (const value of values) {
          const status = await put(resource, field, cursorOf([field, value, id]))
          if (typeof value !== 'string') expect(status).toBe(400)
          if (value === 'x' && kind !== 'text' && kind !== 'enumeration') expect(status).toBe(400)
        }
        expect(await put(resource, field, cursorOf([field, null, id]))).toBe(200)
        expect(await put(resource, field, cursorOf([field, id]))).toBe(200)
        expect(await put(resource, field, cursorOf([field, null, NEVER]))).toBe(400)
        expect(await put(resource, field, cursorOf([field, null, id, 1]))).toBe(400)
        expect(await put(resource, field, cursorOf([`${field}"`, null, id]))).toBe(400)
        expect(await put(resource, field, cursorOf({ field, value: null, id }))).toBe(400)
      }
    }
  })
})
