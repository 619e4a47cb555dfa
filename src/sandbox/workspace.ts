/** What a piece of work on one tenant may do: its writes are kept all together or not at all. */
import type { FieldsOf, Given, KindName, Stored } from './kinds/kinds.ts'

/** A write that the state of the record forbids. */
export class StateConflict extends Error {
  override readonly name = 'StateConflict'
  readonly reason: 'stale_version' | 'in_use'

  constructor(reason: StateConflict['reason']) {
    super(reason)
    this.reason = reason
  }
}

/** One piece of work. */
export interface Workspace {
  /** The instant at which the work is done. ISO 8601. */
  readonly now: string
  /** The record, unless it is deleted or was never there. */
  find<K extends KindName>(kind: K, id: string): Promise<Stored<K> | undefined>
  /** All records of the kind that are not deleted, oldest id first. */
  live<K extends KindName>(kind: K): Promise<readonly Stored<K>[]>
  /** @throws FieldError */
  create<K extends KindName>(kind: K, given: Given<K>): Promise<Stored<K>>
  /** Given fields take the place of the record's; the others stay. @throws FieldError */
  update<K extends KindName>(record: Stored<K>, given: Partial<Given<K>>): Promise<Stored<K>>
  /** Sets fields that the sandbox works out itself, and nothing else. */
  revise<K extends KindName>(record: Stored<K>, fields: Partial<FieldsOf<K>>): Promise<void>
  /** Deletes the record and undoes what it did to others. @throws StateConflict */
  remove(record: Stored): Promise<void>
  /** Deletes a closed record, as after years: what it did to others stays. */
  retire(record: Stored): void
}
