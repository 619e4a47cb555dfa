/** Topics of the change log that do not belong to a resource: connections, syncs and webhooks. */
export const eventTopics = [
  'connection/created',
  'connection/deleted',
  'connection/authentication_failure',
  'sync/started',
  'sync/completed',
  'sync/failed',
  // A webhook subscription was disabled: its endpoint returned 410, or failed for days.
  'webhook/disabled',
] as const

/** Subscribes to every topic, including those of later versions. */
export const ALL_TOPICS = '*'

export type EventTopic = (typeof eventTopics)[number]
