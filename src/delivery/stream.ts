/** A range of the change log for one endpoint: read ahead, sent out of order, saved in order. */
import { type ChangePosition, encodeChangeCursor } from '../query/change-cursor.ts'
import { type Change, isBefore } from '../store/changes/changes.ts'

/** A change with the end user of its credential, which the log does not contain. */
export interface ChangeWithUser {
  readonly change: Change
  readonly userId: string | null
}

export interface Entry {
  state: 'queued' | 'sending' | 'settled'
  /** The change; without its record once it is settled. */
  change: Change
  readonly userId: string | null
}

/** A page of the log, read after `after`. */
export interface StreamPage {
  readonly after: ChangePosition
  readonly changes: readonly ChangeWithUser[]
  /** The position after which the next page starts. */
  readonly next: ChangePosition
  readonly hasMore: boolean
}

/** The next step of a change: `send` it now, `wait`, or `divert` it to the messages that wait for a retry. */
export type NextStep = 'send' | 'wait' | 'divert'

export interface StreamOptions {
  readonly position: ChangePosition
  /** Cursors of the changes after `position` that were settled before; they are not sent again. */
  readonly ahead: readonly string[]
  /** The exclusive end of a replay; undefined: no end. */
  readonly before?: ChangePosition
  readonly isWanted: (change: Change) => boolean
}

/** The progress of a stream, to be saved. */
export interface StreamProgress {
  /** Every change before it is settled. */
  readonly position: ChangePosition
  /** Cursors of the changes after `position` that are settled too. */
  readonly ahead: readonly string[]
  /** Number of changes since the last saved progress. */
  readonly count: number
}

/** With fewer changes than this, the next page is read: a page is read while another is sent. */
const READ_AHEAD = 512
/** Maximum length of the queued records, in UTF-16 units. Below half of it, the next page is read. */
export const MAX_QUEUED_LENGTH = 524_288
const MAX_PAGE_SIZE = 1000
// An empty stream reads a short page, so that its first message is sent soon.
const FIRST_PAGE_SIZE = 100
/** Changes that may be sent ahead of the saved position, while a slow message holds that position. */
const MAX_AHEAD = 512
/** Assumed length of a change's text before the first page is read. */
const USUAL_LENGTH = 2048

const lengthOf = ({ record }: Change): number => record?.length ?? 0
const withoutRecord = (change: Change): Change => ({ ...change, record: null })

export type Stream = ReturnType<typeof createStream>

export const createStream = ({ position, ahead, before, isWanted }: StreamOptions) => {
  let entries: Entry[] = []
  const settledBefore = new Set(ahead)
  /** Every change before it is queued, sent or not wanted. */
  let readTo = position
  let settledTo = position
  let isRead = false
  /** Whether the log has more changes for it. */
  let isBehind = false
  /** Changes that have left the queue since the saved position. */
  let unsaved = 0
  /** Of `unsaved`, the changes that are no longer in `entries`. */
  let forgotten = 0
  /** No entry before this index is queued. */
  let firstQueued = 0
  /** Length of the queued records' texts. */
  let length = 0
  /** Mean length of a change's text in the last page. */
  let meanLength = USUAL_LENGTH

  const hasRoom = (): boolean =>
    !isRead && entries.length < READ_AHEAD && length < MAX_QUEUED_LENGTH / 2

  return {
    before,
    get readTo() {
      return readTo
    },
    /** Whether it has room for more changes. */
    get hasRoom() {
      return hasRoom()
    },
    /** Whether it has room for more changes and the log has more. */
    get needsPage() {
      return isBehind && hasRoom()
    },
    /** Estimate of the number of changes it has room for, by the mean length of the last page. */
    get pageSize() {
      const room = Math.ceil((MAX_QUEUED_LENGTH - length) / Math.max(1, meanLength))
      return Math.min(Math.max(1, room), entries.length === 0 ? FIRST_PAGE_SIZE : MAX_PAGE_SIZE)
    },
    /** Records that a page was read without this stream: the stream is behind now. */
    skip: (): void => {
      isBehind = true
    },
    /** Whether a replay is complete. */
    get isOver() {
      return isRead && entries.length === 0
    },
    /** Whether sending waits until progress is saved. */
    get isBlocked() {
      return unsaved >= MAX_AHEAD && (entries.length === 0 || entries[0]?.state === 'settled')
    },
    /** Queues at least one change of a page, up to the limit. Ignores a page read before a `dropQueued`. */
    add: ({ after, changes, next, hasMore }: StreamPage): void => {
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
        if (settledBefore.size > 0 && settledBefore.has(encodeChangeCursor(change.position))) {
          entries.push({ state: 'settled', change: withoutRecord(change), userId })
          unsaved++
          continue
        }
        entries.push({ state: 'queued', change, userId })
        length += lengthOf(change)
      }
      readTo = next
      isBehind = hasMore
      isRead = before !== undefined && !isBefore(next, before)
    },
    /** Drops the changes that are queued after the last sent one; they are read from the log again. */
    dropQueued: (): void => {
      const count = entries.findLastIndex(({ state }) => state !== 'queued') + 1
      if (count === entries.length) return
      for (const { change } of entries.slice(count)) length -= lengthOf(change)
      readTo = entries[count - 1]?.change.position ?? settledTo
      entries = entries.slice(0, count)
      firstQueued = Math.min(firstQueued, count)
      isBehind = true
      isRead = false
    },
    /** Takes the oldest change that may be sent or diverted out of the queue. */
    take: (turnOf: (change: Change) => NextStep): { entry: Entry; turn: NextStep } | undefined => {
      // The oldest change is always sent: without it the position would never move.
      if (unsaved >= MAX_AHEAD && entries[0]?.state !== 'queued') return
      while (entries[firstQueued] && entries[firstQueued]?.state !== 'queued') firstQueued++
      for (let index = firstQueued; index < entries.length; index++) {
        const entry = entries[index]
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
    /** Queues a change again that could not be sent. */
    putBack: (entry: Entry): void => {
      entry.state = 'queued'
      length += lengthOf(entry.change)
      unsaved--
      firstQueued = 0
    },
    /** Marks a change as settled and drops its record; only its position is needed. */
    settle: (entry: Entry): void => {
      entry.state = 'settled'
      entry.change = withoutRecord(entry.change)
    },
    /** Takes the progress, and drops the settled changes at the front. */
    takeProgress: (): StreamProgress => {
      const open = entries.findIndex(({ state }) => state !== 'settled')
      const count = open === -1 ? entries.length : open
      const last = entries[count - 1]
      settledTo = open === -1 ? readTo : (last?.change.position ?? settledTo)
      entries = entries.slice(count)
      firstQueued = Math.max(0, firstQueued - count)
      forgotten += count
      const settled = entries.filter(({ state }) => state === 'settled')
      return {
        position: settledTo,
        ahead: settled.map(({ change }) => encodeChangeCursor(change.position)),
        count: forgotten,
      }
    },
    saved: ({ count }: StreamProgress): void => {
      unsaved -= count
      forgotten -= count
    },
  }
}
