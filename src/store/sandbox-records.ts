/**
 * Where the sandbox app keeps what it knows: a table of records by tenant and kind, and of each tenant one
 * row that says who may enter and where its clock stands. Whoever writes holds that row, so a tenant's
 * writes commit in the order of their instants, and a reader never sees a later one first.
 */
import { Prisma } from '@prisma/client'
import type { Database, Transaction } from './database.ts'

const { sql } = Prisma

// No kind of the sandbox begins with an underscore.
const TENANT_KIND = '_tenant'
const TENANT_ID = 'tenant'

/** A record of the sandbox as the table has it; `body` holds the fields of its kind. */
export interface SandboxRow {
  readonly kind: string
  readonly id: string
  readonly version: number
  readonly deleted: boolean
  /** ISO 8601, milliseconds; so is `modified`. */
  readonly created: string
  readonly modified: string
  readonly body: Readonly<Record<string, unknown>>
}

/** What is kept of a tenant beside its records. */
export interface SandboxTenant {
  readonly token: string
  readonly seed: number
  /** The instant of the tenant's making. ISO 8601. */
  readonly start: string
  /** The instant of its last write: the next is later. */
  readonly clock: string
  /** How many steps its life has taken, and when it took the last. */
  readonly steps: number
  readonly steppedAt: string
  /** The last number given for each prefix of ids. */
  readonly numbers: Readonly<Record<string, number>>
}

interface TableRow extends Omit<SandboxRow, 'created' | 'modified'> {
  readonly created: Date
  readonly modified: Date
}

const columns = sql`kind, id, version, deleted, created_at AS created, updated_at AS modified, body`

const fromTable = (row: TableRow): SandboxRow => ({
  ...row,
  created: row.created.toISOString(),
  modified: row.modified.toISOString(),
})

const isTenant = (tenant: string): Prisma.Sql =>
  sql`tenant = ${tenant} AND kind = ${TENANT_KIND} AND id = ${TENANT_ID}`

/** The tenant, or undefined if it was never made. One statement. */
export const getSandboxTenant = async (
  { prisma }: Database,
  tenant: string,
): Promise<SandboxTenant | undefined> => {
  const [row] = await prisma.$queryRaw<{ body: SandboxTenant }[]>(
    sql`SELECT body FROM sandbox_records WHERE ${isTenant(tenant)}`,
  )
  return row?.body
}

/** The names of all tenants, in alphabetical order. */
export const listSandboxTenants = async ({ prisma }: Database): Promise<string[]> => {
  const rows = await prisma.$queryRaw<{ tenant: string }[]>(
    sql`SELECT tenant FROM sandbox_records WHERE kind = ${TENANT_KIND} ORDER BY tenant`,
  )
  return rows.map(({ tenant }) => tenant)
}

const writeRows = async (
  transaction: Transaction,
  tenant: string,
  rows: readonly SandboxRow[],
): Promise<void> => {
  if (rows.length === 0) return
  await transaction.$executeRaw(sql`
    INSERT INTO sandbox_records (tenant, kind, id, version, deleted, created_at, updated_at, body)
    SELECT ${tenant}, kind, id, version, deleted, created, modified, body
    FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(kind text, id text, version integer,
      deleted boolean, created timestamptz, modified timestamptz, body jsonb)
    ON CONFLICT (tenant, kind, id) DO UPDATE SET version = excluded.version,
      deleted = excluded.deleted, updated_at = excluded.updated_at, body = excluded.body`)
}

/** Makes a tenant with its first records, unless there is one of that name already. One transaction. */
export const createSandboxTenant = (
  { prisma }: Database,
  tenant: string,
  first: () => { readonly tenant: SandboxTenant; readonly rows: readonly SandboxRow[] },
): Promise<'created' | 'exists'> =>
  prisma.$transaction(async (transaction) => {
    // Of several at once, one goes on; the others wait here for it to end.
    const taken = await transaction.$executeRaw(sql`
      INSERT INTO sandbox_records (tenant, kind, id, created_at, updated_at, body)
      VALUES (${tenant}, ${TENANT_KIND}, ${TENANT_ID}, now(), now(), '{}') ON CONFLICT DO NOTHING`)
    if (taken === 0) return 'exists'
    const { tenant: body, rows } = first()
    await transaction.$executeRaw(sql`
      UPDATE sandbox_records SET body = ${JSON.stringify(body)}::jsonb WHERE ${isTenant(tenant)}`)
    await writeRows(transaction, tenant, rows)
    return 'created'
  })

