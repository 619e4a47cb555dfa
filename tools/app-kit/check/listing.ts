/** Checks of listings: their pages, mappings, cursors and changes. They only read. */
import { setTimeout as wait } from 'node:timers/promises'
import type { Json, ListPage, ResourceConnector } from '../../../src/definition/connector.ts'
import { createMapper } from '../../../src/definition/mapping.ts'
import { nextCursorsOf } from '../../../src/definition/paging/pager.ts'
import { createLoopGuard } from '../../../src/outbound/loop-guard.ts'
import { tolerant } from '../../../src/sync/map-pages.ts'
import type { Findings } from './result.ts'
import type { Workbench } from './workbench.ts'

/** A resource with all pages of one full listing. */
export interface ListedResource {
  readonly topic: string
  readonly resource: ResourceConnector
  /** The context of the account. */
  readonly context: Json | undefined
  readonly pages: readonly ListPage[]
  /** The raw records of the pages. */
  readonly records: readonly unknown[]
}

// Ids of records contain it. Which one does not matter.
const CREDENTIAL = '00000000-0000-4000-8000-000000000000'

/** The function that maps the raw records of a resource, as a sync does. */
export const mapperOf = ({
  resource: { mapping },
  context,
}: Pick<ListedResource, 'resource' | 'context'>) => {
  const map = createMapper(mapping, tolerant)
  return (raw: unknown) => map(raw, CREDENTIAL, { context })
}

/** The remote id of a raw record; undefined if it has none. */
const remoteIdOf = (map: ReturnType<typeof mapperOf>, raw: unknown): string | undefined => {
  try {
    return map(raw).row.remoteId
  } catch {
    return
  }
}

/** The remote ids of raw records; those without one are left out. */
export const remoteIdsIn = (
  resource: ResourceConnector,
  records: readonly unknown[],
): readonly string[] => {
  const map = mapperOf({ resource, context: undefined })
  return records.flatMap((raw) => remoteIdOf(map, raw) ?? [])
}

interface Position {
  readonly since?: string | undefined
  readonly token?: Json | undefined
  readonly cursor?: Json | undefined
}

const readPage = async (
  { appClient, connector, credential, context }: Workbench,
  resource: ResourceConnector,
  { since, token, cursor }: Position,
): Promise<ListPage> => {
  const position = { since, token, cursor, context: await context() }
  const request = { ...resource.listRequest(position), read: true } as const
  return resource.readList(await appClient.send(connector, credential, request), position)
}

const readPages = async (
  bench: Workbench,
  resource: ResourceConnector,
  start: Position,
): Promise<ListPage[]> => {
  const guard = createLoopGuard()
  const pages: ListPage[] = []
  const cursors = [start.cursor]
  while (cursors.length > 0) {
    const page = await readPage(bench, resource, { ...start, cursor: cursors.shift() })
    pages.push(page)
    const following = nextCursorsOf(page)
    if (page.waitMs === undefined) {
      guard.checkPage(remoteIdsIn(resource, page.records), following)
      for (const cursor of following) guard.checkCursor(cursor)
    } else await wait(page.waitMs)
    // A stored cursor is JSON.
    cursors.unshift(...JSON.parse(JSON.stringify(following)))
  }
  return pages
}

/** Lists all records of a resource. @throws AppError | ListingLoopError */
export const listResource = async (bench: Workbench, topic: string): Promise<ListedResource> => {
  const resource = bench.connector.resources[topic]
  if (!resource) throw new TypeError(`${bench.connector.name} has no resource ${topic}.`)
  const context = await bench.context()
  const pages = await readPages(bench, resource, {})
  return { topic, resource, context, pages, records: pages.flatMap(({ records }) => records) }
}

/** Every listed record has a remote id, and every value fits its field. */
export const checkMapping = (listed: ListedResource): Findings => {
  const { pages, records } = listed
  const map = mapperOf(listed)
  const counts = new Map<string, number>()
  const ids = new Set<string>()
  for (const raw of records) {
    try {
      const { row, problems } = map(raw)
      ids.add(row.remoteId)
      for (const { path } of problems) {
        const name = path.replaceAll(/\[\d{1,9}\]/g, '[]')
        counts.set(name, (counts.get(name) ?? 0) + 1)
      }
    } catch {
      counts.set('remoteId', (counts.get('remoteId') ?? 0) + 1)
    }
  }
  return {
    problems: [...counts].map(([path, count]) => `${path}: ${count} values do not fit`),
    summary: `${ids.size} records on ${pages.length} pages, ${records.length - ids.size} of them repeated`,
  }
}

