/** The stored records of a credential in a form in which those of two credentials can be compared. */
import { Prisma } from '@prisma/client'
import { catalogue } from '../../../src/generated/catalogue.ts'
import type { Connection, Workbench } from './workbench.ts'

const { raw, sql } = Prisma

/** The fields that differ between two copies of a stored record. */
const OWN_COLUMNS = ['id', 'credential_id', 'created_at', 'updated_at', 'document']

/** The stored records of a resource as JSON, by remote id. Ids of records are those of the app. */
export type StoredRecords = ReadonlyMap<string, string>

const rowsOf = ({ database }: Workbench, topic: string, { credentialId }: Connection) =>
  database.prisma.$queryRaw<{ id: string; remoteId: string; record: string }[]>(sql`
    SELECT id::text, remote_id AS "remoteId", (to_jsonb(t) - ${OWN_COLUMNS}::text[])::text AS record
    FROM ${raw(catalogue.get(topic).table)} t WHERE credential_id = ${credentialId}::uuid`)

/** The stored records of every resource, by topic. */
export const readStoredRecords = async (
  bench: Workbench,
  connection: Connection,
): Promise<ReadonlyMap<string, StoredRecords>> => {
  const topics = Object.keys(bench.connector.resources)
  const rows = await Promise.all(
    topics.map(async (topic) => ({ topic, stored: await rowsOf(bench, topic, connection) })),
  )
  const names = new Map(
    rows.flatMap(({ topic, stored }) =>
      stored.map(({ id, remoteId }) => [id, `${topic} ${remoteId}`] as const),
    ),
  )
  // The ids of records begin with those of their credential; a target that is not stored has no other name.
  const ids = new RegExp(`${connection.credentialId.slice(0, 8)}-[0-9a-f-]{27}`, 'g')
  const normalize = (record: string): string =>
    record.replace(ids, (id) => names.get(id) ?? 'a record that is not stored')
  return new Map(
    rows.map(({ topic, stored }) => [
      topic,
      new Map(stored.map(({ remoteId, record }) => [remoteId, normalize(record)])),
    ]),
  )
}

/** The differences between stored records, each named by its topic and remote id. */
export const compareStored = (
  actual: ReadonlyMap<string, StoredRecords>,
  expected: ReadonlyMap<string, StoredRecords>,
): readonly string[] =>
  [...expected].flatMap(([topic, records]) => {
    const found = actual.get(topic) ?? new Map<string, string>()
    const ids = new Set([...records.keys(), ...found.keys()])
    return [...ids].flatMap((id) => {
      if (!found.has(id)) return `${topic} ${id} is missing`
      if (!records.has(id)) return `${topic} ${id} is stored and should not be`
      return found.get(id) === records.get(id) ? [] : `${topic} ${id} differs`
    })
  })

/** How many changes of records the change log has for a credential, by kind. */
export const countChanges = async (
  { database }: Workbench,
  { credentialId }: Connection,
): Promise<ReadonlyMap<string, number>> => {
  const rows = await database.prisma.$queryRaw<{ kind: string; count: number }[]>`
    SELECT kind, count(*)::integer AS count FROM change_log.changes
    WHERE record_id IS NOT NULL AND credential_id = ${credentialId}::uuid GROUP BY kind`
  return new Map(rows.map(({ kind, count }) => [kind, count]))
}
