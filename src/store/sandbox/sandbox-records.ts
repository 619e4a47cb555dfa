/**
 * Storage of the sandbox app: a table of records by tenant and kind, with one row per tenant for its token and
 * clock. Writers lock that row, so a tenant's writes commit in the order of their timestamps, and a reader
 * never sees a later write before an earlier one.
 */
import { hash } from 'node:crypto'
import { Prisma } from '@prisma/client'
import type { Database, Queryable, Transaction } from '../database/database.ts'

const { sql } = Prisma

// Kinds of the sandbox never start with an underscore.
const TENANT_KIND = '_tenant'
const TENANT_ID = 'tenant'

/** A stored record of the sandbox. */
export interface SandboxRow {
  readonly kind: string
  readonly id: string
  readonly version: number
  readonly deleted: boolean
  /** ISO 8601 with milliseconds, like `modified`. */
  readonly created: string
  readonly modified: string
  /** The fields of its kind. */
  readonly fields: Readonly<Record<string, unknown>>
}

/** The state of a tenant, apart from its records. */
export interface SandboxTenant {
  /** Computed by `hashSandboxToken`. */
  readonly tokenHash: string
  /** The form of the records; absent on tenants of the first versions. */
  readonly form?: number
  readonly seed: number
  /** When the tenant was created. ISO 8601. */
  readonly start: string
  /** Timestamp of the tenant's last write; the next write has a later one. */
  readonly clock: string
  /** Number of simulation steps, and the time of the last one. */
  readonly steps: number
  readonly steppedAt: string
  /** The last number used for each id prefix. */
  readonly numbers: Readonly<Record<string, number>>
}

interface TableRow extends Omit<SandboxRow, 'created' | 'modified'> {
  readonly created: Date
  readonly modified: Date
}

const columns = sql`kind, id, version, deleted, created_at AS created, updated_at AS modified,
  body AS fields`

const fromTable = (row: TableRow): SandboxRow => ({
  ...row,
  created: row.created.toISOString(),
  modified: row.modified.toISOString(),
})

const isTenant = (tenant: string): Prisma.Sql =>
  sql`tenant = ${tenant} AND kind = ${TENANT_KIND} AND id = ${TENANT_ID}`

/** The hash of a tenant's token: SHA-256, hex. The tenant's name acts as a salt. */
export const hashSandboxToken = (tenant: string, token: string): string =>
  hash('sha256', `${tenant}:${token}`, 'hex')

/** Reads a tenant; undefined if it does not exist. One statement. */
export const getSandboxTenant = async (
  { prisma }: Database,
  tenant: string,
): Promise<SandboxTenant | undefined> => {
  // A process of an earlier version, which may still be running, creates tenants with a plain-text token.
  const [row] = await prisma.$queryRaw<{ body: SandboxTenant & { readonly token?: string } }[]>(
    sql`SELECT body FROM sandbox_records WHERE ${isTenant(tenant)}`,
  )
  if (row?.body.token === undefined) return row?.body
  const { token, ...body } = row.body
  return { ...body, tokenHash: hashSandboxToken(tenant, token) }
}

/** Replaces a tenant's token. */
export const setSandboxToken = async (
  { prisma }: Database,
  tenant: string,
  token: string,
): Promise<void> => {
  await prisma.$executeRaw(sql`
    UPDATE sandbox_records SET body = (body - 'token')
      || jsonb_build_object('tokenHash', ${hashSandboxToken(tenant, token)}::text)
    WHERE ${isTenant(tenant)}`)
}

/** Replaces plain-text tokens of an earlier version with their hashes. @returns how many */
export const hashPlainSandboxTokens = ({ prisma }: Database): Promise<number> =>
  prisma.$executeRaw(sql`
    UPDATE sandbox_records SET body = (body - 'token') || jsonb_build_object('tokenHash',
      encode(sha256(convert_to(tenant || ':' || (body->>'token'), 'UTF8')), 'hex'))
    WHERE kind = ${TENANT_KIND} AND body ? 'token'`)

const listTenants = async ({ prisma }: Database, condition: Prisma.Sql): Promise<string[]> => {
  const rows = await prisma.$queryRaw<{ tenant: string }[]>(
    sql`SELECT tenant FROM sandbox_records WHERE kind = ${TENANT_KIND} AND ${condition} ORDER BY tenant`,
  )
  return rows.map(({ tenant }) => tenant)
}

/** The names of all tenants, in alphabetical order. */
export const listSandboxTenants = (database: Database): Promise<string[]> =>
  listTenants(database, sql`true`)

/** The names of the tenants whose records do not have this form, in alphabetical order. */
export const listOutdatedTenants = (database: Database, form: number): Promise<string[]> =>
  listTenants(database, sql`(body->>'form')::integer IS DISTINCT FROM ${form}`)

/** The rows as the SQL relation `r`. */
const rowsAs = (rows: readonly SandboxRow[]): Prisma.Sql => sql`
  jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS r(kind text, id text, version integer,
    deleted boolean, created timestamptz, modified timestamptz, fields jsonb)`

