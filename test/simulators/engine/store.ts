/** The records of one account (company, portal, shop) and the log of their changes. */
import type { Clock } from './clock.ts'
import type { JsonObject } from './json.ts'

export interface StoredRecord {
  readonly type: string
  readonly id: string
  /** Counts the writes, from 0. Lock tokens derive from it. */
  readonly version: number
  readonly createdAtMs: number
  readonly updatedAtMs: number
  /** Never modified: a write replaces it. */
  readonly value: JsonObject
}

export interface Change {
  /** 1, 2, …: the order of the changes of an account. */
  readonly sequence: number
  readonly atMs: number
  readonly type: string
  readonly id: string
  /** `created`, `updated`, `deleted`, or the vendor's own word: `voided`, `merged`. */
  readonly action: string
  readonly before: StoredRecord | undefined
  readonly after: StoredRecord | undefined
}

export interface Store {
  /** Each call returns the next number of this series as text: `1`, `2`, … */
  nextId(series: string): string
  find(type: string, id: string): StoredRecord | undefined
  /** All records of a type in the order of their creation. */
  list(type: string): readonly StoredRecord[]
  /**
   * What `build` derives from the records of the first type, and perhaps of the others; built again only after a
   * record of one of these types has changed. A key has one builder.
   */
  view<T>(types: readonly string[], key: string, build: (records: readonly StoredRecord[]) => T): T
  /** @throws if the id exists */
  insert(type: string, id: string, value: JsonObject, action?: string): StoredRecord
  /** @throws if the id does not exist */
  replace(type: string, id: string, value: JsonObject, action?: string): StoredRecord
  /** @throws if the id does not exist */
  remove(type: string, id: string, action?: string): void
  /** The changes after this sequence number, oldest first. */
  changesAfter(sequence: number): readonly Change[]
  /** The records of a type as they were at a time, e.g. for a search index that lags. */
  listAsOf(type: string, atMs: number): readonly StoredRecord[]
  /** Undoes the writes of `work` if it throws. Listeners are called after its end. */
  transaction<T>(work: () => T): T
  /** Calls `listener` with each change of a completed write. */
  onChange(listener: (change: Change) => void): void
}

/** The records of one type. */
interface Table {
  readonly records: Map<string, StoredRecord>
  /** The number of changes to the records so far. */
  revision: number
}

interface View {
  readonly revisions: readonly number[]
  readonly value: unknown
}

const MAX_VIEWS = 64

export const createStore = (clock: Pick<Clock, 'nowMs'>): Store => {
  const tables = new Map<string, Table>()
  const views = new Map<string, View>()
  const series = new Map<string, number>()
  const log: Change[] = []
  const listeners: ((change: Change) => void)[] = []
  let isInTransaction = false

  const tableOf = (type: string): Table => {
    const table = tables.get(type) ?? { records: new Map(), revision: 0 }
    tables.set(type, table)
    return table
  }

  const setRecord = (type: string, id: string, record: StoredRecord | undefined): void => {
    const table = tableOf(type)
    if (record === undefined) table.records.delete(id)
    else table.records.set(id, record)
    table.revision++
  }

  const announce = (changes: readonly Change[]): void => {
    for (const change of changes) for (const listener of listeners) listener(change)
  }

  const write = (
    type: string,
    id: string,
    action: string,
    build: (before: StoredRecord | undefined, atMs: number) => StoredRecord | undefined,
  ): Change => {
    const before = tableOf(type).records.get(id)
    const atMs = clock.nowMs()
    const after = build(before, atMs)
    const change = { sequence: log.length + 1, atMs, type, id, action, before, after }
    setRecord(type, id, after)
    log.push(change)
    if (!isInTransaction) announce([change])
    return change
  }

  const requireBefore = (before: StoredRecord | undefined, type: string, id: string) => {
    if (before === undefined) throw new Error(`${type} ${id} does not exist`)
    return before
  }

  const undoTo = (length: number): void => {
    for (const { type, id, before } of log.splice(length).reverse()) setRecord(type, id, before)
  }

  const view: Store['view'] = (types, key, build) => {
    const name = `${types.join()}:${key}`
    const revisions = types.map((type) => tableOf(type).revision)
    const known = views.get(name)
    // The value is that of the key's only builder.
    if (known?.revisions.every((revision, index) => revision === revisions[index]))
      return known.value as ReturnType<typeof build>
    if (views.size >= MAX_VIEWS) views.clear()
    const value = build([...tableOf(types[0] ?? '').records.values()])
    views.set(name, { revisions, value })
    return value
  }

  return {
    nextId: (name) => {
      const next = (series.get(name) ?? 0) + 1
      series.set(name, next)
      return String(next)
    },
    find: (type, id) => tableOf(type).records.get(id),
    list: (type) => view([type], 'list', (records) => records),
    view,
    insert: (type, id, value, action = 'created') => {
      const { after } = write(type, id, action, (before, atMs) => {
        if (before) throw new Error(`${type} ${id} exists already`)
        return { type, id, version: 0, createdAtMs: atMs, updatedAtMs: atMs, value }
      })
      return requireBefore(after, type, id)
    },
    replace: (type, id, value, action = 'updated') => {
      const { after } = write(type, id, action, (before, atMs) => {
        const { version, createdAtMs } = requireBefore(before, type, id)
        return { type, id, version: version + 1, createdAtMs, updatedAtMs: atMs, value }
      })
      return requireBefore(after, type, id)
    },
    remove: (type, id, action = 'deleted') => {
      write(type, id, action, (before) => void requireBefore(before, type, id))
    },
    changesAfter: (sequence) => log.slice(sequence),
    listAsOf: (type, atMs) => {
      const records = new Map(tableOf(type).records)
      for (const change of log.toReversed()) {
        if (change.atMs <= atMs) break
        if (change.type !== type) continue
        if (change.before === undefined) records.delete(change.id)
        else records.set(change.id, change.before)
      }
      return [...records.values()]
    },
    transaction: (work) => {
      if (isInTransaction) return work()
      const length = log.length
      isInTransaction = true
      try {
        const result = work()
        isInTransaction = false
        announce(log.slice(length))
        return result
      } catch (error) {
        undoTo(length)
        throw error
      } finally {
        isInTransaction = false
      }
    },
    onChange: (listener) => {
      listeners.push(listener)
    },
  }
}
