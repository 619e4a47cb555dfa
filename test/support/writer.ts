/** Stores records as the sync and write engines do, and reads the results: the row, the change log, the response. */
import type { RecordRow } from '../../src/definition/mapping.ts'
import type { Resource } from '../../src/definition/resource.ts'
import type { Transaction } from '../../src/store/database/database.ts'
import {
  type AppliedChanges,
  type ApplyOptions,
  applyChanges,
} from '../../src/store/records/apply-changes.ts'
import { createLineWriter } from '../../src/store/records/record-lines.ts'
import { deleteAllRows } from './empty-tables.ts'
import type { Tenant, TestService } from './service.ts'

export interface Batch {
  readonly resource: Resource
  readonly credentialId: string
  /** Default: `newer`. */
  readonly accept?: ApplyOptions['accept']
  readonly requestedAt?: ApplyOptions['requestedAt']
}

/** One row of the change log. */
export interface Change {
  readonly kind: string
  readonly fields: readonly string[]
  readonly id: string
  readonly topic: string
  readonly credentialId: string
  readonly environmentId: string
  readonly record: Readonly<Record<string, unknown>>
}

export const createWriter = (service: TestService, { environmentId, key }: Tenant) => {
  const { prisma } = service.database
  const applyIn = (
    transaction: Transaction,
    rows: readonly RecordRow[],
    { resource, credentialId, accept = 'newer', requestedAt }: Batch,
  ): Promise<AppliedChanges> =>
    applyChanges(
      transaction,
      { credentialId, environmentId },
      resource,
      rows.map(createLineWriter(resource)),
      { accept, requestedAt },
    )

  /** The log, in the order of its readers. */
  const readLog = (): Promise<Change[]> =>
    prisma.$queryRaw`
      SELECT kind, changed_fields AS fields, record_id AS id, topic, record,
        credential_id AS "credentialId", environment_id AS "environmentId"
      FROM change_log.changes ORDER BY xid, sequence`

  return {
    applyIn,
    /** Runs in a transaction of its own. */
    apply: (rows: readonly RecordRow[], batch: Batch): Promise<AppliedChanges> =>
      service.database.transaction((transaction) => applyIn(transaction, rows, batch)),
    readLog,
    takeLog: async (): Promise<Change[]> => {
      const log = await readLog()
      await prisma.$executeRaw`DELETE FROM change_log.changes`
      return log
    },
    /** The row, with its `ctid` as the version: each update writes another one. */
    readRow: async (
      { table }: Resource,
      id: string,
    ): Promise<{ version: string; created_at: Date; updated_at: Date } | undefined> => {
      const [row] = await prisma.$queryRawUnsafe<
        { version: string; created_at: Date; updated_at: Date }[]
      >(`SELECT ctid::text AS version, created_at, updated_at FROM ${table} WHERE id = '${id}'`)
      return row
    },
    /** The record as REST shows it; undefined if it does not exist. */
    show: async ({ resource, credentialId }: Batch, id: string) => {
      const response = await service.rest(
        key,
        `${resource.restPath}/${encodeURIComponent(id)}?credentialId=${credentialId}`,
      )
      return response.json()[resource.name]
    },
    /** All records as REST shows them; at most 100. */
    list: async ({
      resource,
      credentialId,
    }: Batch): Promise<readonly { readonly id: string }[]> => {
      const path = `${resource.restPath}?credentialId=${credentialId}&pageSize=100`
      return (await service.rest(key, path)).json()[resource.plural]
    },
    /** Deletes every record and change. */
    empty: async (): Promise<void> => {
      await deleteAllRows(service.database)
      service.takeStatements()
    },
  }
}

export type Writer = ReturnType<typeof createWriter>