/** A page of a listing: what was asked for, in the order of change. */
export interface SandboxPage {
  /** Only records changed at or after this instant, deleted ones too; undefined: all that are there. */
  readonly since: string | undefined
  /** Only records beyond this one. */
  readonly after: { readonly modified: string; readonly id: string } | undefined
  readonly limit: number
}

/** Records of a kind by (modified, id). One statement. */
export const listSandboxRecords = async (
  { prisma }: Database,
  tenant: string,
  kind: string,
  { since, after, limit }: SandboxPage,
): Promise<SandboxRow[]> => {
  const range =
    since === undefined ? sql`AND NOT deleted` : sql`AND updated_at >= ${since}::timestamptz`
  const beyond = after
    ? sql`AND (updated_at, id) > (${after.modified}::timestamptz, ${after.id})`
    : Prisma.empty
  const rows = await prisma.$queryRaw<TableRow[]>(sql`
    SELECT ${columns} FROM sandbox_records
    WHERE tenant = ${tenant} AND kind = ${kind} ${range} ${beyond}
    ORDER BY updated_at, id LIMIT ${limit}`)
  return rows.map(fromTable)
}

/** One record, deleted or not; undefined if there never was one. One statement. */
export const getSandboxRecord = async (
  { prisma }: Pick<Database, 'prisma'> | { readonly prisma: Transaction },
  tenant: string,
  kind: string,
  id: string,
): Promise<SandboxRow | undefined> => {
  const [row] = await prisma.$queryRaw<TableRow[]>(
    sql`SELECT ${columns} FROM sandbox_records WHERE tenant = ${tenant} AND kind = ${kind} AND id = ${id}`,
  )
  return row && fromTable(row)
}

/** A tenant while it is held for writing. */
export interface SandboxSession {
  readonly tenant: SandboxTenant
  /** Records by kind and id, deleted ones too. One statement for all. */
  get(keys: readonly { readonly kind: string; readonly id: string }[]): Promise<SandboxRow[]>
  /** The records of a kind that are not deleted, by id. */
  live(kind: string): Promise<SandboxRow[]>
}

/** What a piece of work leaves behind. */
export interface SandboxOutcome<T> {
  readonly result: T
  readonly tenant: SandboxTenant
  readonly rows: readonly SandboxRow[]
  /** Records deleted before this instant (ISO 8601) are forgotten, all but the last `least` deleted ones. */
  readonly forget?: { readonly before: string; readonly least: number }
}

/**
 * Holds a tenant, lets `work` read and decide, and writes what it decided: all of it or nothing.
 * @returns undefined if there is no such tenant
 */
export const changeSandbox = <T>(
  { prisma }: Database,
  name: string,
  work: (session: SandboxSession) => Promise<SandboxOutcome<T>>,
): Promise<T | undefined> =>
  prisma.$transaction(async (transaction) => {
    const [held] = await transaction.$queryRaw<{ body: SandboxTenant }[]>(
      sql`SELECT body FROM sandbox_records WHERE ${isTenant(name)} FOR UPDATE`,
    )
    if (!held) return
    const { result, tenant, rows, forget } = await work({
      tenant: held.body,
      get: async (keys) => {
        const found = await transaction.$queryRaw<TableRow[]>(sql`
          SELECT ${columns} FROM sandbox_records
          JOIN unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ id }) => id)}::text[])
            AS wanted(kind, id) USING (kind, id)
          WHERE tenant = ${name}`)
        return found.map(fromTable)
      },
      live: async (kind) => {
        const found = await transaction.$queryRaw<TableRow[]>(sql`
          SELECT ${columns} FROM sandbox_records
          WHERE tenant = ${name} AND kind = ${kind} AND NOT deleted ORDER BY id`)
        return found.map(fromTable)
      },
    })
    await writeRows(transaction, name, rows)
    if (forget)
      await transaction.$executeRaw(sql`
        DELETE FROM sandbox_records
        WHERE tenant = ${name} AND deleted AND updated_at < ${forget.before}::timestamptz
          AND updated_at < (SELECT updated_at FROM sandbox_records WHERE tenant = ${name} AND deleted
            ORDER BY updated_at DESC OFFSET ${forget.least} LIMIT 1)`)
    if (tenant !== held.body)
      await transaction.$executeRaw(sql`
        UPDATE sandbox_records SET body = ${JSON.stringify(tenant)}::jsonb WHERE ${isTenant(name)}`)
    return result
  })
