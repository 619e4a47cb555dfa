/** A result is resolved once for identical subscriptions, and the cache of results is bounded. */
import { expect, test } from 'vitest'
import { createSharedResults } from '../../src/api/graphql/shared-results.ts'
import type { Change } from '../../src/store/changes/changes.ts'

const changeOf = (sequence: bigint): Change => ({
  position: { epoch: 0n, xid: 1n, sequence },
  environmentId: 'aaaaaaaa-0000-4000-8000-000000000001',
  credentialId: null,
  topic: 'crm/accounts',
  kind: 'updated',
  recordId: null,
  changedFields: [],
  record: null,
  at: new Date(0),
  cause: null,
  traceparent: null,
})

test('evicts the oldest results when the cache is full, and resolves them again on demand', async () => {
  const responses = createSharedResults()
  let resolutions = 0
  // Two results fit into 16 MiB, three do not.
  const text = 'x'.repeat(6_000_000)
  const resolve = async (change: Change, selection = '{ id }'): Promise<number> => {
    const before = resolutions
    await responses.of({ change, inFilter: true }, selection, async () => {
      resolutions++
      return { data: { resolutions, text } }
    })
    return resolutions - before
  }
  const [first, second, third] = [1n, 2n, 3n].map(changeOf) as [Change, Change, Change]
  expect([await resolve(first), await resolve(second), await resolve(second)]).toEqual([1, 1, 0])
  expect(await resolve(third)).toBe(1)
  // Two results fit. The first is resolved again and replaces the second.
  expect([await resolve(third), await resolve(first), await resolve(first)]).toEqual([0, 1, 0])
  expect([await resolve(third), await resolve(second)]).toEqual([0, 1])
  // One change with many different selections takes no more memory.
  expect(await resolve(second, '{ again: id }')).toBe(1)
  expect(await resolve(third)).toBe(1)
})
