/** A workspace on a tenant that is held for writing. */
import type { SandboxRow, SandboxSession, SandboxTenant } from '../store/sandbox-records.ts'
import { carryOn } from './consequences.ts'
import { FieldError, type Fields, readFields, referencesIn } from './kinds/kind.ts'
import { type KindName, kinds, type Stored } from './kinds/kinds.ts'
import { isControlAccount } from './ledger.ts'
import { StateConflict, type Workspace } from './workspace.ts'

/** The record of a row. */
export const toStored = <K extends KindName>(row: SandboxRow): Stored<K> => {
  const { body, ...rest } = row
  // Rows of a kind are written by that kind's definition alone.
  return { ...rest, fields: body } as unknown as Stored<K>
}

const toRow = ({ fields, ...rest }: Stored): SandboxRow => ({ ...rest, body: { ...fields } })

const keyOf = ({ kind, id }: { readonly kind: string; readonly id: string }): string =>
  `${kind}/${id}`

/** The fields that a writer may give, as the record has them. */
const givenOf = (kind: KindName, fields: Fields): Fields =>
  Object.fromEntries(Object.keys(kinds[kind].fields.shape).map((name) => [name, fields[name]]))

const byId = (a: Stored, b: Stored): number =>
  a.id.length - b.id.length || (a.id < b.id ? -1 : a.id > b.id ? 1 : 0)

/** `settled` tells what the work leaves to be written. */
export const openWorkspace = (
  session: SandboxSession,
  now: Date,
): Workspace & { settled(): { tenant: SandboxTenant; rows: SandboxRow[] } } => {
  const touched = new Map<string, Stored>()
  /** Versions as they were before the work: however often a record is written in it, it gains one. */
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
  ): Promise<ReadonlyMap<string, Stored>> => {
    const unknown = keys.filter((key) => !touched.has(keyOf(key)))
    const rows = unknown.length > 0 ? await session.get(unknown) : []
    const found = new Map(rows.map((row) => [keyOf(row), toStored(row)]))
    for (const key of keys) {
      const record = touched.get(keyOf(key))
      if (record) found.set(keyOf(key), record)
    }
    return found
  }

  const write = (before: Stored | undefined, after: Stored): Stored => {
    const key = keyOf(after)
    if (before && !versions.has(key)) versions.set(key, touched.has(key) ? 0 : before.version)
    const written = { ...after, version: (versions.get(key) ?? 0) + 1, modified: tick() }
    touched.set(key, written)
    return written
  }

  /** The fields as the kind completes them, once every record that they name is found. */
  const complete = async (
    kind: KindName,
    id: string,
    given: Fields,
    previous: Fields | undefined,
  ): Promise<Fields> => {
    const definition = kinds[kind]
    const read = readFields(definition, given)
    const references = referencesIn(definition.fields, read)
    const found = await load(references)
    const earlier = new Set(
      previous ? referencesIn(definition.fields, previous).map(keyOf) : undefined,
    )
    for (const reference of references) {
      const target = found.get(keyOf(reference))
      // What was deleted since may stay named, but not be named anew.
      if (!target || (target.deleted && !earlier.has(keyOf(reference))))
        throw new FieldError('no_such_record', reference.path)
    }
    const look = (target: string, of: string) => found.get(keyOf({ kind: target, id: of }))?.fields
    const instant = now.toISOString()
    const context = { id, previous, now: instant, today: instant.slice(0, 10), look, nextId }
    return { ...read, ...definition.complete(read, context) }
  }

  const workspace: Workspace = {
    now: now.toISOString(),
    find: async (kind, id) => {
      const record = (await load([{ kind, id }])).get(keyOf({ kind, id }))
      // It was looked up by its kind.
      return record?.deleted ? undefined : (record as Stored<typeof kind> | undefined)
    },
    live: async (kind) => {
      const known = new Map((await session.live(kind)).map((row) => [row.id, toStored(row)]))
      for (const record of touched.values()) if (record.kind === kind) known.set(record.id, record)
      // All are of that kind.
      return [...known.values()].filter(({ deleted }) => !deleted).sort(byId) as Stored<
        typeof kind
      >[]
    },
    create: async (kind, given) => {
      const id = nextId(kinds[kind].prefix)
      const fields = await complete(kind, id, given, undefined)
      const created = tick()
      const draft = { kind, id, version: 1, deleted: false, created, modified: created, fields }
      // Completed by its kind.
      const record = write(undefined, draft as unknown as Stored) as Stored<typeof kind>
      await carryOn(workspace, undefined, record)
      return record
    },
    update: async (record, given) => {
      const { kind, id } = record
      const merged = { ...givenOf(kind, record.fields), ...given }
      const fields = await complete(kind, id, merged, record.fields)
      // Completed by its kind.
      const written = write(record, { ...record, fields } as unknown as Stored)
      await carryOn(workspace, record, written)
      // What it brought about may have come back to the record itself.
      return touched.get(keyOf(record)) as typeof record
    },
    revise: async (record, fields) => {
      write(record, { ...record, fields: { ...record.fields, ...fields } })
    },
    remove: async (record) => {
      if (record.kind === 'ledger_accounts' && isControlAccount(record.id))
        throw new StateConflict('in_use')
      await carryOn(workspace, record, write(record, { ...record, deleted: true }))
    },
    retire: (record) => {
      write(record, { ...record, deleted: true })
    },
  }

  return {
    ...workspace,
    settled: () => ({
      tenant: { ...session.tenant, clock: new Date(clock).toISOString(), numbers },
      rows: [...touched.values()].map(toRow),
    }),
  }
}
