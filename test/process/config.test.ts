import { expect, test } from 'vitest'
import { readConfig } from '../../src/process/config.ts'

test('an empty variable is as good as none', () => {
  const names = ['PORT', 'HOST', 'DATABASE_URL', 'SANDBOX', 'RATE_LIMIT_PER_MINUTE', 'TRUST_PROXY']
  const empty = Object.fromEntries([...names, 'NODE_ENV'].map((name) => [name, '']))
  expect(readConfig(empty)).toEqual(readConfig({}))
})

test.each([
  ['PORT', '0x10', 'expected a whole number from 0 to 65535'],
  ['PORT', '4e3', 'expected a whole number from 0 to 65535'],
  ['PORT', '65536', 'expected a whole number from 0 to 65535'],
  ['RATE_LIMIT_PER_MINUTE', '-1', 'expected a whole number from 0 to 100000000'],
  ['CHANGE_RETENTION_DAYS', '1.5', 'expected a whole number from 1 to 3650'],
  ['NODE_ENV', 'prod', '"development"|"production"|"test"'],
  ['SANDBOX', 'yes', '"true"|"false"'],
])('%s=%s is refused by name', (name, value, expected) => {
  expect(() => readConfig({ [name]: value })).toThrow(`${name}: `)
  expect(() => readConfig({ [name]: value })).toThrow(expected)
})
