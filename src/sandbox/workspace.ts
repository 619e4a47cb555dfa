/** The workspace of one transaction on a tenant: its writes commit together or not at all. */
import type { SandboxRow } from '../store/sandbox/sandbox-records.ts'
import type { FieldsOf, KindInput, KindName, SandboxRecord } from './kinds/kinds.ts'

/** A condition on a record: values of fields, or a function. */
export type Condition<K extends KindName> =
  | Partial<SandboxRecord<K>['fields']>
  | ((fields: SandboxRecord<K>['fields']) => boolean)

/** Reads and writes of one transaction. */
export interface Workspace {
  /** Instant of the transaction, ISO 8601. */
  readonly now: string
  /** The record; undefined if it is deleted or does not exist. */
  find<K extends KindName>(kind: K, id: string): Promise<SandboxRecord<K> | undefined>
  /** The records of the kind that are not deleted, by ascending id. */
  where<K extends KindName>(kind: K, condition?: Condition<K>): Promise<readonly SandboxRecord<K>[]>
  /** Creates a record and applies its effects. @throws FieldError */
  create<K extends KindName>(kind: K, input: KindInput<K>): Promise<SandboxRecord<K>>
  /** Replaces the input fields of a record and applies the effects. @throws FieldError */
  update<K extends KindName>(
    record: SandboxRecord<K>,
    input: Partial<KindInput<K>>,
  ): Promise<SandboxRecord<K>>
  /** Sets computed fields, without effects on other records. */
  revise<K extends KindName>(record: SandboxRecord<K>, fields: Partial<FieldsOf<K>>): Promise<void>
  /** Deletes a record and reverts its effects on others. @throws RequestError */
  remove(record: SandboxRecord): Promise<void>
  /** Deletes an old record but keeps its effects on others. */
  retire(record: SandboxRow): void
}
