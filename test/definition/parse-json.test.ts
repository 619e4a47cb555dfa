/** JSON whose numbers keep their digits. */
import { describe, expect, test } from 'vitest'
import { parseJson } from '../../src/definition/parse-json.ts'

describe('a number', () => {
  test.each([
    ['9007199254740993', '9007199254740993'],
    ['-12345678901234567890', '-12345678901234567890'],
    ['123456789012345678.5', '123456789012345678.5'],
    ['1.2345678901234567890e3', '1.2345678901234567890e3'],
  ])('that would be rounded becomes its digits: %s', (text, digits) => {
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [digits] })
  })

  test.each([
    ['9007199254740992', 9007199254740992],
    ['0.10000000000000001', 0.1],
    ['0.30000000000000004', 0.30000000000000004],
    ['1.0000000000000001e-7', 1.0000000000000001e-7],
    ['1000000000000000000000', 1e21],
    ['0.100000000000000000000', 0.1],
    ['-0.0000000000000000', -0],
  ])('that is not stays a number: %s', (text, value) => {
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] })
  })

  test('in a string is left as it is', () => {
    expect(parseJson('{"a":"12345678901234567890"}')).toEqual({ a: '12345678901234567890' })
  })
})

test('a reviver sees every other value', () => {
  const reviveA = (name: string, value: unknown) => (name === 'a' ? 'revived' : value)
  expect(parseJson('{"a":1,"b":12345678901234567890}', reviveA)).toEqual({
    a: 'revived',
    b: '12345678901234567890',
  })
})
