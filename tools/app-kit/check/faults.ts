/**
 * Checks a sync of an app that fails: with each fault of a table, the sync of a new credential reaches the same
 * records as without, the records of a credential that is stored already stay as they are, and no request is sent
 * before the end of a Retry-After.
 */
import { type Fault, type FaultPlan, kindOf } from './fault-proxy.ts'
import type { Findings } from './result.ts'
import {
  compareStored,
  countChanges,
  readStoredRecords,
  type StoredRecords,
} from './stored-records.ts'
import type { SyncedConnection } from './sync.ts'
import type { Connection, Workbench } from './workbench.ts'

/** One row of the table. */
export interface FaultCase {
  readonly name: string
  /** Creates the plan for one phase of the check. */
  plan(): FaultPlan
}

const HOUR_MS = 3_600_000

/** Fails the request with this index. */
const failOnce =
  (fault: Fault, failedIndex: number): (() => FaultPlan) =>
  () =>
  (index) =>
    index === failedIndex ? fault : undefined

/** Fails every request from this index on. */
const failFrom =
  (fault: Fault, firstFailedIndex: number): (() => FaultPlan) =>
  () =>
  (index) =>
    index >= firstFailedIndex ? fault : undefined

/** Fails one of every `nth` requests. */
const failEvery =
  (fault: Fault, nth: number): (() => FaultPlan) =>
  () =>
  (index) =>
    index % nth === nth - 1 ? fault : undefined

/** Fails every request of the same kind as the request with this index. */
const failOneKind = (fault: Fault, failedIndex: number) => (): FaultPlan => {
  let kind: string | undefined
  return (index, request) => {
    if (index === failedIndex) kind = kindOf(request)
    return kindOf(request) === kind ? fault : undefined
  }
}

const statusFault = (status: number, retryAfterSeconds?: number): Fault => ({
  kind: 'status',
  status,
  ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
})

/** The faults that every connector must survive. */
export const FAULT_CASES: readonly FaultCase[] = [
  { name: '429 with Retry-After', plan: failOnce(statusFault(429, 1), 1) },
  { name: '429 from the second request on', plan: failFrom(statusFault(429), 1) },
  { name: '500', plan: failOnce(statusFault(500), 0) },
  { name: '503 from the second request on', plan: failFrom(statusFault(503), 1) },
  { name: 'a hang', plan: failOnce({ kind: 'hang' }, 1) },
  { name: 'a broken connection', plan: failEvery({ kind: 'reset' }, 2) },
  { name: 'half a response', plan: failEvery({ kind: 'half' }, 2) },
  { name: 'a response that ends too early', plan: failFrom({ kind: 'cut' }, 1) },
  { name: 'a repeated page', plan: failOnce({ kind: 'repeat' }, 1) },
  { name: 'pages that repeat for ever', plan: failFrom({ kind: 'repeat' }, 1) },
  { name: 'a clock one hour ahead', plan: failFrom({ kind: 'clock', offsetMs: HOUR_MS }, 0) },
  { name: 'a clock one hour behind', plan: failFrom({ kind: 'clock', offsetMs: -HOUR_MS }, 0) },
  { name: 'a token that expires in the middle', plan: failFrom(statusFault(401), 1) },
  { name: 'a scope that is taken away', plan: failOneKind(statusFault(403), 1) },
]

/** Runs with the fault, then without it. @returns whether a run with the fault failed */
const syncThrough = async (
  { proxy, engine }: Workbench,
  { credentialId }: Connection,
  plan: FaultPlan,
): Promise<boolean> => {
  proxy.inject(plan)
  let isFailed = false
  // Twice: a run resumes where the previous one failed.
  for (let run = 0; run < 2; run++)
    await engine.syncNow(credentialId).catch(() => {
      isFailed = true
    })
  proxy.inject(() => undefined)
  return isFailed
}

/**
 * Checks one fault, with a new credential and with one whose records are stored.
 * @throws AggregateError if the sync still fails once the fault is over
 */
export const checkFault = async (
  bench: Workbench,
  { plan }: FaultCase,
  { connection, stored, created: expected }: SyncedConnection,
): Promise<Findings> => {
  const { proxy } = bench
  const earlyBefore = proxy.early

  const fresh = await bench.connect()
  const isFirstFailed = await syncThrough(bench, fresh, plan())
  await bench.sync(fresh)
  const total = [...stored.values()].reduce((sum, { size }) => sum + size, 0)
  const created = (await countChanges(bench, fresh)).get('created') ?? 0

  const changesBefore = await countChanges(bench, connection)
  const isLaterFailed = await syncThrough(bench, connection, plan())
  const during = await readStoredRecords(bench, connection)
  await bench.sync(connection)
  const changesAfter = await countChanges(bench, connection)

  const early = proxy.early - earlyBefore
  const withPrefix = (prefix: string, actual: ReadonlyMap<string, StoredRecords>) =>
    compareStored(actual, stored).map((problem) => `${prefix}: ${problem}`)
  return {
    problems: [
      ...withPrefix('after the first sync', await readStoredRecords(bench, fresh)),
      ...(created === expected
        ? []
        : [`${created} records were reported as created, not ${expected}`]),
      ...withPrefix('during the fault', during),
      ...withPrefix('after a later sync', await readStoredRecords(bench, connection)),
      ...(String([...changesBefore]) === String([...changesAfter])
        ? []
        : ['unchanged records were reported as changed']),
      ...(early === 0 ? [] : [`${early} requests were sent before the end of a Retry-After`]),
    ],
    summary: `${total} records converge; with the fault, the first sync ${describeOutcome(isFirstFailed)} and a later one ${describeOutcome(isLaterFailed)}`,
  }
}

const describeOutcome = (isFailed: boolean): string => (isFailed ? 'failed' : 'completed')
