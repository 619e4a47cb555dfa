/** Records in the making: numbered, completed and dated, in memory. */
import { createDice, type Dice } from '../dice.ts'
import { type Kind, readFields, referencesIn } from '../kinds/kind.ts'
import { type FieldsOf, type Given, type KindName, kinds, type Stored } from '../kinds/kinds.ts'

const DAY_MS = 86_400_000

/** Who the records are for, and the instant up to which they tell a history. */
export interface Origin {
  readonly tenant: string
  readonly seed: number
  /** ISO 8601 */
  readonly start: string
}

/** The records so far. */
export interface Draft {
  readonly tenant: string
  readonly dice: (...scope: readonly (string | number)[]) => Dice
  /** An instant in the working hours of the day so many days before the start; at least one. */
  instant(daysAgo: number): string
  /** Adds a record that was made at an instant. */
  put<K extends KindName>(kind: K, given: Given<K>, created: string): Stored<K>
  /** Changes fields that the sandbox works out itself, at a later instant. */
  revise<K extends KindName>(
    record: Stored<K>,
    changes: Partial<FieldsOf<K>>,
    modified: string,
  ): Stored<K>
  /** The record as it is by now. @throws RangeError if there is none. */
  get<K extends KindName>(kind: K, id: string): Stored<K>
  all<K extends KindName>(kind: K): readonly Stored<K>[]
  /** The last number given for each prefix of ids. */
  readonly numbers: Readonly<Record<string, number>>
}

/** An empty draft. */
export const createDraft = ({ tenant, seed, start }: Origin): Draft => {
  const records = new Map<string, Stored>()
  const numbers: Record<string, number> = {}
  const clock = createDice(tenant, seed, 'instants')
  const midnight = Date.parse(`${start.slice(0, 10)}T00:00:00.000Z`)

  const nextId = (prefix: string): string => {
    numbers[prefix] = (numbers[prefix] ?? 0) + 1
    return `${prefix}_${String(numbers[prefix]).padStart(4, '0')}`
  }
  const look = (_kind: string, id: string) => records.get(id)?.fields
  const draft: Draft = {
    tenant,
    numbers,
    dice: (...scope) => createDice(tenant, seed, ...scope),
    instant: (daysAgo) =>
      new Date(
        midnight - Math.max(1, daysAgo) * DAY_MS + clock.integer(8 * 3_600_000, 18 * 3_600_000),
      ).toISOString(),
    put: (kind, given, created) => {
      const definition: Kind = kinds[kind]
      const read = readFields(definition, given)
      for (const { path, id } of referencesIn(definition.fields, read))
        if (!records.has(id))
          throw new RangeError(`${kind}.${path} refers to ${id}: no such record.`)
      const id = nextId(definition.prefix)
      const context = {
        id,
        previous: undefined,
        now: created,
        today: created.slice(0, 10),
        look,
        nextId,
      }
      const fields = { ...read, ...definition.complete(read, context) }
      const record = { kind, id, version: 1, deleted: false, created, modified: created, fields }
      // The definition of a kind makes the fields of that kind.
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
      if (record?.kind !== kind) throw new RangeError(`No record ${id} among ${kind}.`)
      // Its kind was compared.
      return record as Stored<typeof kind>
    },
    all: (kind) =>
      // The filter keeps the records of that kind alone.
      [...records.values()].filter((record) => record.kind === kind) as Stored<typeof kind>[],
  }
  return draft
}

/** `count` numbers of days, from the oldest to the youngest, evenly spread. */
export const spread = (count: number, oldest: number, youngest: number): number[] =>
  Array.from({ length: count }, (_, index) =>
    Math.round(oldest - ((oldest - youngest) * index) / Math.max(1, count - 1)),
  )
