/** The change log's topics that are not a resource's: those of connections and synchronisations, and one of webhooks. */
export const eventTopics = [
  'connection/created',
  'connection/deleted',
  'connection/authentication_failure',
  'sync/started',
  'sync/completed',
  'sync/failed',
  // A webhook subscription was switched off: its endpoint answered 410, or has failed for days.
  'webhook/disabled',
] as const

export type EventTopic = (typeof eventTopics)[number]
