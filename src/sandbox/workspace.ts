/** The workspace of one transaction on a tenant: its writes commit together or not at all. */
import type { FieldsOf, KindInput, KindName, Stored } from './kinds/kinds.ts'

/** Error for a write that conflicts with the state of the record. */
export class StateConflict extends Error {
  override readonly name = 'StateConflict'
  readonly reason: 'stale_version' | 'in_use'

  constructor(reason: StateConflict['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** Reads and writes of one transaction. */
export interface Workspace {
  /** Instant of the transaction, ISO 8601. */
  readonly now: string
  /** The record; undefined if it is deleted or does not exist. */
  find<K extends KindName>(kind: K, id: string): Promise<Stored<K> | undefined>
  /** All records of the kind that are not deleted, by ascending id. */
  live<K extends KindName>(kind: K): Promise<readonly Stored<K>[]>
  /** Creates a record and applies its effects. @throws FieldError */
  create<K extends KindName>(kind: K, input: KindInput<K>): Promise<Stored<K>>
  /** Replaces the input fields of a record and applies the effects. @throws FieldError */
  update<K extends KindName>(record: Stored<K>, input: Partial<KindInput<K>>): Promise<Stored<K>>
  /** Sets computed fields, without effects on other records. */
  revise<K extends KindName>(record: Stored<K>, fields: Partial<FieldsOf<K>>): Promise<void>
  /** Deletes a record and reverts its effects on others. @throws StateConflict */
  remove(record: Stored): Promise<void>
  /** Deletes a closed record but keeps its effects on others. */
  retire(record: Stored): void
}
