/** Opens a workspace on a tenant that is locked for writing. */
import type { SandboxRow, SandboxSession, SandboxTenant } from '../store/sandbox/sandbox-records.ts'
import { applyEffects } from './effects.ts'
import { FieldError, readFields, referencesIn, type SandboxFields } from './kinds/kind.ts'
import { type KindName, kindOfTopic, kinds, type SandboxRecord } from './kinds/kinds.ts'
import { isControlAccount } from './ledger.ts'
import { StateConflictError, type Workspace } from './workspace.ts'

/** Converts a row to a record. */
export const toSandboxRecord = <K extends KindName>(row: SandboxRow): SandboxRecord<K> => {
  const { body, ...rest } = row
  // Safe cast: only the kind's own definition writes its rows.
  return { ...rest, fields: body } as unknown as SandboxRecord<K>
}

/** Converts a record to a row. */
export const toRow = ({ fields, ...rest }: SandboxRecord): SandboxRow => ({
  ...rest,
  body: { ...fields },
})

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

const byId = (a: SandboxRecord, b: SandboxRecord): number =>
  a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** Creates a workspace; `changes` returns the rows to write. */
export const openWorkspace = (
  session: SandboxSession,
  now: Date,
): Workspace & { changes(): { tenant: SandboxTenant; rows: SandboxRow[] } } => {
  const changed = new Map<string, SandboxRecord>()
  /** Versions before the work. A record gains one version, however often the work writes it. */
  const versions = new Map<string, number>()
  const numbers = { ...session.tenant.numbers }
  let clock = Math.max(now.getTime() - 1, Date.parse(session.tenant.clock))

  const tick = (): string => new Date(++clock).toISOString()
  const nextId = (prefix: string): string => {
    numbers[prefix] = (numbers[prefix] ?? 0) + 1
    return `${prefix}_${String(numbers[prefix]).padStart(4, '0')}`
  }

  const load = async (
    keys: readonly { readonly kind: string; readonly id: string }[],
  ): Promise<ReadonlyMap<string, SandboxRecord>> => {
    const unknown = keys.filter((key) => !changed.has(keyOf(key)))
    const rows = unknown.length > 0 ? await session.get(unknown) : []
    const found = new Map(rows.map((row) => [keyOf(row), toSandboxRecord(row)]))
    for (const key of keys) {
      const record = changed.get(keyOf(key))
      if (record) found.set(keyOf(key), record)
    }
    return found
  }

  const write = (before: SandboxRecord | undefined, after: SandboxRecord): SandboxRecord => {
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
    const definition = kinds[kind]
    const read = readFields(definition, input)
    const references = referencesOf(kind, read)
    const found = await load(references)
    const previousReferences = new Set(previous && referencesOf(kind, previous).map(keyOf))
    for (const reference of references) {
      const target = found.get(keyOf(reference))
      // Existing references to a deleted or forgotten record stay valid; new ones are rejected.
      if ((!target || target.deleted) && !previousReferences.has(keyOf(reference)))
        throw new FieldError('no_such_record', reference.path)
    }
    const lookUp = (target: string, of: string) =>
      found.get(keyOf({ kind: target, id: of }))?.fields
    const instant = now.toISOString()
    const context = { id, previous, now: instant, today: instant.slice(0, 10), lookUp, nextId }
    return { ...read, ...definition.complete(read, context) }
  }

  const workspace: Workspace = {
    now: now.toISOString(),
    find: async (kind, id) => {
      const record = (await load([{ kind, id }])).get(keyOf({ kind, id }))
      // Safe cast: it was looked up by kind.
      return record?.deleted ? undefined : (record as SandboxRecord<typeof kind> | undefined)
    },
    live: async (kind) => {
      const known = new Map((await session.live(kind)).map((row) => [row.id, toSandboxRecord(row)]))
      for (const record of changed.values()) if (record.kind === kind) known.set(record.id, record)
      // Safe cast: all are of this kind.
      return [...known.values()].filter(({ deleted }) => !deleted).sort(byId) as SandboxRecord<
        typeof kind
      >[]
    },
    create: async (kind, input) => {
      const id = nextId(kinds[kind].prefix)
      const fields = await complete(kind, id, input, undefined)
      const created = tick()
      const draft = { kind, id, version: 1, deleted: false, created, modified: created, fields }
      // Safe cast: the kind completed the fields.
      const record = write(undefined, draft as unknown as SandboxRecord) as SandboxRecord<
        typeof kind
      >
      await applyEffects(workspace, undefined, record)
      return record
    },
    update: async (record, input) => {
      const { kind, id } = record
      const merged = { ...writableFieldsOf(kind, record.fields), ...input }
      const fields = await complete(kind, id, merged, record.fields)
      // Safe cast: the kind completed the fields.
      const written = write(record, { ...record, fields } as unknown as SandboxRecord)
      await applyEffects(workspace, record, written)
      // The effects may have changed the record itself.
      return changed.get(keyOf(record)) as typeof record
    },
    revise: async (record, fields) => {
      write(record, { ...record, fields: { ...record.fields, ...fields } })
    },
    remove: async (record) => {
      if (record.kind === 'ledger_accounts' && isControlAccount(record.id))
        throw new StateConflictError('in_use')
      await applyEffects(workspace, record, write(record, { ...record, deleted: true }))
    },
    retire: (record) => {
      write(record, { ...record, deleted: true })
    },
  }

  return {
    ...workspace,
    changes: () => ({
      tenant: { ...session.tenant, clock: new Date(clock).toISOString(), numbers },
      rows: [...changed.values()].map(toRow),
    }),
  }
}
