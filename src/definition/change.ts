/** The change log's vocabulary. */

export type ChangeKind = 'created' | 'updated' | 'deleted'

/** Topics that are not a resource's (interface 6). */
export const eventTopics = [
  'connection/created',
  'connection/deleted',
  'connection/authentication_failure',
  'sync/started',
  'sync/completed',
  'sync/failed',
] as const

export type EventTopic = (typeof eventTopics)[number]
