/** A stretch of the change log on its way to one endpoint: read ahead, sent out of order, saved in order. */
import type { ChangePosition } from '../query/change-cursor.ts'
import { type Change, isBefore } from '../store/changes.ts'

/** A change, with what the log does not say of it. */
export interface ToldChange {
  readonly change: Change
  readonly userId: string | null
}

export interface Entry {
  state: 'queued' | 'sending' | 'settled'
  /** Without its record once it is settled. */
  change: Change
  readonly userId: string | null
}

/** A part of the log, as it was read from `after` on. */
export interface ToldPage {
  readonly after: ChangePosition
  readonly changes: readonly ToldChange[]
  /** Where to read on. */
  readonly next: ChangePosition
  readonly hasMore: boolean
}

/** Whether a change may be sent now: `wait`: not yet · `divert`: it joins the messages that wait for another attempt. */
export type Turn = 'send' | 'wait' | 'divert'

export interface StreamOptions {
  readonly position: ChangePosition
  /** The end of a replay, and not a place after it is read; undefined: there is no end. */
  readonly before?: ChangePosition
  readonly isWanted: (change: Change) => boolean
  /** So many changes may be sent beyond the position that is saved: that many are sent again after a SIGKILL. */
  readonly window: number
}

/** What can be saved of a stream. */
export interface Progress {
  /** Everything before it has been dealt with. */
  readonly position: ChangePosition
  /** Changes since the progress that was saved last. */
  readonly count: number
}

/** With fewer changes at hand than this, it is time to read on: a page is read while another is sent. */
const READ_AHEAD = 512
/** Of the records' texts that wait to be sent, in UTF-16 units: with half of it, it is time to read on too. */
export const MAX_QUEUED_LENGTH = 524_288
const MAX_PAGE_SIZE = 1000
// Where nothing is at hand, what there is to send is not held up by the rest of a long page.
const FIRST_PAGE_SIZE = 100
/** Of a change's text, until the first page is there. */
const USUAL_LENGTH = 2048

const lengthOf = ({ record }: Change): number => record?.length ?? 0

export type Stream = ReturnType<typeof createStream>

export const createStream = ({ position, before, isWanted, window }: StreamOptions) => {
  let entries: Entry[] = []
  /** Everything before it is queued, sent or not wanted. */
  let readTo = position
  let settledTo = position
  let isRead = false
  /** Whether there is more in the log for it. */
  let isBehind = false
  /** Those that have left the queue since the position that is saved. */
  let unsaved = 0
  /** Of them, those that are forgotten already. */
  let forgotten = 0
  /** No entry before this place is queued. */
  let firstQueued = 0
  /** Of the records' texts that are queued. */
  let length = 0
  /** Of a change's text, in the page that was read last. */
  let meanLength = USUAL_LENGTH

  const isHungry = (): boolean =>
    !isRead && entries.length < READ_AHEAD && length < MAX_QUEUED_LENGTH / 2

  return {
    before,
    get readTo() {
      return readTo
    },
    /** Whether it can take more. */
    get isHungry() {
      return isHungry()
    },
    /** Whether it can take more, and there is more. */
    get isStarved() {
      return isBehind && isHungry()
    },
    /** How many changes it has room for, as long as they were before: what it cannot take is read again. */
    get pageSize() {
      const room = Math.ceil((MAX_QUEUED_LENGTH - length) / Math.max(1, meanLength))
      return Math.min(Math.max(1, room), entries.length === 0 ? FIRST_PAGE_SIZE : MAX_PAGE_SIZE)
    },
    /** The log was read, and it could not take more. */
    skip: (): void => {
      isBehind = true
    },
    /** Whether all of it was dealt with. */
    get isOver() {
      return isRead && entries.length === 0
    },
    /** Whether nothing more is sent until progress is saved, and there is some to be saved. */
    get isHeldUp() {
      return unsaved >= window && (entries.length === 0 || entries[0]?.state === 'settled')
    },
    /** Takes of a page what it has room for, and one change at least; nothing if it was put back meanwhile. */
    add: ({ after, changes, next, hasMore }: ToldPage): void => {
      if (isBefore(readTo, after)) return
      let total = 0
      for (const { change } of changes) total += lengthOf(change)
      if (changes.length > 0) meanLength = total / changes.length
      for (const { change, userId } of changes) {
        if (length >= MAX_QUEUED_LENGTH) {
          isBehind = true
          return
        }
        readTo = change.position
        if (!isWanted(change)) continue
        entries.push({ state: 'queued', change, userId })
        length += lengthOf(change)
      }
      readTo = next
      isBehind = hasMore
      isRead = before !== undefined && !isBefore(next, before)
    },
    /** Leaves in the log what is queued behind the last change that has left the queue: it is read again. */
    forget: (): void => {
      const count = entries.findLastIndex(({ state }) => state !== 'queued') + 1
      if (count === entries.length) return
      for (const { change } of entries.slice(count)) length -= lengthOf(change)
      readTo = entries[count - 1]?.change.position ?? settledTo
      entries = entries.slice(0, count)
      firstQueued = Math.min(firstQueued, count)
      isBehind = true
      isRead = false
    },
    /** The oldest change whose turn it is; it has left the queue then. */
    take: (turnOf: (change: Change) => Turn): { entry: Entry; turn: Turn } | undefined => {
      if (unsaved >= window) return
      while (entries[firstQueued] && entries[firstQueued]?.state !== 'queued') firstQueued++
      for (let place = firstQueued; place < entries.length; place++) {
        const entry = entries[place]
        if (entry?.state !== 'queued') continue
        const turn = turnOf(entry.change)
        if (turn === 'wait') continue
        entry.state = 'sending'
        length -= lengthOf(entry.change)
        unsaved++
        return { entry, turn }
      }
      return
    },
    /** Puts a change back that was not sent after all. */
    putBack: (entry: Entry): void => {
      entry.state = 'queued'
      length += lengthOf(entry.change)
      unsaved--
      firstQueued = 0
    },
    /** It is dealt with: what remains to be known of it is its place. */
    settle: (entry: Entry): void => {
      entry.state = 'settled'
      entry.change = { ...entry.change, record: null }
    },
    /** Forgets what was dealt with from the front on. */
    takeProgress: (): Progress => {
      const open = entries.findIndex(({ state }) => state !== 'settled')
      const count = open === -1 ? entries.length : open
      const last = entries[count - 1]
      settledTo = open === -1 ? readTo : (last?.change.position ?? settledTo)
      entries = entries.slice(count)
      firstQueued = Math.max(0, firstQueued - count)
      forgotten += count
      return { position: settledTo, count: forgotten }
    },
    saved: ({ count }: Progress): void => {
      unsaved -= count
      forgotten -= count
    },
  }
}
