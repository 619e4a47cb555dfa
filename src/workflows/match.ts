/** Which runs follow from changes: the judgement, apart from the I/O. */
import type { Field } from '../definition/field.ts'
import type { Resource } from '../definition/resource.ts'
import { type Change, cursorOf } from '../store/changes.ts'
import type { InstalledTrigger, NewRun } from '../store/workflow-triggers.ts'
import type { ConditionValue, WorkflowDefinition } from './definition.ts'
import { fieldAt, valueAt } from './record-path.ts'

/** Workflows that lead to each other: a chain ends after so many. */
const MAX_CHAIN = 5

// Clocks of apps are not ours.
const CLOCK_TOLERANCE_MS = 60_000

const isEqual = (kind: Field['kind'] | undefined, found: unknown, expected: ConditionValue) => {
  if (found === undefined || found === null) return expected === null
  // A decimal is shown with its digits: 12.50 is 12.5.
  return kind === 'decimal' || kind === 'number'
    ? expected !== null && expected !== '' && Number(found) === Number(expected)
    : found === expected
}

/** Whether a record holds what a workflow asks for. */
export const meetsConditions = (
  conditions: WorkflowDefinition['when']['if'],
  resource: Resource,
  record: unknown,
): boolean =>
  Object.entries(conditions).every(([path, expected]) =>
    isEqual(fieldAt(resource, path)?.kind, valueAt(record, path), expected),
  )

/**
 * A record that was made in its app before the workflow was at work is not new, whenever it is first seen
 * here: the first listing of a credential must not set off a run for each record of its past.
 */
const isOfThePast = (change: Change, record: unknown, since: Date): boolean => {
  if (change.at < since) return true
  const made = valueAt(record, 'remoteCreatedAt')
  return (
    change.kind === 'created' &&
    typeof made === 'string' &&
    Date.parse(made) < since.getTime() - CLOCK_TOLERANCE_MS
  )
}

export interface Matching {
  readonly triggers: readonly InstalledTrigger[]
  /** Undefined if it cannot work any more. */
  readonly definitionOf: (trigger: InstalledTrigger) => WorkflowDefinition | undefined
  /** The workflows that led to what a run wrote. */
  readonly chains: ReadonlyMap<string, readonly string[]>
  readonly resourceOf: (topic: string) => Resource | undefined
}

/** The runs that changes set off, in the order of the changes. */
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
      const isWanted =
        definition?.when.kinds.includes(kind) &&
        // What a workflow has led to does not set it off again, and no chain is endless.
        !chain.includes(trigger.workflowId) &&
        chain.length < MAX_CHAIN &&
        !isOfThePast(change, record, trigger.since) &&
        meetsConditions(definition.when.if, resource, record)
      if (!isWanted) return []
      const { installationId, workflowId, version } = trigger
      return [
        {
          ...{ installationId, workflowId, version, change: cursorOf(change) },
          ...{ cause: change.cause, chain },
          ...{ changedAt: change.at, credentialId, topic, kind, recordId, record: text },
          changedFields: change.changedFields,
        },
      ]
    })
  })
}
