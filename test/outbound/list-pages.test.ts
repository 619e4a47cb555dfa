/** Listings with several pages at a time, of a small app in memory whose records change in between. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { AppRequest, Json } from '../../src/definition/connector.ts'
import { partitionedPages } from '../../src/definition/paging/partitions.ts'
import { AppRateLimitedError } from '../../src/outbound/app-error.ts'
import type { AppClient } from '../../src/outbound/http.ts'
import { type AppPage, type Listing, listPages } from '../../src/outbound/list-pages.ts'
import { createLoopGuard } from '../../src/outbound/loop-guard.ts'
import {
  type App,
  anyChange,
  anyIds,
  apply,
  appOf,
  type Case,
  type Change,
  cases,
  get,
  listMissedIds,
  respond,
} from '../definition/paged-app.ts'
import { defineFakeConnector } from '../support/fake-app.ts'

const MAX_CONCURRENT_PAGES = 4
// Rows that disappear and appear again may lead to the same offset.
const NO_GUARD = { checkCursor: () => {} }
const connector = defineFakeConnector()
const [resource] = Object.values(connector.resources)
if (!resource) throw new Error('The fake app has no resource.')

const wait = async (turns = 1, signal?: AbortSignal): Promise<void> => {
  for (let turn = 0; turn < turns; turn += 1) {
    signal?.throwIfAborted()
    await undefined
  }
}

/** A client whose responses arrive after the given numbers of event loop turns. */
const clientOf = (serve: (request: AppRequest) => ReturnType<Case['serve']>, turns: number[]) => {
  const open = { now: 0, max: 0, total: 0 }
  const client: Partial<AppClient> = {
    send: async (_connector, _credential, request, signal) => {
      open.total += 1
      open.now += 1
      open.max = Math.max(open.max, open.now)
      try {
        await wait(turns.shift(), signal)
        const response = serve(request)
        await wait(turns.shift(), signal)
        return response
      } finally {
        open.now -= 1
      }
    },
  }
  // Only `send` is called.
  return { client: client as AppClient, open }
}

const listingOf = (
  pager: Case['pager'],
  client: AppClient,
  cursors: readonly Json[] = [],
): Listing => ({
  appClient: client,
  connector,
  resource: { ...resource, ...pager },
  credential: { method: 'token', values: {} },
  since: undefined,
  context: undefined,
  cursors,
  pagesAtOnce: MAX_CONCURRENT_PAGES,
})

/** Lists an app. Stops after each number of pages in `stops`, and continues at the stored cursors. */
const list = async (
  { pager, serve }: Case,
  app: App,
  { changes = [], turns = [], stops = [] }: Partial<Schedule> = {},
) => {
  const waiting = [...changes]
  const left = [...turns]
  const records: unknown[] = []
  let cursors: readonly Json[] = []
  let requests = 0
  let maxOpen = 0
  for (const stop of [...stops, 1000]) {
    const { client, open } = clientOf((request) => {
      for (const change of waiting.shift() ?? []) apply(app, change)
      return serve(app, request)
    }, left)
    let pages = 0
    let page: AppPage | undefined
    const { signal } = new AbortController()
    for await (page of listPages(listingOf(pager, client, cursors), NO_GUARD, signal)) {
      records.push(...page.records)
      pages += 1
      if (pages === stop) break
    }
    requests += open.total
    maxOpen = Math.max(maxOpen, open.max)
    cursors = JSON.parse(JSON.stringify(page?.remaining ?? []))
    if (cursors.length === 0) break
  }
  return { records, requests, maxOpen }
}

interface Schedule {
  readonly changes: readonly (readonly Change[])[]
  readonly turns: readonly number[]
  readonly stops: readonly number[]
}

const anySchedule: fc.Arbitrary<Schedule> = fc.record({
  changes: fc.array(fc.array(anyChange, { maxLength: 6 }), { maxLength: 12, size: 'max' }),
  turns: fc.array(fc.nat(30), { maxLength: 60, size: 'max' }),
  stops: fc.array(fc.integer({ min: 1, max: 8 }), { maxLength: 5 }),
})

