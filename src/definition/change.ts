/** The change log's topics that are not a resource's (interface 6). */
export type EventTopic =
  | 'connection/created'
  | 'connection/deleted'
  | 'connection/authentication_failure'
  | 'sync/started'
  | 'sync/completed'
  | 'sync/failed'
