/** Cursors of the change log: encoded, decoded, or rejected. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ApiError } from '../../src/errors.ts'
import { decodeChangeCursor, encodeChangeCursor } from '../../src/query/change-cursor.ts'

const position = fc.record({
  epoch: fc.bigInt(0n, 2n ** 63n - 1n),
  xid: fc.bigInt(0n, 2n ** 64n - 1n),
  sequence: fc.bigInt(0n, 2n ** 63n - 1n),
})

test('a change log cursor decodes to the position that it encodes', () => {
  fc.assert(
    fc.property(position, (place) => {
      expect(decodeChangeCursor(encodeChangeCursor(place), 'after')).toEqual(place)
    }),
  )
})

const encodeBase64Url = (text: string): string => Buffer.from(text).toString('base64url')

test.each([
  ['', 'nothing'],
  ['x', 'a letter'],
  [encodeBase64Url('2.0.1.1'), 'another version'],
  [encodeBase64Url('1.0.1'), 'a number too few'],
  [encodeBase64Url('1.0.1.1.1'), 'a number too many'],
  [encodeBase64Url('1.-1.1.1'), 'a negative number'],
  [encodeBase64Url('1.00.1.1'), 'another spelling'],
  [encodeBase64Url(`1.0.${2n ** 64n}.1`), 'more than PostgreSQL takes'],
  [encodeBase64Url(`1.${2n ** 63n}.1.1`), 'more than PostgreSQL takes'],
  [encodeBase64Url(`1.0.1.${2n ** 63n}`), 'more than PostgreSQL takes'],
  [`${encodeBase64Url('1.0.1.1')}=`, 'padding'],
  ['A'.repeat(100_000), 'a long text'],
])('case %#, the cursor "%s", is rejected: %s', (text) => {
  const decode = (): void => void decodeChangeCursor(text, 'after')
  expect(decode).toThrow(ApiError)
  expect(decode).toThrow('after: expected a cursor that the change log returned.')
})

test('any text decodes or fails with INVALID_CURSOR', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
      try {
        decodeChangeCursor(text, 'after')
      } catch (error) {
        expect(error).toMatchObject({ code: 'INVALID_CURSOR' })
      }
    }),
  )
})
