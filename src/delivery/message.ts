/** What is sent of a change. */
import { hash } from 'node:crypto'
import { encodeChangeCursor } from '../query/change-cursor.ts'
import { type Selection, selectFrom } from '../query/selection.ts'
import type { Change } from '../store/changes.ts'

/** A message on its way to one endpoint. */
export interface Message {
  readonly id: string
  readonly topic: string
  /** The change's cursor; null: a test. */
  readonly change: string | null
  readonly recordId: string | null
  /** JSON text. */
  readonly body: string
  /** Those that have failed. */
  readonly attempts: number
}

/** What a change does not say of itself. */
export interface MessageFacts {
  readonly subscriptionId: string
  /** development | production */
  readonly environment: string
  /** The end user; null if the credential is gone. */
  readonly userId: string | null
  readonly selection: Selection | undefined
}

/** Computed, not drawn: whichever process sends a change, and however often, its message has one id. */
const messageId = (subscriptionId: string, cursor: string): string =>
  `msg_${hash('sha256', `${subscriptionId}/${cursor}`, 'base64url').slice(0, 32)}`

/**
 * The message of a change. Its `type` and `timestamp` are the change's, as Standard Webhooks recommends;
 * the record stands in it as the change log has it, digit for digit.
 */
export const messageOf = (change: Change, facts: MessageFacts): Message => {
  const { subscriptionId, environment, userId, selection } = facts
  const { topic, kind, recordId, credentialId, changedFields, at, record } = change
  const cursor = encodeChangeCursor(change.position)
  const text = record ?? 'null'
  const shown = selection && record !== null ? selectFrom(record, selection) : text
  const told = JSON.stringify({
    type: topic,
    timestamp: at.toISOString(),
    data: { kind, environment, userId, credentialId, recordId, changedFields, cursor },
  })
  return {
    ...{ id: messageId(subscriptionId, cursor), topic, change: cursor, recordId, attempts: 0 },
    body: `${told.slice(0, -2)},"record":${shown}}}`,
  }
}
