/**
 * From the change log to runs. One process at a time reads on; the position moves in the transaction that
 * inserts the runs, so no change is passed over and none counts twice, whatever ends the process.
 */
import { ApiError } from '../errors.ts'
import type { ChangePosition } from '../query/change-cursor.ts'
import { endOfLog, readChanges } from '../store/changes.ts'
import { holdLogReader, moveLogReader } from '../store/log-readers.ts'
import {
  findChains,
  findTriggers,
  type InstalledTrigger,
  insertRuns,
  listFollowedTopics,
} from '../store/workflow-triggers.ts'
import type { WorkflowContext } from './context.ts'
import type { WorkflowDefinition } from './definition.ts'
import { matchRuns } from './match.ts'

/** The reader's name in `log_readers`. */
export const READER = 'workflows'

const PAGE_SIZE = 500
// Where nothing concerns a workflow, the position is saved now and then: every save is a transaction too.
const SAVE_AFTER_TRANSACTIONS = 100n

const isFarFrom = (saved: ChangePosition, looked: ChangePosition): boolean =>
  looked.epoch > saved.epoch || looked.xid - saved.xid >= SAVE_AFTER_TRANSACTIONS

export interface Step {
  /** Runs that are new. */
  readonly inserted: number
  /** Whether there is more to read at once. */
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
        'a workflow can no longer work and is left out',
      )
      return
    }
  }

/** Reads one page and inserts what follows from it. */
export const followChanges = (context: WorkflowContext): Promise<Step> =>
  context.database.prisma.$transaction(async (transaction): Promise<Step> => {
    const after = await holdLogReader(transaction, READER)
    if (!after) return { inserted: 0, hasMore: false }
    // The end before the topics: of a workflow that is installed in between, every change comes later.
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
