/** What became of a write whose answer was lost: the app is asked, and its record held against what was given. */
import { isDeepStrictEqual } from 'node:util'
import type { WriteInput } from '../definition/connector.ts'
import { createMapper, type RecordRow } from '../definition/mapping.ts'
import type { Resource } from '../definition/resource.ts'
import { isObject, normalizeValue } from '../definition/value.ts'
import { type AppPage, createLoopGuard, type Listing, listPages } from './pages.ts'
import { OutcomeUnknownError } from './perform.ts'

const DECIMAL_TEXT = /^-?\d+(\.\d+)?$/

/** Whether `found` says what was given, and perhaps more: `12.5` is `12.50`, an object may have further fields. */
const says = (found: unknown, given: unknown): boolean => {
  if (given === null) return found === null || found === undefined
  if (Array.isArray(given))
    return (
      Array.isArray(found) &&
      found.length === given.length &&
      given.every((entry, index) => says(found[index], entry))
    )
  if (isObject(given))
    return isObject(found) && Object.keys(given).every((name) => says(found[name], given[name]))
  if (typeof given === 'string' && typeof found === 'string' && DECIMAL_TEXT.test(given))
    return Number(given) === Number(found)
  return isDeepStrictEqual(found, given)
}

/** The given fields in the form of a row: references as ids of ours, labels capitalised. */
const asRow = (resource: Resource, credentialId: string, fields: WriteInput['fields']) =>
  Object.entries(fields).flatMap(([name, value]) => {
    const field = resource.fields[name]
    const context = { credentialId, report: () => {} }
    return field === undefined ? [] : [[name, normalizeValue(field, value, context, name)] as const]
  })

/** A record as the app has it. */
export interface FoundRecord {
  readonly raw: unknown
  readonly row: RecordRow
}

/** Whether a record of the app is as it was asked to be; references are the app's own ids. */
export const isAsAsked = (
  resource: Resource,
  credentialId: string,
  { fields, remoteFields }: WriteInput,
  { raw, row }: FoundRecord,
): boolean =>
  asRow(resource, credentialId, fields).every(([name, value]) => says(row[name], value)) &&
  says(raw, remoteFields)

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
 * @throws OutcomeUnknownError if the list is too long to be read to its end
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
    const changes = { ...listing, since, cursor: undefined }
    for await (const page of listPages(changes, createLoopGuard(), signal)) {
      if (pages === 0 && knownAheadMs === undefined) {
        const aheadMs = aheadOf(page)
        // What it has made since is, by its clock, older than what was listed.
        if (since !== undefined && aheadMs < -TOLERANCE_MS) return search(aheadMs)
        from = beginning(aheadMs)
      }
      const matches = page.records.flatMap((raw) => {
        const row = read(raw)
        const isNew = typeof row?.remoteCreatedAt !== 'string' || row.remoteCreatedAt >= from
        return row && isNew && isAsAsked(mapping.resource, credentialId, asked, { raw, row })
          ? [{ raw, id: row.id }]
          : []
      })
      if (matches.length > 0) {
        const known = await storedBefore(matches.map(({ id }) => id))
        const match = matches.find(({ id }) => !known.has(id))
        if (match) return match.raw
      }
      pages += 1
      if (pages >= MAX_PAGES && page.next !== undefined)
        throw new OutcomeUnknownError(
          `A create was not found in ${MAX_PAGES} pages, and there are more.`,
        )
    }
    return undefined
  }
  return search()
}
