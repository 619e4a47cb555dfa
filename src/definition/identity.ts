/**
 * Record ids: UUIDs of version 8 (RFC 9562, section 5.8). They are computed, not random, so a reference can
 * be stored before its target is synced, and a re-sync produces the same ids.
 *
 *   cccccccc-rrrr-8hhh-vhhh-hhhhhhhhhhhh
 *   c: first group of the credential's id   r: tag of the resource   h: 74 bits of SHA-256
 *
 * The id contains its table and credential: `node(id)` is one lookup by primary key, and the keys of one
 * credential and resource are adjacent in the index.
 */
import { hash } from 'node:crypto'

/** The first 8 hex digits of the ids of a credential's records; unique among credentials. */
export const credentialRoute = (credentialId: string): string => credentialId.slice(0, 8)

const tags = new Map<string, string>()

/** The 4 hex digits that identify a resource in record ids. `topic`: also `topic.field`, for a nested record. */
export const resourceTag = (topic: string): string => {
  let tag = tags.get(topic)
  if (tag === undefined) {
    tag = hash('sha256', topic, 'hex').slice(0, 4)
    tags.set(topic, tag)
  }
  return tag
}

/** The UUID of a name: the same for the same name. */
export const namedUuid = (name: string): string => {
  const digest = hash('sha256', name, 'hex')
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-8${digest.slice(12, 15)}-a${digest.slice(15, 18)}-${digest.slice(18, 30)}`
}

/**
 * The id of the record with the app's id `remoteId`. `target` is a topic, or `topic.field` for a nested
 * record.
 */
export const recordId = (credentialId: string, target: string, remoteId: string): string => {
  const digest = hash('sha256', `${credentialId}\n${target}\n${remoteId}`, 'hex')
  const variant = ((Number.parseInt(digest.charAt(3), 16) & 0x3) | 0x8).toString(16)
  return `${credentialRoute(credentialId)}-${resourceTag(target)}-8${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a string is a UUID in lower case, the form of all ids of the service. */
export const isUuid = (value: string): boolean => UUID.test(value)

/** The credential and resource that a record id contains; undefined if it is not an id of the service. */
export const routeOf = (id: string): { route: string; tag: string } | undefined =>
  isUuid(id) && id.charAt(14) === '8' ? { route: id.slice(0, 8), tag: id.slice(9, 13) } : undefined

/** The service's id of a record, from either the service's id or the app's. */
export const resolveId = (credentialId: string, target: string, id: string): string => {
  const lower = id.toLowerCase()
  const place = routeOf(lower)
  return place?.route === credentialRoute(credentialId) && place.tag === resourceTag(target)
    ? lower
    : recordId(credentialId, target, id)
}

/** The id in the value of a reference: a bare id, or the `id` of an embedded record. */
export const referencedId = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
      ? value.id
      : undefined