const MAX_RESUMED_PAGES = 20

/** A listing that continues from the stored cursor of any page returns the same next page. */
export const checkResume = async (
  bench: Workbench,
  { resource, pages }: ListedResource,
): Promise<Findings> => {
  const step = Math.ceil(pages.length / MAX_RESUMED_PAGES)
  const problems: string[] = []
  let resumed = 0
  for (const [index, { next }] of pages.entries()) {
    const following = pages[index + 1]
    if (next === undefined || !following || index % step !== 0) continue
    const cursor: Json = JSON.parse(JSON.stringify(next))
    const page = await readPage(bench, resource, { cursor })
    resumed += 1
    const [expected, actual] = [following, page].map(({ records }) =>
      remoteIdsIn(resource, records).join('\n'),
    )
    if (expected !== actual)
      problems.push(`page ${index + 2} differs if the listing continues there`)
  }
  return { problems, summary: `continued at ${resumed} of ${pages.length - 1} cursors` }
}

const timesOf = (
  account: Pick<ListedResource, 'resource' | 'context'>,
  records: readonly unknown[],
): Map<string, string> => {
  const map = mapperOf(account)
  return new Map(
    records.flatMap((raw) => {
      const { remoteId, remoteUpdatedAt } = map(raw).row
      return typeof remoteUpdatedAt === 'string' ? [[remoteId, remoteUpdatedAt] as const] : []
    }),
  )
}

// The precision of an app that stores whole seconds.
const RESOLUTION_MS = 1000

const timeBefore = (time: string, ms: number): string =>
  new Date(Date.parse(time) - ms).toISOString()

const checkTimes = async (
  bench: Workbench,
  account: ListedResource,
  overlapMs: number,
): Promise<Findings> => {
  const { resource, records } = account
  const times = timesOf(account, records)
  const sorted = [...times.values()].sort()
  // The newer half, so that the listing must contain some records and leave out others.
  const middle = sorted[Math.floor(sorted.length / 2)]
  if (middle === undefined)
    return {
      problems: records.length === 0 ? [] : ['no record has remoteUpdatedAt'],
      summary: 'no records',
    }
  // Requests changes as the engine does. Records within the overlap may be listed or not.
  const since = timeBefore(middle, overlapMs)
  const pages = await readPages(bench, resource, { since })
  const listed = timesOf(
    account,
    pages.flatMap((page) => page.records),
  )
  const earliest = timeBefore(since, RESOLUTION_MS)
  const old = [...listed.values()].filter((time) => time < earliest).length
  const missing = [...times].filter(([id, time]) => time >= middle && !listed.has(id)).length
  return {
    problems: [
      ...(old > 0 ? [`${old} records are older than since`] : []),
      ...(missing > 0 ? [`${missing} records changed since are missing`] : []),
    ],
    summary: `${listed.size} of ${times.size} records since the median time, minus the overlap`,
  }
}

const checkToken = async (
  bench: Workbench,
  { resource, pages }: ListedResource,
): Promise<Findings> => {
  const token = pages.at(-1)?.token
  if (token === undefined) return { problems: ['the last page has no token'], summary: '' }
  const later = await readPages(bench, resource, { token: JSON.parse(JSON.stringify(token)) })
  const count = later.reduce((sum, { records }) => sum + records.length, 0)
  const hasToken = later.at(-1)?.token !== undefined
  return {
    problems: hasToken ? [] : ['the last page of the listing of changes has no token'],
    summary: `${count} records since the token`,
  }
}

/**
 * Checks that a listing of changes contains every changed record and no older one; undefined if the resource has no
 * such listing.
 */
export const checkChanges = async (
  bench: Workbench,
  listed: ListedResource,
): Promise<Findings | undefined> => {
  const { changes } = listed.resource.sync
  if (changes.by === 'full-listing') return
  return changes.by === 'time'
    ? checkTimes(bench, listed, changes.overlapMs)
    : checkToken(bench, listed)
}

/** Checks that the count of the app equals the number of listed records; undefined if the resource has no count. */
export const checkRemoteCount = async (
  { appClient, connector, credential }: Workbench,
  { resource, records }: ListedResource,
): Promise<Findings | undefined> => {
  const { remoteCount } = resource.sync
  if (!remoteCount) return
  const request = { ...remoteCount.request, read: true } as const
  const count = remoteCount.read(await appClient.send(connector, credential, request))
  const listed = new Set(remoteIdsIn(resource, records)).size
  return {
    problems: count < listed ? [`the app counts ${count} records and lists ${listed}`] : [],
    summary: `${count} counted, ${listed} listed`,
  }
}
