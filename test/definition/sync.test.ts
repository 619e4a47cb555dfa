/** The definition of syncs: which combinations are rejected. */
import { expect, it } from 'vitest'
import { checkSync, type SyncDefinition } from '../../src/definition/sync.ts'

const byTime = { by: 'time', overlapMs: 1000 } as const
const remoteCount = { request: { method: 'GET', path: '/count' }, read: () => 0 } as const

it.each<[string, SyncDefinition]>([
  ['by time', { changes: byTime, deletions: 'reported' }],
  [
    'by time, with a full listing now and then',
    { changes: byTime, deletions: 'reported', fullListingEveryMs: 0 },
  ],
  ['by token', { changes: { by: 'token' }, deletions: 'reported' }],
  ['by full listings', { changes: { by: 'full-listing' }, deletions: 'compared' }],
  ['with a count', { changes: byTime, deletions: 'compared', fullListingEveryMs: 1, remoteCount }],
])('a resource is synchronized %s', (_case, sync) => {
  expect(() => checkSync('crm/accounts', sync)).not.toThrow()
})

it.each<[SyncDefinition, string]>([
  [{ changes: { by: 'time', overlapMs: -1 }, deletions: 'reported' }, 'overlapMs'],
  [
    { changes: byTime, deletions: 'reported', fullListingEveryMs: Number.NaN },
    'fullListingEveryMs',
  ],
  [{ changes: byTime, deletions: 'compared' }, 'fullListingEveryMs is required'],
  [{ changes: { by: 'full-listing' }, deletions: 'compared', fullListingEveryMs: 1 }, 'leave out'],
  [{ changes: byTime, deletions: 'reported', remoteCount }, 'must be "compared"'],
])('a contradiction is rejected: %j', (sync, problem) => {
  expect(() => checkSync('crm/accounts', sync)).toThrow(problem)
})
