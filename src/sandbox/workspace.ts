/** The workspace of one transaction on a tenant: its writes commit together or not at all. */
import type { SandboxRow, SandboxSession, SandboxTenant } from '../store/sandbox/sandbox-records.ts'
import { amount, units } from './amounts.ts'
import { FieldError, RequestError } from './errors.ts'
import { readFields, type SandboxFields, type SandboxKind } from './kinds/kind.ts'
import {
  type FieldsOf,
  type KindInput,
  type KindName,
  kindNames,
  kinds,
  referencesIn,
  type SandboxRecord,
} from './kinds/kinds.ts'
import { balanceSign, isControlAccount, ledgerChange } from './ledger.ts'

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
  revise<K extends KindName>(record: SandboxRecord<K>, fields: Partial<FieldsOf<K>>): void
  /** Deletes a record and reverts its effects on others. @throws RequestError */
  remove(record: SandboxRecord): Promise<void>
  /** Deletes an old record but keeps its effects on others. */
  retire(record: SandboxRow): void
  /** What the transaction stores. */
  changes(): { readonly tenant: SandboxTenant; readonly rows: readonly SandboxRow[] }
}

// Safe cast: only the definition of its kind writes a row.
const asRecord = <K extends KindName>(row: SandboxRow): SandboxRecord<K> => row as SandboxRecord<K>

interface Key {
  readonly kind: string
  readonly id: string
}

const keyOf = ({ kind, id }: Key): string => `${kind}/${id}`

const meets = <K extends KindName>(
  fields: SandboxRecord<K>['fields'],
  condition: Condition<K>,
): boolean =>
  typeof condition === 'function'
    ? condition(fields)
    : Object.entries(condition).every(([name, value]) => Object(fields)[name] === value)

const byId = (a: Key, b: Key): number =>
  a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Opens a workspace on a tenant that is locked for writing. */
export const openWorkspace = (session: SandboxSession, now: Date): Workspace => {
  const changed = new Map<string, SandboxRow>()
  const numbers = { ...session.tenant.numbers }
  let clock = Math.max(now.getTime() - 1, Date.parse(session.tenant.clock))

  const tick = (): string => new Date(++clock).toISOString()
  const nextId = (prefix: string): string => {
    numbers[prefix] = (numbers[prefix] ?? 0) + 1
    return `${prefix}_${String(numbers[prefix]).padStart(4, '0')}`
  }

  /** The stored records with these keys, and all changed ones. */
  const load = async (keys: readonly Key[]): Promise<ReadonlyMap<string, SandboxRow>> => {
    const unknown = keys.filter((key) => !changed.has(keyOf(key)))
    const rows = unknown.length > 0 ? await session.get(unknown) : []
    return new Map([...rows, ...changed.values()].map((row) => [keyOf(row), row]))
  }

  /** Writes the next version of a record. */
  const write = (before: SandboxRow, change: Partial<SandboxRow>): SandboxRow => {
    const written = { ...before, ...change, version: before.version + 1, modified: tick() }
    changed.set(keyOf(before), written)
    return written
  }

  /** The fields of the parts of a record; a new record has none. */
  const partsOf = async (kind: KindName, id: string): Promise<readonly SandboxFields[]> => {
    const { parts }: SandboxKind = kinds[kind]
    if (!parts) return []
    // Safe cast: the kinds define each other as parts.
    const records = await workspace.where(parts.kind as KindName)
    return records
      .map(({ fields }) => fields as SandboxFields)
      .filter((fields) => fields[parts.reference] === id)
  }

  /** Validates the fields and their references, and adds the computed fields of the kind. */
  const complete = async (
    kind: KindName,
    id: string,
    input: SandboxFields,
    previous: SandboxFields | undefined,
  ): Promise<SandboxFields> => {
    const definition: SandboxKind = kinds[kind]
    const read = readFields(definition, input)
    const references = referencesIn(kind, read)
    const existing = previous ? referencesIn(kind, previous) : []
    const found = await load([...references, ...existing])
    const existingKeys = new Set(existing.map(keyOf))
    for (const reference of references) {
      const target = found.get(keyOf(reference))
      // Existing references to a deleted or forgotten record stay valid; new ones are rejected.
      if ((!target || target.deleted) && !existingKeys.has(keyOf(reference)))
        throw new FieldError('no_such_record', reference.path)
    }
    const computed = definition.complete(read, {
      number: id.replace(/^[a-z]{1,40}_/, `${definition.prefix.toUpperCase()}-`),
      previous,
      parts: previous ? await partsOf(kind, id) : [],
      today: now.toISOString().slice(0, 10),
      lookUp: (target, of) => found.get(keyOf({ kind: target, id: of }))?.fields,
      nextId,
    })
    return { ...read, ...computed }
  }

  /** Applies the effects of a write: on the ledger, and on the records whose part it is. */
  const applyEffects = async (before: SandboxRecord | undefined, after: SandboxRecord) => {
    for (const [id, value] of ledgerChange(before, after)) {
      const account = await workspace.find('ledger_accounts', id)
      // A line may still reference a deleted account.
      if (!account) continue
      const { currentBalance, classification } = account.fields
      const balance = units(currentBalance) + balanceSign(classification) * value
      workspace.revise(account, { currentBalance: amount(balance) })
    }
    for (const kind of kindNames) {
      const { parts }: SandboxKind = kinds[kind]
      if (parts?.kind !== after.kind) continue
      const wholes = [before, after].map((part) => Object(part?.fields)[parts.reference])
      for (const id of new Set(wholes)) {
        const whole = typeof id === 'string' ? await workspace.find(kind, id) : undefined
        if (whole) await workspace.update(whole, parts.replaced ?? {})
      }
    }
  }

  const workspace: Workspace = {
    now: now.toISOString(),
    find: async (kind, id) => {
      const record = (await load([{ kind, id }])).get(keyOf({ kind, id }))
      return record && !record.deleted ? asRecord(record) : undefined
    },
    where: async (kind, condition = {}) => {
      const rows = new Map((await session.live(kind)).map((row) => [row.id, row]))
      for (const row of changed.values()) if (row.kind === kind) rows.set(row.id, row)
      return [...rows.values()]
        .map(asRecord<typeof kind>)
        .filter(({ deleted, fields }) => !deleted && meets(fields, condition))
        .sort(byId)
    },
    create: async (kind, input) => {
      const id = nextId(kinds[kind].prefix)
      const fields = await complete(kind, id, input, undefined)
      const created = tick()
      const draft = { kind, id, version: 0, deleted: false, created, modified: created, fields }
      const record = write(draft, {})
      await applyEffects(undefined, asRecord(record))
      return asRecord(record)
    },
    update: async (record, input) => {
      const { kind, id } = record
      const before: SandboxFields = record.fields
      const writable = Object.keys(kinds[kind].fields.shape).map((name) => [name, before[name]])
      const merged = { ...Object.fromEntries(writable), ...input }
      const fields = await complete(kind, id, merged, before)
      const written = write(record, { fields })
      await applyEffects(asRecord(record), asRecord(written))
      return asRecord(written)
    },
    revise: (record, fields) => {
      write(record, { fields: { ...record.fields, ...fields } })
    },
    remove: async (record) => {
      if (record.kind === 'ledger_accounts' && isControlAccount(record.id))
        throw new RequestError(409, 'in_use')
      await applyEffects(record, asRecord(write(record, { deleted: true })))
    },
    retire: (record) => {
      write(record, { deleted: true })
    },
    changes: () => ({
      tenant: { ...session.tenant, clock: new Date(clock).toISOString(), numbers },
      rows: [...changed.values()],
    }),
  }
  return workspace
}
