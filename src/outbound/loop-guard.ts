/** Detects a listing without an end. */
import { hash } from 'node:crypto'
import type { Json } from '../definition/json.ts'

/** A listing without an end: the app returns the same pages again and again. */
export class ListingLoopError extends Error {
  override readonly name = 'ListingLoopError'
  readonly code = 'LISTING_LOOP'
}

// Limits of consecutive pages. An app that ignores the cursor repeats the same page forever; an app that
// filters after paging may send many empty pages.
const MAX_REPEATED_PAGES = 20
const MAX_EMPTY_PAGES = 1000
const MAX_REMEMBERED = 20_000
// 96 bits.
const DIGEST_LENGTH = 16

// Digests that one slice of a listing passes to the next: enough to detect a cycle of that many pages.
const MAX_HANDED_OVER = 200

const digestOf = (text: string): string => hash('sha256', text, 'base64').slice(0, DIGEST_LENGTH)

/** A set of digests of texts, so that a listing of any length needs little memory. */
const createDigestSet = (known: readonly string[]) => {
  const seen = new Set(known)
  return {
    /** Adds a text. @returns whether it was seen before */
    addAndCheck: (text: string): boolean => {
      const digest = digestOf(text)
      if (seen.has(digest)) return true
      if (seen.size >= MAX_REMEMBERED) seen.clear()
      seen.add(digest)
      return false
    },
    last: (): string[] => [...seen].slice(-MAX_HANDED_OVER),
  }
}

/** The state of a loop guard, for the guard of the next slice. */
export interface LoopGuardState {
  readonly cursors: readonly string[]
  readonly pages: readonly string[]
  readonly repeated: number
  readonly empty: number
}

/** Creates a guard that detects a listing without an end. @param before the state of the previous slice's guard */
export const createLoopGuard = (before?: LoopGuardState) => {
  const cursors = createDigestSet(before?.cursors ?? [])
  const pages = createDigestSet(before?.pages ?? [])
  /** Of pages that are stored: the next slice requests the others again. */
  let storedCursors = before?.cursors ?? []
  let repeated = before?.repeated ?? 0
  let empty = before?.empty ?? 0
  return {
    /** Checks a cursor that a page returns. @throws ListingLoopError if an earlier page has returned it too */
    checkCursor: (cursor: Json): void => {
      if (cursors.addAndCheck(JSON.stringify(cursor)))
        throw new ListingLoopError(
          'The app returned the same cursor twice, so the listing has no end.',
        )
    },
    /**
     * Checks a page that is about to be stored.
     * @param returned its cursors
     * @throws ListingLoopError after too many consecutive repeated or empty pages
     */
    checkPage: (remoteIds: readonly string[], returned: readonly Json[]): void => {
      const digests = returned.map((cursor) => digestOf(JSON.stringify(cursor)))
      storedCursors = [...storedCursors, ...digests].slice(-MAX_HANDED_OVER)
      empty = remoteIds.length === 0 ? empty + 1 : 0
      if (empty > MAX_EMPTY_PAGES)
        throw new ListingLoopError(`The app returned ${empty} empty pages in a row.`)
      if (remoteIds.length === 0) return
      repeated = pages.addAndCheck(remoteIds.join('\n')) ? repeated + 1 : 0
      if (repeated > MAX_REPEATED_PAGES)
        throw new ListingLoopError(
          `The app returned ${repeated} pages in a row that it had returned before.`,
        )
    },
    /** The state after the stored pages. */
    memory: (): LoopGuardState => ({
      cursors: storedCursors,
      pages: pages.last(),
      repeated,
      empty,
    }),
  }
}
