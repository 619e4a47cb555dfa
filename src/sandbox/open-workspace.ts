/** Opens a workspace on a tenant that is locked for writing. */
import type { SandboxRow, SandboxSession, SandboxTenant } from '../store/sandbox/sandbox-records.ts'
import { applyEffects } from './effects.ts'
import { FieldError, RequestError } from './errors.ts'
import { readFields, referencesIn, type SandboxFields, type SandboxKind } from './kinds/kind.ts'
import { type KindName, kindOfTopic, kinds, type SandboxRecord } from './kinds/kinds.ts'
import { isControlAccount } from './ledger.ts'
import type { Condition, Workspace } from './workspace.ts'

// Safe cast: only the definition of its kind writes a row.
const asRecord = <K extends KindName>(row: SandboxRow): SandboxRecord<K> => row as SandboxRecord<K>

const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string =>
  `${kind}/${id}`

/** The references in the fields of a record. */
const referencesOf = (kind: KindName, fields: SandboxFields) =>
  referencesIn(kinds[kind], fields).map(({ topic, ...reference }) => ({
    ...reference,
    kind: kindOfTopic.get(topic) ?? topic,
  }))

/** The writable fields of a record. */
const writableFieldsOf = (kind: KindName, fields: SandboxFields): SandboxFields =>
  Object.fromEntries(Object.keys(kinds[kind].fields.shape).map((name) => [name, fields[name]]))

const meets = <K extends KindName>(
  fields: SandboxRecord<K>['fields'],
  condition: Condition<K>,
): boolean =>
  typeof condition === 'function'
    ? condition(fields)
    : Object.entries(condition).every(([name, value]) => Object(fields)[name] === value)

const byId = (a: SandboxRow, b: SandboxRow): number =>
  a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Creates a workspace; `changes` returns the rows to write. */
export const openWorkspace = (
  session: SandboxSession,
  now: Date,
): Workspace & { changes(): { tenant: SandboxTenant; rows: SandboxRow[] } } => {
  const changed = new Map<string, SandboxRow>()
  /** Versions before the work. A record gains one version, however often the work writes it. */
  const versions = new Map<string, number>()
  const numbers = { ...session.tenant.numbers }
  let clock = Math.max(now.getTime() - 1, Date.parse(session.tenant.clock))

  const tick = (): string => new Date(++clock).toISOString()
  const nextId = (prefix: string): string => {
    numbers[prefix] = (numbers[prefix] ?? 0) + 1
    return `${prefix}_${String(numbers[prefix]).padStart(4, '0')}`
  }

  /** The stored records with these keys, and all changed ones. */
  const load = async (
    keys: readonly { readonly kind: string; readonly id: string }[],
  ): Promise<ReadonlyMap<string, SandboxRow>> => {
    const unknown = keys.filter((key) => !changed.has(keyOf(key)))
    const rows = unknown.length > 0 ? await session.get(unknown) : []
    return new Map([...rows, ...changed.values()].map((row) => [keyOf(row), row]))
  }

  const write = (before: SandboxRow | undefined, after: SandboxRow): SandboxRow => {
    const key = keyOf(after)
    if (before && !versions.has(key)) versions.set(key, changed.has(key) ? 0 : before.version)
    const written = { ...after, version: (versions.get(key) ?? 0) + 1, modified: tick() }
    changed.set(key, written)
    return written
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
    const references = referencesOf(kind, read)
    const existing = previous ? referencesOf(kind, previous) : []
    const found = await load([...references, ...existing])
    const existingKeys = new Set(existing.map(keyOf))
    for (const reference of references) {
      const target = found.get(keyOf(reference))
      // Existing references to a deleted or forgotten record stay valid; new ones are rejected.
      if ((!target || target.deleted) && !existingKeys.has(keyOf(reference)))
        throw new FieldError('no_such_record', reference.path)
    }
    const lookUp = (target: string, of: string) =>
      found.get(keyOf({ kind: target, id: of }))?.fields
    const number = id.replace(/^[a-z]{1,40}_/, `${definition.prefix.toUpperCase()}-`)
    const today = now.toISOString().slice(0, 10)
    return { ...read, ...definition.complete(read, { number, previous, today, lookUp, nextId }) }
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
      const draft = { kind, id, version: 1, deleted: false, created, modified: created, fields }
      const record = write(undefined, draft)
      await applyEffects(workspace, undefined, asRecord(record))
      return asRecord(record)
    },
    update: async (record, input) => {
      const { kind, id } = record
      const merged = { ...writableFieldsOf(kind, record.fields), ...input }
      const fields = await complete(kind, id, merged, record.fields)
      const written = write(record, { ...record, fields })
      await applyEffects(workspace, asRecord(record), asRecord(written))
      // The effects may have changed the record itself.
      return asRecord(changed.get(keyOf(record)) ?? written)
    },
    revise: async (record, fields) => {
      write(record, { ...record, fields: { ...record.fields, ...fields } })
    },
    remove: async (record) => {
      if (record.kind === 'ledger_accounts' && isControlAccount(record.id))
        throw new RequestError(409, 'in_use')
      await applyEffects(workspace, record, asRecord(write(record, { ...record, deleted: true })))
    },
    retire: (record) => {
      write(record, { ...record, deleted: true })
    },
  }

  return {
    ...workspace,
    changes: () => ({
      tenant: { ...session.tenant, clock: new Date(clock).toISOString(), numbers },
      rows: [...changed.values()],
    }),
  }
}
