/** The definition of feeds: which resources they cover, and which definitions are rejected. */
import { describe, expect, it } from 'vitest'
import {
  type ChangeFeed,
  type ChangeFeeds,
  checkFeeds,
  feedAt,
  feedKeyOf,
  isFeedKey,
  syncKeysOf,
} from '../../src/definition/feed.ts'
import { checkSync } from '../../src/definition/sync.ts'

const feedOf = (...topics: string[]): ChangeFeed => ({
  topics,
  request: () => ({ method: 'GET', path: '/' }),
  read: () => ({ changes: [], next: undefined, token: 1 }),
})

const feeds = { events: feedOf('crm/accounts', 'crm/leads'), deleted: feedOf('crm/notes') }
const resources = { 'crm/accounts': {}, 'crm/leads': {}, 'crm/notes': {}, 'crm/users': {} }

describe('the feeds of a connector', () => {
  it('report the changes of resources', () => {
    expect(() => checkFeeds('fake', feeds, Object.keys(resources))).not.toThrow()
    expect(feedKeyOf(feeds, 'crm/notes')).toBe('feeds/deleted')
    expect(feedKeyOf(feeds, 'crm/users')).toBeUndefined()
    expect(feedAt(feeds, 'feeds/events')).toBe(feeds.events)
    expect(feedAt(undefined, 'feeds/events')).toBeUndefined()
  })

  it('are syncs of a credential beside its resources', () => {
    const keys = syncKeysOf({ feeds, resources })
    expect(keys).toEqual(['feeds/events', 'feeds/deleted', ...Object.keys(resources)])
    expect(keys.filter(isFeedKey)).toEqual(['feeds/events', 'feeds/deleted'])
    expect(syncKeysOf({ resources })).toEqual(Object.keys(resources))
  })

  it.each<[ChangeFeeds, string]>([
    [{ Events: feedOf('crm/notes') }, 'its name must consist of'],
    [{ events: feedOf() }, 'it has no topics'],
    [{ events: feedOf('crm/widgets') }, 'the connector has no resource crm/widgets'],
    [{ events: feedOf('crm/notes', 'crm/notes') }, 'crm/notes belongs to a feed already'],
    [
      { events: feedOf('crm/notes'), deleted: feedOf('crm/notes') },
      'crm/notes belongs to a feed already',
    ],
  ])('are rejected: %o', (wrong, problem) => {
    expect(() => checkFeeds('fake', wrong, Object.keys(resources))).toThrow(problem)
  })
})

it('a resource without listings of changes has an interval of full listings only if a feed reports its changes', () => {
  const sync = {
    changes: { by: 'full-listing' },
    deletions: 'compared',
    fullListingEveryMs: 1,
  } as const
  expect(() => checkSync('crm/notes', sync, true)).not.toThrow()
  expect(() => checkSync('crm/notes', sync)).toThrow('leave out')
  const { fullListingEveryMs: _, ...never } = sync
  expect(() => checkSync('crm/notes', never, true)).toThrow('fullListingEveryMs is required')
})
