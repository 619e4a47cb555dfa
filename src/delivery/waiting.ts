/** The order of messages for endpoints that receive the messages of a record one at a time. */
import type { Change } from '../store/changes/changes.ts'
import type { NextStep } from './stream.ts'

/** A message that waits for a retry, and its record. */
export interface WaitingMessage {
  readonly messageId: string
  readonly recordId: string | null
}

/** @param messages the messages that already wait for a retry */
export const createRecordOrder = (isOrdered: boolean, messages: readonly WaitingMessage[]) => {
  const waiting = new Map<string, Set<string>>()
  const busy = new Set<string>()
  const add = ({ messageId, recordId }: WaitingMessage): void => {
    if (!isOrdered || recordId === null) return
    waiting.set(recordId, (waiting.get(recordId) ?? new Set()).add(messageId))
  }
  for (const message of messages) add(message)
  return {
    add,
    remove: ({ messageId, recordId }: WaitingMessage): void => {
      if (recordId === null) return
      const others = waiting.get(recordId)
      others?.delete(messageId)
      if (others?.size === 0) waiting.delete(recordId)
    },
    /** Records that a message of the record is in flight. */
    begin: (recordId: string | null): void => {
      if (isOrdered && recordId !== null) busy.add(recordId)
    },
    end: (recordId: string | null): void => {
      if (recordId !== null) busy.delete(recordId)
    },
    isBusy: (recordId: string | null): boolean => recordId !== null && busy.has(recordId),
    turnOf: ({ recordId }: Change): NextStep => {
      if (!isOrdered || recordId === null) return 'send'
      // It queues behind a failed message of the record.
      if (waiting.has(recordId)) return 'divert'
      return busy.has(recordId) ? 'wait' : 'send'
    },
  }
}
