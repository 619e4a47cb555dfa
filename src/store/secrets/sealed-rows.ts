/**
 * All encrypted values of the database: checks that they can be decrypted, and re-encrypts them with another
 * key. Rows are processed in batches and no lock outlives a statement, so readers and writers are not blocked.
 */
import { Prisma } from '@prisma/client'
import type { Database } from '../database/database.ts'
import { type SecretContext, type Vault, VaultError } from './vault.ts'

const { sql, raw } = Prisma

interface SealedColumn {
  readonly kind: SecretContext['kind']
  readonly table: string
  readonly column: string
  /** The column of the row's id. Default: `id`. */
  readonly idColumn?: string
  readonly idType: 'uuid' | 'text'
  readonly hasEnvironment: boolean
}

/** Every column with encrypted values. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    kind: 'credential',
    table: 'credentials',
    column: 'sealed_values',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'authorization',
    table: 'authorizations',
    column: 'sealed_flow',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'tokens',
    table: 'credential_tokens',
    column: 'sealed_tokens',
    idColumn: 'credential_id',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'oauth-client',
    table: 'oauth_clients',
    column: 'sealed_secret',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'oauth-webhook',
    table: 'oauth_clients',
    column: 'sealed_webhook_secret',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'webhook',
    table: 'webhook_subscriptions',
    column: 'sealed_secret',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'old-webhook',
    table: 'webhook_subscriptions',
    column: 'sealed_old_secret',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'inbound',
    table: 'inbound_subscriptions',
    column: 'sealed_secret',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'integration',
    table: 'integrations',
    column: 'sealed_secret',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'old-integration',
    table: 'integrations',
    column: 'sealed_old_secret',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'answer',
    table: 'idempotent_requests',
    column: 'sealed_body',
    idType: 'uuid',
    hasEnvironment: true,
  },
  {
    kind: 'signing-key',
    table: 'signing_keys',
    column: 'sealed_key',
    idType: 'text',
    hasEnvironment: false,
  },
]

const BATCH = 500

/** A stored value is encrypted with a key that this process does not have. */
export class MissingEncryptionKeyError extends Error {
  override readonly name = 'MissingEncryptionKeyError'
  readonly code = 'MISSING_ENCRYPTION_KEY'
}

/** Lists the ids of the keys that encrypted the stored values. */
const listKeyIds = async ({ prisma }: Database): Promise<readonly string[]> => {
  const columns = sealedColumns.map(
    ({ table, column }) => sql`
      SELECT substring(${raw(column)} FROM 3 FOR get_byte(${raw(column)}, 1)) AS id
      FROM ${raw(table)} WHERE ${raw(column)} IS NOT NULL`,
  )
  const rows = await prisma.$queryRaw<{ id: string }[]>(sql`
    SELECT DISTINCT convert_from(id, 'LATIN1') AS id FROM (${Prisma.join(columns, ' UNION ')}) AS used
    ORDER BY 1`)
  return rows.map(({ id }) => id)
}

/**
 * Checks at start that this process has every key that stored values need.
 * @returns whether a value is encrypted with a key other than the first
 * @throws MissingEncryptionKeyError
 */
export const checkEncryptionKeys = async (database: Database, vault: Vault): Promise<boolean> => {
  const used = await listKeyIds(database)
  const missing = used.filter((id) => !vault.keyIds.includes(id))
  if (missing.length > 0)
    throw new MissingEncryptionKeyError(
      `The database contains secrets encrypted with missing keys: ${missing.join(', ')} (available: ` +
        `${vault.keyIds.join(', ')}). Add them to TRUNKLINE_ENCRYPTION_KEYS, or restore the file ` +
        'encryption.keys in the data directory.',
    )
  return used.some((id) => id !== vault.keyIds[0])
}

interface SealedRow {
  readonly id: string
  readonly environmentId: string | null
  readonly sealed: Uint8Array
}

const secretContextOf = (
  kind: SecretContext['kind'],
  { id, environmentId }: SealedRow,
): SecretContext =>
  kind === 'signing-key' ? { kind, id } : { kind, id, environmentId: environmentId ?? '' }

/** The condition that a column's value is not encrypted with the first key. */
const isOlder = ({ column }: SealedColumn, { currentHeader }: Vault): Prisma.Sql =>
  sql`substring(${raw(column)} FROM 1 FOR ${currentHeader.length}) <> ${currentHeader}`

const toHex = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')

