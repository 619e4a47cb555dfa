/**
 * Turns changes in the change log into runs. One process at a time reads the log, and the transaction that
 * inserts the runs also moves the read position: after a crash, no change is skipped or processed twice.
 */
import { ApiError } from '../errors.ts'
import type { ChangePosition } from '../query/change-cursor.ts'
import { endOfLog, readChanges } from '../store/changes/changes.ts'
import { holdLogReader, moveLogReader } from '../store/changes/log-readers.ts'
import {
  findChains,
  findTriggers,
  type InstalledTrigger,
  insertRuns,
  listFollowedTopics,
} from '../store/workflows/workflow-triggers.ts'
import type { WorkflowContext } from './context.ts'
import type { WorkflowDefinition } from './definition.ts'
import { matchRuns } from './match.ts'

/** The reader's name in `log_readers`. */
export const READER = 'workflows'

const PAGE_SIZE = 500
// Without relevant changes the position is saved rarely, because every save is itself a transaction.
const SAVE_AFTER_TRANSACTIONS = 100n

const isFarFrom = (saved: ChangePosition, reached: ChangePosition): boolean =>
  reached.epoch > saved.epoch || reached.xid - saved.xid >= SAVE_AFTER_TRANSACTIONS

/** The result of reading one page. */
export interface Step {
  /** The number of new runs. */
  readonly inserted: number
  /** Whether another page can be read immediately. */
  readonly hasMore: boolean
}

const definitionReader =
  ({ definitions, log }: WorkflowContext) =>
  ({ workflowId, version, definition }: InstalledTrigger): WorkflowDefinition | undefined => {
    try {
      return definitions.read(workflowId, version, definition)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      log.error(
        { workflowId, version, err: error },
        'a workflow was skipped: this release does not support its definition',
      )
      return
    }
  }

/** Reads one page of changes and inserts the runs that they trigger. */
export const followChanges = (context: WorkflowContext): Promise<Step> =>
  context.database.transaction(async (transaction): Promise<Step> => {
    const after = await holdLogReader(transaction, READER)
    if (!after) return { inserted: 0, hasMore: false }
    // Read the end before the topics: a workflow that is installed in between misses no change.
    const before = await endOfLog(transaction)
    const topics = await listFollowedTopics(transaction)
    const page =
      topics.length === 0
        ? { changes: [], next: before, truncated: false }
        : await readChanges(transaction, { topics, after, before, limit: PAGE_SIZE })
    if (page.truncated)
      context.log.error({}, 'changes were deleted before the workflows had read them')
    const { changes, next } = page
    if (changes.length === 0) {
      if (isFarFrom(after, next)) await moveLogReader(transaction, READER, next)
      return { inserted: 0, hasMore: false }
    }
    const credentialIds = new Set(changes.flatMap(({ credentialId }) => credentialId ?? []))
    const causes = new Set(changes.flatMap(({ cause }) => cause ?? []))
    const runs = matchRuns(changes, {
      triggers: await findTriggers(transaction, [...credentialIds]),
      chains: await findChains(transaction, [...causes]),
      definitionOf: definitionReader(context),
      resourceOf: (topic) => context.catalogue.find(topic),
    })
    const inserted = await insertRuns(transaction, runs)
    await moveLogReader(transaction, READER, next)
    return { inserted, hasMore: changes.length === PAGE_SIZE }
  })
