/**
 * How an app reports the changes of several resources in one listing: a list of events, the changes since a time, or
 * the deleted records. A feed replaces the listings of changes of its resources while it works. The first listing and
 * the full listings of each resource remain.
 */
import type { Json } from './json.ts'
import type { AppRequest, AppResponse } from './steps.ts'

/** The position of a feed. It is stored between pages and survives a restart. */
export interface FeedPosition {
  /**
   * Only changes since the page that returned this token; undefined: the feed starts, and only the token of its last
   * page is needed.
   */
  readonly token: Json | undefined
  /** The cursor of the page; undefined: the first page. */
  readonly cursor: Json | undefined
  /** The context of the account; absent if the connector declares none. */
  readonly context?: unknown
}

/** A record that a feed reports as changed or deleted. */
export interface FeedChange {
  /** The topic of its resource. Changes of topics that the feed does not declare are ignored. */
  readonly topic: string
  readonly remoteId: string
  /** `changed`: created, updated or restored. */
  readonly kind: 'changed' | 'deleted'
  /**
   * The record in the form of a listing. If it is absent, the engine reads it by its id, with `readMany` or `write.get`.
   * Leave it out if it may be outdated and has no time of its last change.
   */
  readonly record?: unknown
}

/** One page of a feed. */
export interface FeedPage {
  /** The changes, oldest first: the last change of a record counts. */
  readonly changes: readonly FeedChange[]
  /** The cursor of the next page; undefined after the last page. */
  readonly next: Json | undefined
  /** The token for the start of the next poll; required on the last page. */
  readonly token?: Json
  /** The topics that have more changes than the page shows. The engine then lists the changes of their resources. */
  readonly incomplete?: readonly string[]
}

/** A listing of the changes of several resources. */
export interface ChangeFeed {
  /** The resources that the feed covers: it reports every change, and deletions if their `sync` declares them as reported. */
  readonly topics: readonly string[]
  /** The request for one page. */
  request(position: FeedPosition): AppRequest
  /**
   * Reads the response to that request. If the app no longer accepts the token or the cursor, `readFailure` returns
   * `expired`: the feed starts again, and its resources are listed in full.
   * @throws Error if the response has an unexpected form
   */
  read(response: AppResponse, position: FeedPosition): FeedPage
}

/** The feeds of an app, by name. A name is stored, so it stays the same in later versions. */
export type ChangeFeeds = Readonly<Record<string, ChangeFeed>>

const PREFIX = 'feeds/'
const NAME = /^[a-z][a-z0-9-]{0,39}$/

/** The key of a feed among the syncs of a credential. No topic of a resource has this form. */
export const feedKey = (name: string): string => `${PREFIX}${name}`

/** Whether a sync is that of a feed. */
export const isFeedKey = (key: string): boolean => key.startsWith(PREFIX)

/** The feed with this key; undefined: there is none. */
export const feedAt = (feeds: ChangeFeeds | undefined, key: string): ChangeFeed | undefined =>
  feeds?.[key.slice(PREFIX.length)]

/** The key of the feed that reports the changes of a resource; undefined: none does. */
export const feedKeyOf = (feeds: ChangeFeeds | undefined, topic: string): string | undefined => {
  const found = Object.entries(feeds ?? {}).find(([, { topics }]) => topics.includes(topic))
  return found && feedKey(found[0])
}

/** The keys of the syncs of a credential: its feeds, and the topics of its resources. */
export const syncKeysOf = ({
  feeds = {},
  resources,
}: {
  readonly feeds?: ChangeFeeds
  readonly resources: Readonly<Record<string, unknown>>
}): readonly string[] => [...Object.keys(feeds).map(feedKey), ...Object.keys(resources)]

const problemOf = (
  name: string,
  { topics }: ChangeFeed,
  known: readonly string[],
): string | undefined => {
  const unknown = topics.find((topic) => !known.includes(topic))
  if (!NAME.test(name)) return 'its name must consist of lower-case letters, digits and hyphens'
  if (topics.length === 0) return 'it has no topics'
  if (unknown !== undefined) return `the connector has no resource ${unknown}`
  return
}

/** Checks the feeds of a connector. @throws TypeError that names the feed and the app */
export const checkFeeds = (app: string, feeds: ChangeFeeds, known: readonly string[]): void => {
  for (const [name, feed] of Object.entries(feeds)) {
    const twice = feed.topics.find(
      (topic, index) =>
        feedKeyOf(feeds, topic) !== feedKey(name) || feed.topics.indexOf(topic) !== index,
    )
    const problem = problemOf(name, feed, known) ?? (twice && `${twice} belongs to a feed already`)
    if (problem !== undefined) throw new TypeError(`The feed ${name} of ${app}: ${problem}.`)
  }
}
