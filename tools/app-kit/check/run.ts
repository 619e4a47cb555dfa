/** The conformance suite for connectors: all checks of one app. */
import { checkContext } from './context.ts'
import { checkCredential } from './credential.ts'
import { checkFault, FAULT_CASES, type FaultCase } from './faults.ts'
import {
  checkChanges,
  checkMapping,
  checkRemoteCount,
  checkResume,
  type ListedResource,
  listResource,
} from './listing.ts'
import { checkMutations } from './mutations.ts'
import { checkGet, checkReadMany } from './reads.ts'
import { type CheckResult, crashed, type Findings, resultOf, skipped } from './result.ts'
import { checkFirstSync, checkSecondSync, syncNew } from './sync.ts'
import type { Workbench } from './workbench.ts'
import { checkWrites, type WriteInputs } from './writes.ts'

export interface CheckOptions {
  /** The faults to inject. Default: all. */
  readonly faults?: readonly FaultCase[]
  /** The writes to check, by topic. Default: none; the app is only read. */
  readonly writes?: Readonly<Record<string, WriteInputs>>
  /** Receives each result as it is found. */
  readonly onResult?: (result: CheckResult) => void
}

/** Runs all checks. A check that throws has failed, and the others continue. */
export const checkApp = async (
  bench: Workbench,
  { faults = FAULT_CASES, writes = {}, onResult = () => {} }: CheckOptions = {},
): Promise<readonly CheckResult[]> => {
  const results: CheckResult[] = []
  const add = (result: CheckResult): void => {
    results.push(result)
    onResult(result)
  }
  const attempt = async (
    check: string,
    run: () => Promise<Findings | undefined> | Findings,
    topic?: string,
  ): Promise<void> => {
    try {
      const findings = await run()
      add(findings ? resultOf(check, findings, topic) : skipped(check, 'not declared', topic))
    } catch (error) {
      add(crashed(check, error, topic))
    }
  }

  await attempt('credential', () => checkCredential(bench))
  if (results.some(({ outcome }) => outcome === 'failed')) return results
  await attempt('context', () => checkContext(bench))
  const listed: ListedResource[] = []
  for (const topic of Object.keys(bench.connector.resources)) {
    try {
      const resource = await listResource(bench, topic)
      listed.push(resource)
      await attempt('mapping', () => checkMapping(resource), topic)
      await attempt('mutations', () => checkMutations(resource), topic)
      await attempt('resume', () => checkResume(bench, resource), topic)
      await attempt('changes', () => checkChanges(bench, resource), topic)
      await attempt('count', () => checkRemoteCount(bench, resource), topic)
      await attempt('get', () => checkGet(bench, resource), topic)
      await attempt('read many', () => checkReadMany(bench, resource), topic)
    } catch (error) {
      add(crashed('listing', error, topic))
    }
  }

  try {
    const synced = await syncNew(bench)
    await attempt('first sync', () => checkFirstSync(synced, listed))
    await attempt('second sync', () => checkSecondSync(bench, synced))
    for (const one of faults) await attempt(one.name, () => checkFault(bench, one, synced))
    if (Object.keys(writes).length > 0) {
      const other = await syncNew(bench)
      for (const [topic, inputs] of Object.entries(writes))
        try {
          const pair = [synced.connection, other.connection] as const
          for (const result of await checkWrites(bench, topic, inputs, pair)) add(result)
        } catch (error) {
          add(crashed('writes', error, topic))
        }
    }
  } catch (error) {
    add(crashed('first sync', error))
  }
  return results
}