const writeRows = async (
  transaction: Transaction,
  tenant: string,
  rows: readonly SandboxRow[],
): Promise<void> => {
  if (rows.length === 0) return
  await transaction.prisma.$executeRaw(sql`
    INSERT INTO sandbox_records (tenant, kind, id, version, deleted, created_at, updated_at, body)
    SELECT ${tenant}, kind, id, version, deleted, created, modified, fields FROM ${rowsAs(rows)}
    ON CONFLICT (tenant, kind, id) DO UPDATE SET version = excluded.version,
      deleted = excluded.deleted, updated_at = excluded.updated_at, body = excluded.body`)
}

/** Creates a tenant with its first records, unless one with that name exists. One statement. */
export const createSandboxTenant = async (
  { prisma }: Database,
  name: string,
  { tenant, rows }: { readonly tenant: SandboxTenant; readonly rows: readonly SandboxRow[] },
): Promise<'created' | 'exists'> => {
  // A concurrent process that creates the same tenant waits here for the first one, then inserts nothing.
  const inserted = await prisma.$executeRaw(sql`
    WITH created AS (
      INSERT INTO sandbox_records (tenant, kind, id, created_at, updated_at, body)
      VALUES (${name}, ${TENANT_KIND}, ${TENANT_ID}, now(), now(), ${JSON.stringify(tenant)}::jsonb)
      ON CONFLICT DO NOTHING RETURNING tenant)
    INSERT INTO sandbox_records (tenant, kind, id, version, deleted, created_at, updated_at, body)
    SELECT tenant, r.kind, r.id, r.version, r.deleted, r.created, r.modified, r.fields
    FROM created, ${rowsAs(rows)}`)
  return inserted > 0 ? 'created' : 'exists'
}

/** A request for one page of records, in the order of change. */
export interface SandboxPage {
  /** Only records changed at or after this time, including deleted ones; undefined: all that are not deleted. */
  readonly since: string | undefined
  /** Only records after this one. */
  readonly after: { readonly modified: string; readonly id: string } | undefined
  readonly limit: number
}

/** Lists records of a kind, ordered by (modified, id). One statement. */
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

/** Reads one record, deleted or not; undefined if it does not exist. One statement. */
export const getSandboxRecord = async (
  { prisma }: Queryable,
  tenant: string,
  kind: string,
  id: string,
): Promise<SandboxRow | undefined> => {
  const [row] = await prisma.$queryRaw<TableRow[]>(
    sql`SELECT ${columns} FROM sandbox_records WHERE tenant = ${tenant} AND kind = ${kind} AND id = ${id}`,
  )
  return row && fromTable(row)
}

/** A tenant that is locked for writing. */
export interface SandboxSession {
  readonly tenant: SandboxTenant
  /** Reads records by kind and id, including deleted ones. One statement for all. */
  get(keys: readonly { readonly kind: string; readonly id: string }[]): Promise<SandboxRow[]>
  /** Reads the records of a kind that are not deleted, ordered by id. */
  live(kind: string): Promise<SandboxRow[]>
}

/** The result of a change, with the state to store. */
export interface SandboxOutcome<T> {
  readonly result: T
  readonly tenant: SandboxTenant
  readonly rows: readonly SandboxRow[]
  /** Removes records deleted before this time (ISO 8601), except the `least` most recently deleted ones. */
  readonly forget?: { readonly before: string; readonly least: number }
}

/**
 * Locks a tenant, runs `work`, and stores its outcome, all in one transaction.
 * @returns undefined if the tenant does not exist
 */
export const changeSandbox = <T>(
  database: Database,
  name: string,
  work: (session: SandboxSession) => Promise<SandboxOutcome<T>>,
): Promise<T | undefined> =>
  database.transaction(async (transaction) => {
    const [locked] = await transaction.prisma.$queryRaw<{ body: SandboxTenant }[]>(
      sql`SELECT body FROM sandbox_records WHERE ${isTenant(name)} FOR UPDATE`,
    )
    if (!locked) return
    const { result, tenant, rows, forget } = await work({
      tenant: locked.body,
      get: async (keys) => {
        const records = await transaction.prisma.$queryRaw<TableRow[]>(sql`
          SELECT ${columns} FROM sandbox_records
          JOIN unnest(${keys.map(({ kind }) => kind)}::text[], ${keys.map(({ id }) => id)}::text[])
            AS wanted(kind, id) USING (kind, id)
          WHERE tenant = ${name}`)
        return records.map(fromTable)
      },
      live: async (kind) => {
        const records = await transaction.prisma.$queryRaw<TableRow[]>(sql`
          SELECT ${columns} FROM sandbox_records
          WHERE tenant = ${name} AND kind = ${kind} AND NOT deleted ORDER BY id`)
        return records.map(fromTable)
      },
    })
    await writeRows(transaction, name, rows)
    if (forget)
      await transaction.prisma.$executeRaw(sql`
        DELETE FROM sandbox_records
        WHERE tenant = ${name} AND deleted AND updated_at < ${forget.before}::timestamptz
          AND updated_at < (SELECT updated_at FROM sandbox_records WHERE tenant = ${name} AND deleted
            ORDER BY updated_at DESC OFFSET ${forget.least} LIMIT 1)`)
    if (tenant !== locked.body)
      await transaction.prisma.$executeRaw(sql`
        UPDATE sandbox_records SET body = ${JSON.stringify(tenant)}::jsonb WHERE ${isTenant(name)}`)
    return result
  })