export interface ResealProgress {
  readonly table: string
  readonly resealed: number
}

export interface ResealResult {
  readonly resealed: number
  /** `table/id` of values that cannot be decrypted; they are not changed. */
  readonly broken: readonly string[]
  /** Values written in the meantime by a process whose first key is still an older one. */
  readonly remaining: number
}

/** Re-encrypts every value with the vault's first key, while the service runs. */
export const resealRows = async (
  { prisma }: Database,
  vault: Vault,
  onProgress: (progress: ResealProgress) => void = () => {},
): Promise<ResealResult> => {
  const broken: string[] = []
  let resealed = 0

  const resealBatch = async (column: SealedColumn, after: string): Promise<string | undefined> => {
    const { kind, table, idType, hasEnvironment } = column
    const name = raw(column.column)
    const rowId = raw(column.idColumn ?? 'id')
    const rows = await prisma.$queryRaw<SealedRow[]>(sql`
      SELECT ${rowId}::text AS id, ${name} AS sealed,
        ${hasEnvironment ? sql`environment_id::text` : sql`NULL`} AS "environmentId"
      FROM ${raw(table)} WHERE ${rowId} > ${after}::${raw(idType)} AND ${isOlder(column, vault)}
      ORDER BY ${rowId} LIMIT ${BATCH}`)
    const changes = rows.flatMap((row) => {
      const context = secretContextOf(kind, row)
      try {
        const plain = vault.open(context, row.sealed)
        return [{ id: row.id, old: toHex(row.sealed), fresh: toHex(vault.seal(context, plain)) }]
      } catch (error) {
        if (!(error instanceof VaultError)) throw error
        broken.push(`${table}/${row.id}`)
        return []
      }
    })
    // A row that changed after it was read has a newer value and is skipped.
    resealed += await prisma.$executeRaw(sql`
      UPDATE ${raw(table)} t SET ${name} = decode(r.fresh, 'hex')
      FROM unnest(${changes.map(({ id }) => id)}::${raw(idType)}[],
        ${changes.map(({ old }) => old)}::text[], ${changes.map(({ fresh }) => fresh)}::text[])
        AS r(id, old, fresh)
      WHERE t.${rowId} = r.id AND t.${name} = decode(r.old, 'hex')`)
    if (rows.length > 0) onProgress({ table, resealed })
    return rows.at(-1)?.id
  }

  const countOlder = async (column: SealedColumn): Promise<number> => {
    const [row] = await prisma.$queryRaw<{ count: number }[]>(sql`
      SELECT count(*)::integer AS count FROM ${raw(column.table)} WHERE ${isOlder(column, vault)}`)
    return row?.count ?? 0
  }

  for (const column of sealedColumns) {
    const first = column.idType === 'uuid' ? '00000000-0000-0000-0000-000000000000' : ''
    for (let after: string | undefined = first; after !== undefined; )
      after = await resealBatch(column, after)
  }
  const counts = await Promise.all(sealedColumns.map(countOlder))
  const older = counts.reduce((sum, count) => sum + count, 0)
  return { resealed, broken, remaining: older - broken.length }
}

interface PlainRow {
  readonly id: string
  readonly environmentId: string
  /** The JSON as text. */
  readonly plain: string
}

/**
 * Encrypts the credentials that an earlier version stored in plain text, and clears the plain text. Any number
 * of processes may do this concurrently: each takes rows that no other process has locked.
 * @returns how many this process encrypted
 */
export const sealPlainCredentials = async (database: Database, vault: Vault): Promise<number> => {
  for (let total = 0; ; ) {
    const count = await database.transaction(async (transaction) => {
      const rows = await transaction.prisma.$queryRaw<PlainRow[]>(sql`
        SELECT id::text, environment_id::text AS "environmentId", values::text AS plain
        FROM credentials WHERE values IS NOT NULL ORDER BY id LIMIT ${BATCH} FOR UPDATE SKIP LOCKED`)
      const sealed = rows.map(({ id, environmentId, plain }) =>
        toHex(vault.seal({ kind: 'credential', environmentId, id }, plain)),
      )
      return transaction.prisma.$executeRaw(sql`
        UPDATE credentials c SET sealed_values = decode(r.sealed, 'hex'), values = NULL
        FROM unnest(${rows.map(({ id }) => id)}::uuid[], ${sealed}::text[]) AS r(id, sealed)
        WHERE c.id = r.id`)
    })
    if (count === 0) return total
    total += count
  }
}
