/** The webhook message of a change. */
import { hash } from 'node:crypto'
import { encodeChangeCursor } from '../query/change-cursor.ts'
import { type Selection, selectFrom } from '../query/selection.ts'
import type { Change } from '../store/changes/changes.ts'

/** A message on its way to one endpoint. */
export interface Message {
  readonly id: string
  readonly topic: string
  /** The change's cursor; null: a test message. */
  readonly change: string | null
  readonly recordId: string | null
  /** JSON text. */
  readonly body: string
  /** Number of failed attempts. */
  readonly attempts: number
  /** The trace of the change; null: none. */
  readonly traceparent: string | null
}

/** The parts of a message that are not in the change. */
export interface MessageFacts {
  readonly subscriptionId: string
  /** development | production */
  readonly environment: string
  /** The end user; null if the credential is deleted. */
  readonly userId: string | null
  readonly selection: Selection | undefined
}

/** The id of a message. It is a hash, so that every process and every attempt uses the same id. */
const messageId = (subscriptionId: string, cursor: string): string =>
  `msg_${hash('sha256', `${subscriptionId}/${cursor}`, 'base64url').slice(0, 32)}`

/**
 * Builds the message of a change. `type` and `timestamp` are the topic and time of the change, as Standard
 * Webhooks recommends. The record is inserted as the text in the change log, so that numbers keep their digits.
 */
export const messageOf = (change: Change, facts: MessageFacts): Message => {
  const { subscriptionId, environment, userId, selection } = facts
  const { topic, kind, recordId, credentialId, changedFields, at, record, traceparent } = change
  const cursor = encodeChangeCursor(change.position)
  const text = record ?? 'null'
  const selected = selection && record !== null ? selectFrom(record, selection) : text
  const envelope = JSON.stringify({
    type: topic,
    timestamp: at.toISOString(),
    data: { kind, environment, userId, credentialId, recordId, changedFields, cursor },
  })
  return {
    id: messageId(subscriptionId, cursor),
    topic,
    change: cursor,
    recordId,
    attempts: 0,
    traceparent,
    body: `${envelope.slice(0, -2)},"record":${selected}}}`,
  }
}
