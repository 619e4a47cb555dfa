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
import {
  type CheckResult,
  crashedResult,
  type Findings,
  resultOf,
  skippedResult,
} from './result.ts'
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
  const runCheck = async (
    check: string,
    run: () => Promise<Findings | undefined> | Findings,
    topic?: string,
  ): Promise<void> => {
    try {
      const findings = await run()
      add(findings ? resultOf(check, findings, topic) : skippedResult(check, 'not declared', topic))
    } catch (error) {
      add(crashedResult(check, error, topic))
    }
  }

  await runCheck('credential', () => checkCredential(bench))
  if (results.some(({ outcome }) => outcome === 'failed')) return results
  await runCheck('context', () => checkContext(bench))
  const listed: ListedResource[] = []
  for (const topic of Object.keys(bench.connector.resources)) {
    try {
      const resource = await listResource(bench, topic)
      listed.push(resource)
      await runCheck('mapping', () => checkMapping(resource), topic)
      await runCheck('mutations', () => checkMutations(resource), topic)
      await runCheck('resume', () => checkResume(bench, resource), topic)
      await runCheck('changes', () => checkChanges(bench, resource), topic)
      await runCheck('count', () => checkRemoteCount(bench, resource), topic)
      await runCheck('get', () => checkGet(bench, resource), topic)
      await runCheck('read many', () => checkReadMany(bench, resource), topic)
    } catch (error) {
      add(crashedResult('listing', error, topic))
    }
  }

  try {
    const synced = await syncNew(bench)
    await runCheck('first sync', () => checkFirstSync(synced, listed))
    await runCheck('second sync', () => checkSecondSync(bench, synced))
    for (const faultCase of faults)
      await runCheck(faultCase.name, () => checkFault(bench, faultCase, synced))
    if (Object.keys(writes).length > 0) {
      const other = await syncNew(bench)
      for (const [topic, inputs] of Object.entries(writes))
        try {
          const pair = [synced.connection, other.connection] as const
          for (const result of await checkWrites(bench, topic, inputs, pair)) add(result)
        } catch (error) {
          add(crashedResult('writes', error, topic))
        }
    }
  } catch (error) {
    add(crashedResult('first sync', error))
  }
  return results
}
