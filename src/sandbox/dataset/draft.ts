/** An in-memory builder of initial records, which assigns ids, computed fields and dates. */

import { readFields, referencesIn, type SandboxKind } from '../kinds/kind.ts'
import { type FieldsOf, type KindInput, type KindName, kinds, type Stored } from '../kinds/kinds.ts'
import { createRandom, type Random } from '../random.ts'

const DAY_MS = 86_400_000

/** Inputs of a dataset: tenant, seed and the instant at which its history ends. */
export interface Origin {
  readonly tenant: string
  readonly seed: number
  /** ISO 8601 */
  readonly start: string
}

/** The records built so far. */
export interface DatasetDraft {
  readonly tenant: string
  readonly random: (...scope: readonly (string | number)[]) => Random
  /** A random instant in working hours, `daysAgo` days (at least one) before the start. */
  instant(daysAgo: number): string
  /** Adds a record created at an instant. */
  put<K extends KindName>(kind: K, input: KindInput<K>, created: string): Stored<K>
  /** Changes computed fields at a later instant. */
  revise<K extends KindName>(
    record: Stored<K>,
    changes: Partial<FieldsOf<K>>,
    modified: string,
  ): Stored<K>
  /** The current record. @throws RangeError if it does not exist */
  get<K extends KindName>(kind: K, id: string): Stored<K>
  all<K extends KindName>(kind: K): readonly Stored<K>[]
  /** The last assigned number for each id prefix. */
  readonly numbers: Readonly<Record<string, number>>
}

/** Creates an empty draft. */
export const createDraft = ({ tenant, seed, start }: Origin): DatasetDraft => {
  const records = new Map<string, Stored>()
  const numbers: Record<string, number> = {}
  const clock = createRandom(tenant, seed, 'instants')
  const midnight = Date.parse(`${start.slice(0, 10)}T00:00:00.000Z`)

  const nextId = (prefix: string): string => {
    numbers[prefix] = (numbers[prefix] ?? 0) + 1
    return `${prefix}_${String(numbers[prefix]).padStart(4, '0')}`
  }
  const lookUp = (_kind: string, id: string) => records.get(id)?.fields
  const draft: DatasetDraft = {
    tenant,
    numbers,
    random: (...scope) => createRandom(tenant, seed, ...scope),
    instant: (daysAgo) =>
      new Date(
        midnight - Math.max(1, daysAgo) * DAY_MS + clock.integer(8 * 3_600_000, 18 * 3_600_000),
      ).toISOString(),
    put: (kind, input, created) => {
      const definition: SandboxKind = kinds[kind]
      const read = readFields(definition, input)
      for (const { path, id } of referencesIn(definition.fields, read))
        if (!records.has(id))
          throw new RangeError(`${kind}.${path} references ${id}, which does not exist.`)
      const id = nextId(definition.prefix)
      const context = {
        id,
        previous: undefined,
        now: created,
        today: created.slice(0, 10),
        lookUp,
        nextId,
      }
      const fields = { ...read, ...definition.complete(read, context) }
      const record = { kind, id, version: 1, deleted: false, created, modified: created, fields }
      // Safe cast: the definition of the kind completed the fields.
      const stored = record as unknown as Stored<typeof kind>
      records.set(id, stored)
      return stored
    },
    revise: (record, changes, modified) => {
      const fields = { ...record.fields, ...changes }
      const [modifiedLast = modified] = [record.modified, modified].sort().reverse()
      const revised = { ...record, version: record.version + 1, modified: modifiedLast, fields }
      records.set(record.id, revised)
      return revised
    },
    get: (kind, id) => {
      const record = records.get(id)
      if (record?.kind !== kind) throw new RangeError(`${kind} has no record ${id}.`)
      // Safe cast: the kind was checked.
      return record as Stored<typeof kind>
    },
    all: (kind) =>
      // Safe cast: filtered by kind.
      [...records.values()].filter((record) => record.kind === kind) as Stored<typeof kind>[],
  }
  return draft
}

/** `count` evenly spaced numbers of days, from the oldest to the newest. */
export const spread = (count: number, oldest: number, newest: number): number[] =>
  Array.from({ length: count }, (_, index) =>
    Math.round(oldest - ((oldest - newest) * index) / Math.max(1, count - 1)),
  )
