/**
 * Identities of records: UUIDs of version 8 (RFC 9562, section 5.8) that are computed, not drawn, so a
 * reference is known before the record it points to has arrived and a re-sync gives the same ids.
 *
 *   cccccccc-rrrr-8hhh-vhhh-hhhhhhhhhhhh
 *   c: first group of the credential's id   r: tag of the resource   h: 74 bits of SHA-256
 *
 * The id names its own table and credential: `node(id)` is one lookup by primary key, and the keys of
 * one credential and resource stand together in the index.
 */
import { hash } from 'node:crypto'

/** The 4 hex digits that stand for a resource in its records' ids. */
export const resourceTag = (topic: string): string => hash('sha256', topic, 'hex').slice(0, 4)

/** The 8 hex digits of a credential that open the ids of its records; unique among credentials. */
export const credentialRoute = (credentialId: string): string => credentialId.slice(0, 8)

const tags = new Map<string, string>()

const tagOf = (target: string): string => {
  let tag = tags.get(target)
  if (tag === undefined) {
    tag = resourceTag(target)
    tags.set(target, tag)
  }
  return tag
}

/** The id of the record that the app calls `remoteId`. `target` is a topic, or `topic.field` for a nested record. */
export const recordId = (credentialId: string, target: string, remoteId: string): string => {
  const digest = hash('sha256', `${credentialId}\n${target}\n${remoteId}`, 'hex')
  const variant = ((Number.parseInt(digest.charAt(3), 16) & 0x3) | 0x8).toString(16)
  return `${credentialRoute(credentialId)}-${tagOf(target)}-8${digest.slice(0, 3)}-${variant}${digest.slice(4, 7)}-${digest.slice(7, 19)}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/

/** Whether a text is a UUID in lower case, as all of ours are written. */
export const isUuid = (value: string): boolean => UUID.test(value)

/** Where a record's id says that it belongs, or undefined if it is not an id of ours. */
export const routeOf = (id: string): { route: string; tag: string } | undefined =>
  isUuid(id) && id.charAt(14) === '8' ? { route: id.slice(0, 8), tag: id.slice(9, 13) } : undefined

/** The id meant by a caller who may give the service's id or the app's own. */
export const resolveId = (credentialId: string, target: string, given: string): string => {
  const lower = given.toLowerCase()
  const place = routeOf(lower)
  return place?.route === credentialRoute(credentialId) && place.tag === tagOf(target)
    ? lower
    : recordId(credentialId, target, given)
}

/** The id in a reference: bare, or in the object that stands for it. */
export const referencedId = (value: unknown): string | undefined =>
  typeof value === 'string'
    ? value
    : typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'
      ? value.id
      : undefined
