/** Finds the record of a create whose response was lost, by listing the app's recent changes. */
import type { WriteInput } from '../definition/connector.ts'
import type { RecordRow } from '../definition/mapping.ts'
import { type AppPage, listPages } from '../outbound/list-pages.ts'
import { createLoopGuard } from '../outbound/loop-guard.ts'
import { readClock } from '../store/database/database.ts'
import { idsStoredBefore } from '../store/records/records.ts'
import type { TargetOptions, WriteTarget } from './open-target.ts'
import { matchRecord } from './record-match.ts'

// The listing starts before the create was sent, because even correct clocks differ a little.
const LOOK_BACK_MS = 5 * 60_000
const TOLERANCE_MS = LOOK_BACK_MS / 2
const MAX_PAGES = 50
// The caller waits for the result.
const SEARCH_MS = 20_000

/** A create whose response was lost. */
export interface LostCreate {
  readonly input: WriteInput
  /** When it was sent, by the database's clock. */
  readonly startedAt: Date
}

/**
 * The result of the search:
 * - `found`: a new record matches the request.
 * - `none`: no new record can be the requested one.
 * - `unclear`: new records may be the requested one, or the list is too long to read completely.
 */
export type CreationSearch =
  | { readonly status: 'found'; readonly raw: unknown }
  | { readonly status: 'none' }
  | { readonly status: 'unclear'; readonly candidates: readonly string[] }

/** Searches the records that were created since the request was sent. @throws AppError */
export const findCreated = async (
  { database, appClient }: Pick<TargetOptions, 'database' | 'appClient'>,
  { owner, resource, connector, credential, context, resourceConnector, map }: WriteTarget,
  { input, startedAt }: LostCreate,
): Promise<CreationSearch> => {
  const { credentialId } = owner
  const signal = AbortSignal.timeout(SEARCH_MS)
  const readRow = (raw: unknown): RecordRow | undefined => {
    try {
      return map(raw).row
    } catch {
      // A record that cannot be mapped cannot be compared.
      return
    }
  }
  /** The new records of a page that may be the requested one. */
  const candidatesIn = async ({ records }: AppPage, from: string) => {
    const candidates = records.flatMap((raw) => {
      const row = readRow(raw)
      const isNew = typeof row?.remoteCreatedAt !== 'string' || row.remoteCreatedAt >= from
      if (!row || !isNew) return []
      const match = matchRecord(resourceConnector, credentialId, input, { raw, row, context })
      return match === 'other' ? [] : [{ raw, row, match }]
    })
    if (candidates.length === 0) return []
    const ids = candidates.map(({ row }) => row.id)
    const known = await idsStoredBefore(database, resource, credentialId, ids, startedAt)
    return candidates.filter(({ row }) => !known.has(row.id))
  }
  const nowMs = (await readClock(database)).getTime()
  const readAtMs = performance.now()
  /** How far the app's clock is ahead of the database's; 0 if the app reports no time. */
  const aheadOf = ({ appTime, requestedMs }: AppPage): number =>
    appTime === undefined ? 0 : Date.parse(appTime) - (nowMs + requestedMs - readAtMs)
  const searchStart = (aheadMs: number): string =>
    new Date(startedAt.getTime() + aheadMs - LOOK_BACK_MS).toISOString()

  const search = async (knownAheadMs?: number): Promise<CreationSearch> => {
    let from = searchStart(knownAheadMs ?? 0)
    const since = resourceConnector.sync.changes.by === 'time' ? from : undefined
    let pages = 0
    const candidates = new Set<string>()
    const listing = {
      appClient: appClient.spending({ ...owner, purpose: 'write' }),
      connector,
      credential,
      resource: resourceConnector,
      since,
      cursors: [],
      context,
      pagesAtOnce: 1,
    }
    for await (const page of listPages(listing, createLoopGuard(), signal)) {
      if (pages === 0 && knownAheadMs === undefined) {
        const aheadMs = aheadOf(page)
        // The app's clock is slow: it dates the new record before the start of this listing.
        if (since !== undefined && aheadMs < -TOLERANCE_MS) return search(aheadMs)
        from = searchStart(aheadMs)
      }
      const found = await candidatesIn(page, from)
      const match = found.find(({ match }) => match === 'same')
      if (match) return { status: 'found', raw: match.raw }
      for (const { row } of found) candidates.add(row.remoteId)
      pages += 1
      if (pages >= MAX_PAGES && page.remaining.length > 0)
        return { status: 'unclear', candidates: [...candidates] }
    }
    return candidates.size > 0
      ? { status: 'unclear', candidates: [...candidates] }
      : { status: 'none' }
  }
  return search()
}
