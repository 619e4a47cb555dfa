/** Checks with the real sync on a temporary database. */
import { type ListedResource, remoteIdsIn } from './listing.ts'
import type { Findings } from './result.ts'
import {
  compareStored,
  countChanges,
  readStoredRecords,
  type StoredRecords,
} from './stored-records.ts'
import type { Connection, Workbench } from './workbench.ts'

/** A credential whose records are stored, and what is stored. */
export interface SyncedConnection {
  readonly connection: Connection
  readonly stored: ReadonlyMap<string, StoredRecords>
  /** How many records were reported as created. */
  readonly created: number
}

const countOf = (stored: ReadonlyMap<string, StoredRecords>): number =>
  [...stored.values()].reduce((sum, { size }) => sum + size, 0)

/** Stores all records of a new credential. @throws AggregateError of the failed runs */
export const syncNew = async (bench: Workbench): Promise<SyncedConnection> => {
  const connection = await bench.connect()
  await bench.sync(connection)
  return {
    connection,
    stored: await readStoredRecords(bench, connection),
    created: (await countChanges(bench, connection)).get('created') ?? 0,
  }
}

/** The sync stores each listed record once. */
export const checkFirstSync = (
  { stored }: SyncedConnection,
  listed: readonly ListedResource[],
): Findings => ({
  problems: listed.flatMap(({ topic, resource, records }) => {
    const expected = new Set(remoteIdsIn(resource, records)).size
    const actual = stored.get(topic)?.size ?? 0
    return expected === actual ? [] : `${topic}: ${expected} records listed, ${actual} stored`
  }),
  summary: `${countOf(stored)} records stored`,
})

/** A second sync of unchanged records changes nothing. */
export const checkSecondSync = async (
  bench: Workbench,
  { connection, stored }: SyncedConnection,
): Promise<Findings> => {
  const before = await countChanges(bench, connection)
  await bench.sync(connection)
  const after = await countChanges(bench, connection)
  const kinds = [...after].flatMap(([kind, count]) => {
    const added = count - (before.get(kind) ?? 0)
    return added === 0 ? [] : `${added} records ${kind} by a second sync`
  })
  return {
    problems: [...kinds, ...compareStored(await readStoredRecords(bench, connection), stored)],
    summary: `${countOf(stored)} records unchanged`,
  }
}
