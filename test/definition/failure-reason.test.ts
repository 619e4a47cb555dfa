/** Reasons of failed connections in words. */
import { expect, test } from 'vitest'
import { describeFailureReason } from '../../src/definition/failure-reason.ts'

test.each([
  [
    'ECONNREFUSED 203.0.113.7:443',
    'nothing answers at 203.0.113.7:443: connection refused (ECONNREFUSED)',
  ],
  ['ECONNREFUSED', "nothing answers at the app's address: connection refused (ECONNREFUSED)"],
  [
    'ENOTFOUND shop.example; requests are paused for some seconds',
    'no server has the name of shop.example: host not found (ENOTFOUND); requests are paused for some seconds',
  ],
  ['it answered 503', 'it answered 503'],
  ['toString is not a code', 'toString is not a code'],
])('describes %s in words', (reason, words) => {
  expect(describeFailureReason(reason)).toBe(words)
})

test('the address that the end user knows replaces the one in the reason', () => {
  expect(describeFailureReason('ECONNREFUSED 127.0.0.1:4999', 'http://localhost:4999')).toBe(
    'nothing answers at http://localhost:4999: connection refused (ECONNREFUSED)',
  )
})
