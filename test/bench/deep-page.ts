/** The page at row 1,000,000 by cursor, compared with the first page of the same list, over our REST API. */
import { isDeepStrictEqual } from 'node:util'
import { type LoadTarget, runLoad } from './load-plan.ts'
import { withClient } from './postgres.ts'
import type { Server } from './process.ts'
import { PAGE_SIZE } from './question.ts'
import { type BenchmarkOptions, measureTurns, type Result, rateOf, ratioByRound } from './result.ts'
import { credentialId, seedAccounts } from './seed.ts'
import { cursorAfter, pageRequest, restContender, startTrunkline } from './trunkline.ts'
import { fetchText } from './verify.ts'

const SKIPPED_ROWS = 1_000_000
const RECORDS = 1_030_000 // one in fifty is deleted in the app, and lists leave it out
const MAX_TIME_RATIO = 1.1

/** Measures the first page and the page at row 1,000,000. The ratio is that of their times per request. */
export const benchmarkDeepPage = async ({
  postgres,
  rounds,
  log,
}: BenchmarkOptions): Promise<readonly Result[]> => {
  const url = await postgres.createDatabase('deep_page')
  log(`Seeding ${RECORDS} accounts of one credential.`)
  await seedAccounts(url, { credentials: 1, recordsEach: RECORDS })

  await using stack = new AsyncDisposableStack()
  const server = await startTrunkline(url, 1)
  stack.defer(server.stop)

  const [last] = await readRows(url, SKIPPED_ROWS - 1, 1)
  if (last === undefined) throw new Error(`The list has no row ${SKIPPED_ROWS}.`)
  const turns = await runLoad({
    targets: [
      await pageTarget('first-page', server, await readRows(url, 0, PAGE_SIZE)),
      await pageTarget('deep-page', server, await readRows(url, SKIPPED_ROWS, PAGE_SIZE), last),
    ],
    postgresPid: postgres.pid,
    connections: 16,
    warmUpMs: 3000,
    rounds,
    rampMs: 250,
    turnMs: 1000,
  })
  // Time per request is the inverse of the rate.
  const ratio = ratioByRound(turns, { target: 'first-page', base: 'deep-page' }, rateOf)
  const measureTarget = (target: string) =>
    measureTurns(turns.filter((turn) => turn.target === target))
  return [
    { name: 'first-page', ratio: 1, ...measureTarget('first-page') },
    {
      name: 'deep-page',
      ratio,
      floor: `≤ ${MAX_TIME_RATIO}`,
      holds: ratio <= MAX_TIME_RATIO,
      ...measureTarget('deep-page'),
    },
  ]
}

interface Row {
  readonly id: string
  readonly createdAt: string
}

/** Rows of the list counted in the table, which a cursor must find without counting. */
const readRows = (url: string, skipped: number, count: number): Promise<readonly Row[]> =>
  withClient(url, async (client) => {
    const { rows } = await client.query<{ id: string; created_at: Date }>(
      `SELECT id, created_at FROM crm_accounts WHERE credential_id = $1 AND NOT remote_deleted
       ORDER BY created_at, id OFFSET $2 LIMIT $3`,
      [credentialId(1), skipped, count],
    )
    return rows.map((row) => ({ id: row.id, createdAt: row.created_at.toISOString() }))
  })

/** The page after a row, checked to contain the expected rows. */
const pageTarget = async (
  name: string,
  server: Server,
  expected: readonly Row[],
  after?: Row,
): Promise<LoadTarget> => {
  const request = pageRequest(credentialId(1), after && cursorAfter(after))
  const text = await fetchText(server.origin, request)
  const ids = restContender(server)
    .readRecords(JSON.parse(text))
    .map(({ id }) => id)
  const expectedIds = expected.map(({ id }) => id)
  if (!isDeepStrictEqual(ids, expectedIds))
    throw new Error(`${name} differs from the rows of the table at that position.`)
  const requests = [{ ...request, expectedBytes: Buffer.byteLength(text) }]
  return { name, origin: server.origin, serverPid: server.pid, requests }
}
