/** What became of a create whose answer was lost: the app's list of changes is searched for its record. */
import type { WriteInput } from '../definition/connector.ts'
import { createMapper, type RecordRow } from '../definition/mapping.ts'
import { likenessOf } from './likeness.ts'
import { type AppPage, createLoopGuard, type Listing, listPages } from './pages.ts'
import { OutcomeUnknownError } from './perform.ts'

// A page of changes begins earlier than the change that is looked for, and clocks that are set right differ a little.
const LOOK_BACK_MS = 5 * 60_000
const TOLERANCE_MS = LOOK_BACK_MS / 2
const MAX_PAGES = 50

/** Where a created record is looked for. */
export interface CreationSearch {
  readonly listing: Omit<Listing, 'since' | 'cursor'>
  readonly credentialId: string
  readonly asked: WriteInput
  /** When it was asked for, by the database's clock. */
  readonly startedAt: Date
  /** The database's clock. */
  readonly readClock: () => Promise<Date>
  /** Of these ids, those that were stored before it was asked for. */
  readonly storedBefore: (ids: readonly string[]) => Promise<ReadonlySet<string>>
}

/**
 * The raw record that a lost create has made: new since it was asked for, and as it was asked to be.
 * Undefined if the app's list of changes has none.
 * @throws OutcomeUnknownError if the list is too long to be read to its end, or has a new record that may
 * be it, but is not told clearly
 */
export const findCreated = async (
  { listing, credentialId, asked, startedAt, readClock, storedBefore }: CreationSearch,
  signal: AbortSignal,
): Promise<unknown> => {
  const { mapping, sync } = listing.resource
  const map = createMapper(mapping)
  const read = (raw: unknown): RecordRow | undefined => {
    try {
      return map(raw, credentialId).row
    } catch {
      // What cannot be read cannot be told to be it.
      return
    }
  }
  /** The records of a page that may be it: like what was asked for, and new since then. */
  const candidatesIn = async ({ records }: AppPage, from: string) => {
    const candidates = records.flatMap((raw) => {
      const row = read(raw)
      const isNew = typeof row?.remoteCreatedAt !== 'string' || row.remoteCreatedAt >= from
      if (!row || !isNew) return []
      const likeness = likenessOf(listing.resource, credentialId, asked, { raw, row })
      return likeness === 'other' ? [] : [{ raw, row, likeness }]
    })
    if (candidates.length === 0) return []
    const known = await storedBefore(candidates.map(({ row }) => row.id))
    return candidates.filter(({ row }) => !known.has(row.id))
  }
  const nowMs = (await readClock()).getTime()
  const readAtMs = performance.now()
  /** How far the app's clock is ahead of the database's; one that does not tell the time is taken to be right. */
  const aheadOf = ({ appTime, askedMs }: AppPage): number =>
    appTime === undefined ? 0 : Date.parse(appTime) - (nowMs + askedMs - readAtMs)
  const beginning = (aheadMs: number): string =>
    new Date(startedAt.getTime() + aheadMs - LOOK_BACK_MS).toISOString()

  const search = async (knownAheadMs?: number): Promise<unknown> => {
    let from = beginning(knownAheadMs ?? 0)
    const since = sync.incremental ? from : undefined
    let pages = 0
    const perhaps = new Set<string>()
    const changes = { ...listing, since, cursor: undefined }
    for await (const page of listPages(changes, createLoopGuard(), signal)) {
      if (pages === 0 && knownAheadMs === undefined) {
        const aheadMs = aheadOf(page)
        // What it has made since is, by its clock, older than what was listed.
        if (since !== undefined && aheadMs < -TOLERANCE_MS) return search(aheadMs)
        from = beginning(aheadMs)
      }
      const candidates = await candidatesIn(page, from)
      const match = candidates.find(({ likeness }) => likeness === 'same')
      if (match) return match.raw
      for (const { row } of candidates) perhaps.add(row.remoteId)
      pages += 1
      if (pages >= MAX_PAGES && page.next !== undefined)
        throw new OutcomeUnknownError(
          `A create was not found in ${MAX_PAGES} pages, and there are more.`,
        )
    }
    // Made once more, it would be there twice.
    if (perhaps.size > 0)
      throw new OutcomeUnknownError('A new record may be what was asked for.', {
        perhaps: [...perhaps],
      })
    return undefined
  }
  return search()
}
