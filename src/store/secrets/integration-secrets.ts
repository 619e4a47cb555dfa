/** Signing secrets for the requests of an integration's workflows: encrypted, and two during a rotation. */
import { Prisma } from '@prisma/client'
import { isUuid } from '../../definition/identity.ts'
import type { Database, Queryable } from '../database/database.ts'
import { msFromNow } from '../database/time-sql.ts'
import type { Vault } from './vault.ts'
import { newWebhookSecret, ROTATION_MS } from './webhook-secrets.ts'

const { sql } = Prisma

interface IntegrationPlace {
  readonly environmentId: string
  readonly id: string
}

/** The stored, encrypted secrets of an integration. */
export interface SealedSecrets {
  readonly environmentId: string
  readonly integrationId: string
  /** Null: the integration was last defined before secrets existed. */
  readonly sealedSecret: Uint8Array | null
  /** Null: no previous secret signs. */
  readonly sealedOldSecret: Uint8Array | null
}

/** Creates the secret of an integration if it has none. The update locks its row. */
export const ensureIntegrationSecret = async (
  { prisma }: Queryable,
  vault: Vault,
  place: IntegrationPlace,
): Promise<void> => {
  const { id, environmentId } = place
  await prisma.$executeRaw`
    UPDATE integrations
    SET sealed_secret = ${vault.seal({ kind: 'integration', ...place }, newWebhookSecret())},
      updated_at = clock_timestamp()
    WHERE id = ${id}::uuid AND environment_id = ${environmentId}::uuid AND sealed_secret IS NULL`
}

/** Creates the secrets of integrations that an earlier version defined without one. @returns how many */
export const ensureAllSecrets = async (database: Database, vault: Vault): Promise<number> => {
  const places = await database.prisma.integration.findMany({
    where: { sealedSecret: null },
    select: { id: true, environmentId: true },
  })
  for (const place of places) await ensureIntegrationSecret(database, vault, place)
  return places.length
}

/** Decrypts the secrets that sign now, newest first; empty if the integration has none. */
export const openIntegrationSecrets = (
  vault: Vault,
  { environmentId, integrationId: id, sealedSecret, sealedOldSecret }: SealedSecrets,
): readonly string[] => [
  ...(sealedSecret ? [vault.open({ kind: 'integration', environmentId, id }, sealedSecret)] : []),
  ...(sealedOldSecret
    ? [vault.open({ kind: 'old-integration', environmentId, id }, sealedOldSecret)]
    : []),
]

/** Reads an integration's secret; undefined if the integration or its secret does not exist. One statement. */
export const readIntegrationSecret = async (
  { prisma }: Database,
  vault: Vault,
  environmentId: string,
  integrationId: string,
): Promise<string | undefined> => {
  const id = integrationId.toLowerCase()
  if (!isUuid(id)) return
  const row = await prisma.integration.findFirst({
    where: { id, environmentId },
    select: { sealedSecret: true },
  })
  return row?.sealedSecret
    ? vault.open({ kind: 'integration', environmentId, id }, row.sealedSecret)
    : undefined
}

/**
 * Rotates an integration's secret. The previous secret also signs for 24 h.
 * @returns the new secret; undefined if the environment has no such integration
 */
export const rotateIntegrationSecret = (
  database: Database,
  vault: Vault,
  environmentId: string,
  integrationId: string,
): Promise<string | undefined> =>
  database.transaction(async (transaction) => {
    const id = integrationId.toLowerCase()
    if (!isUuid(id)) return
    // Locked, so that of two concurrent rotations the second replaces the secret of the first.
    await transaction.prisma.$queryRaw`SELECT 1 FROM integrations WHERE id = ${id}::uuid FOR UPDATE`
    const row = await transaction.prisma.integration.findFirst({
      where: { id, environmentId },
      select: { sealedSecret: true },
    })
    if (row === null) return
    const place = { environmentId, id }
    const secret = newWebhookSecret()
    const old = row.sealedSecret && vault.open({ kind: 'integration', ...place }, row.sealedSecret)
    const oldColumns =
      old === null
        ? Prisma.empty
        : sql`, sealed_old_secret = ${vault.seal({ kind: 'old-integration', ...place }, old)},
            old_secret_until = ${msFromNow(ROTATION_MS)}`
    await transaction.prisma.$executeRaw(sql`
      UPDATE integrations
      SET sealed_secret = ${vault.seal({ kind: 'integration', ...place }, secret)},
        updated_at = clock_timestamp() ${oldColumns}
      WHERE id = ${id}::uuid`)
    return secret
  })
