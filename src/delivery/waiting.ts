/** Whose turn it is, where the messages of one record are sent one after the other. */
import type { Change } from '../store/changes.ts'
import type { Turn } from './stream.ts'

/** A message that waits for another attempt, and the record that it is of. */
export interface WaitingMessage {
  readonly messageId: string
  readonly recordId: string | null
}

/** @param messages those that wait already */
export const createWaiting = (isOrdered: boolean, messages: readonly WaitingMessage[]) => {
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
    /** Notes that a message of the record is under way. */
    begin: (recordId: string | null): void => {
      if (isOrdered && recordId !== null) busy.add(recordId)
    },
    end: (recordId: string | null): void => {
      if (recordId !== null) busy.delete(recordId)
    },
    isBusy: (recordId: string | null): boolean => recordId !== null && busy.has(recordId),
    turnOf: ({ recordId }: Change): Turn => {
      if (!isOrdered || recordId === null) return 'send'
      // Behind a message that failed, in the order of the log.
      if (waiting.has(recordId)) return 'divert'
      return busy.has(recordId) ? 'wait' : 'send'
    },
  }
}
