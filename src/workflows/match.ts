/** Matches changes with workflow triggers, without I/O. */
import type { Comparison, Kind } from '../definition/kinds/kind.ts'
import type { Resource } from '../definition/resource.ts'
import { type Change, changeCursorOf } from '../store/changes/changes.ts'
import type { InstalledTrigger, NewRun } from '../store/workflows/workflow-triggers.ts'
import type { ConditionValue, WorkflowDefinition } from './definition.ts'
import { fieldAt, valueAt } from './record-path.ts'

/** The maximum length of a chain of workflows that trigger each other. */
const MAX_CHAIN = 5

// The clocks of apps may differ from the database's.
const CLOCK_TOLERANCE_MS = 60_000

const exactComparison: Comparison = {
  credentialId: '',
  isSameText: (found, expected) => found === expected,
}

const isEqual = (kind: Kind | undefined, found: unknown, expected: ConditionValue): boolean => {
  if (found === undefined || found === null) return expected === null
  // Decimals keep their digits: 12.50 equals 12.5.
  return kind?.matches?.(found, expected, exactComparison) ?? found === expected
}

/** Whether a record meets every condition of a workflow. */
export const meetsConditions = (
  conditions: WorkflowDefinition['when']['if'],
  resource: Resource,
  record: unknown,
): boolean =>
  Object.entries(conditions).every(([path, expected]) =>
    isEqual(fieldAt(resource, path)?.kind, valueAt(record, path), expected),
  )

/**
 * Whether a change or its record is older than the installation of the trigger. The first listing of a
 * credential must not trigger a run for each existing record.
 */
const predatesTrigger = (change: Change, record: unknown, since: Date): boolean => {
  if (change.at < since) return true
  const createdAt = valueAt(record, 'remoteCreatedAt')
  return (
    change.kind === 'created' &&
    typeof createdAt === 'string' &&
    Date.parse(createdAt) < since.getTime() - CLOCK_TOLERANCE_MS
  )
}

/** The facts that changes are matched with. */
export interface Matching {
  readonly triggers: readonly InstalledTrigger[]
  /** Undefined if this release does not support the definition. */
  readonly definitionOf: (trigger: InstalledTrigger) => WorkflowDefinition | undefined
  /** The workflows that led to the writes of a run, by the id of the run. */
  readonly chains: ReadonlyMap<string, readonly string[]>
  readonly resourceOf: (topic: string) => Resource | undefined
}

/** The runs that changes trigger, in the order of the changes. */
export const matchRuns = (changes: readonly Change[], matching: Matching): NewRun[] => {
  const { triggers, definitionOf, chains, resourceOf } = matching
  const groups = Map.groupBy(triggers, ({ credentialId, topic }) => `${credentialId} ${topic}`)
  return changes.flatMap((change) => {
    const { credentialId, topic, kind, recordId, record: text } = change
    const resource = resourceOf(topic)
    const found = groups.get(`${credentialId} ${topic}`)
    if (!found || !resource || credentialId === null || recordId === null || text === null)
      return []
    const record: unknown = JSON.parse(text)
    const chain = (change.cause === null ? undefined : chains.get(change.cause)) ?? []
    return found.flatMap((trigger): NewRun[] => {
      const definition = definitionOf(trigger)
      const isTriggered =
        definition?.when.kinds.includes(kind) &&
        // A workflow does not react to changes that it caused, and chains have a maximum length.
        !chain.includes(trigger.workflowId) &&
        chain.length < MAX_CHAIN &&
        !predatesTrigger(change, record, trigger.since) &&
        meetsConditions(definition.when.if, resource, record)
      if (!isTriggered) return []
      const { installationId, workflowId, version } = trigger
      return [
        {
          installationId,
          workflowId,
          version,
          change: changeCursorOf(change),
          cause: change.cause,
          traceparent: change.traceparent,
          chain,
          changedAt: change.at,
          credentialId,
          topic,
          kind,
          recordId,
          record: text,
          changedFields: change.changedFields,
        },
      ]
    })
  })
}