describe.each(Object.entries(cases))('several pages at a time, %s', (_name, paged) => {
  test('miss no record that exists throughout, also if the listing is interrupted', async () => {
    await fc.assert(
      fc.asyncProperty(anyIds, anySchedule, async (ids, schedule) => {
        const { records, maxOpen } = await list(paged, appOf(ids), schedule)
        expect(listMissedIds(records, ids, schedule.changes.flat())).toEqual([])
        expect(maxOpen).toBeLessThanOrEqual(MAX_CONCURRENT_PAGES)
      }),
      { numRuns: 50 },
    )
  })
})

test.each([
  ['by offset', 1],
  ['by id', 1],
  ['by offset with a total', MAX_CONCURRENT_PAGES],
  ['by number with a total', MAX_CONCURRENT_PAGES],
  ['in windows of the time of creation', MAX_CONCURRENT_PAGES],
  // Two batches of ids, and the next page of the trace.
  ['by ids of another listing', 3],
])('pages %s: %i requests at the same time, and none in vain', async (name, atOnce) => {
  const paged = cases[name]
  if (!paged) throw new Error(`No case ${name}.`)
  const ids = Array.from({ length: 120 }, (_, index) => index)
  const turns = Array.from({ length: 500 }, () => 50)
  const { records, requests, maxOpen } = await list(paged, appOf(ids), { turns })
  expect(listMissedIds(records, ids, [])).toEqual([])
  expect(maxOpen).toBe(atOnce)
  const sequential = await list({ ...paged, pager: withoutPrefetch(paged.pager) }, appOf(ids))
  expect(requests).toBe(sequential.requests)
})

const withoutPrefetch = (pager: Case['pager']): Case['pager'] => ({
  ...pager,
  readList: (response, position) => {
    const { prefetch: _, ...page } = pager.readList(response, position)
    return page
  },
})

const rateLimitError = (waitMs: number) =>
  new AppRateLimitedError(
    { app: 'fake', name: 'Fake', method: 'GET', path: '/', reason: 'used up' } as never,
    waitMs,
    { isSent: false },
  )

test('a budget that allows fewer requests at a time slows the listing and does not end it', async () => {
  let open = 0
  let refusals = 0
  const pager = partitionedPages<number>({
    first: () => [0, 1, 2, 3, 4, 5],
    pagerOf: (partition) => ({
      listRequest: ({ cursor }) => get('/rows', { partition, cursor: Number(cursor ?? 0) }),
      readList: (_, { cursor }) => {
        const page = Number(cursor ?? 0)
        return { records: [`${partition}/${page}`], next: page < 4 ? page + 1 : undefined }
      },
    }),
  })
  const client: Partial<AppClient> = {
    send: async () => {
      if (open >= 2) {
        refusals += 1
        throw rateLimitError(250)
      }
      open += 1
      await wait(20)
      open -= 1
      return respond({})
    },
  }
  const records: unknown[] = []
  const listing = listingOf(pager, client as AppClient)
  const { signal } = new AbortController()
  for await (const page of listPages(listing, createLoopGuard(), signal))
    records.push(...page.records)
  expect(new Set(records).size).toBe(30)
  expect(records).toHaveLength(30)
  expect(refusals).toBeGreaterThan(0)
  expect(refusals).toBeLessThan(6)
})

test('a partition that returns the same cursor again ends the listing', async () => {
  const pager = partitionedPages<number>({
    first: () => [0, 1],
    pagerOf: (partition) => ({
      listRequest: () => get('/rows', { partition }),
      readList: (_, { cursor }) => ({
        records: [partition],
        next: partition === 1 ? 'same' : Number(cursor ?? 0) + 1,
      }),
    }),
  })
  const { client } = clientOf(() => respond({}), [])
  const { signal } = new AbortController()
  const listed: unknown[] = []
  const readPages = async () => {
    for await (const page of listPages(listingOf(pager, client), createLoopGuard(), signal))
      listed.push(...page.records)
  }
  await expect(readPages()).rejects.toMatchObject({ code: 'LISTING_LOOP' })
  expect(listed.filter((partition) => partition === 1)).toHaveLength(2)
})
