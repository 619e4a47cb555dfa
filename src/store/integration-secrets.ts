/** The secrets that sign what an integration's workflows post: sealed, and two while one takes over. */
import { isUuid } from '../definition/identity.ts'
import type { Database, Transaction } from './database.ts'
import type { Vault } from './vault.ts'
import { newWebhookSecret, ROTATION_MS } from './webhook-secrets.ts'

interface IntegrationPlace {
  readonly environmentId: string
  readonly id: string
}

/** The sealed secrets of an integration as they are stored. */
export interface SealedSecrets {
  readonly environmentId: string
  readonly integrationId: string
  /** Null: defined before there were secrets, and not since. */
  readonly sealedSecret: Uint8Array | null
  /** Null: it signs no more. */
  readonly sealedOldSecret: Uint8Array | null
}

/** Gives an integration a secret, if it has none; its row is held. */
export const ensureIntegrationSecret = async (
  transaction: Transaction,
  vault: Vault,
  place: IntegrationPlace,
): Promise<void> => {
  await transaction.integration.updateMany({
    where: { ...place, sealedSecret: null },
    data: { sealedSecret: vault.seal({ kind: 'integration', ...place }, newWebhookSecret()) },
  })
}

/** Gives a secret to every integration that was defined before there were any. @returns how many */
export const ensureAllSecrets = async ({ prisma }: Database, vault: Vault): Promise<number> => {
  const places = await prisma.integration.findMany({
    where: { sealedSecret: null },
    select: { id: true, environmentId: true },
  })
  for (const place of places) await ensureIntegrationSecret(prisma, vault, place)
  return places.length
}

/** The secrets that sign now, the newest first; none before there is one. */
export const openIntegrationSecrets = (
  vault: Vault,
  { environmentId, integrationId: id, sealedSecret, sealedOldSecret }: SealedSecrets,
): readonly string[] => [
  ...(sealedSecret ? [vault.open({ kind: 'integration', environmentId, id }, sealedSecret)] : []),
  ...(sealedOldSecret
    ? [vault.open({ kind: 'old-integration', environmentId, id }, sealedOldSecret)]
    : []),
]

/** Undefined if the environment has no such integration, or none with a secret. One statement. */
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
 * Gives an integration a new secret. For 24 h the one before signs as well.
 * @returns the new one; undefined if the environment has no such integration
 */
export const rotateIntegrationSecret = (
  { prisma }: Database,
  vault: Vault,
  environmentId: string,
  integrationId: string,
): Promise<string | undefined> =>
  prisma.$transaction(async (transaction) => {
    const id = integrationId.toLowerCase()
    if (!isUuid(id)) return
    // Held: of two rotations at once the second takes over from the first.
    await transaction.$queryRaw`SELECT 1 FROM integrations WHERE id = ${id}::uuid FOR UPDATE`
    const row = await transaction.integration.findFirst({
      where: { id, environmentId },
      select: { sealedSecret: true },
    })
    if (row === null) return
    const place = { environmentId, id }
    const secret = newWebhookSecret()
    await transaction.integration.update({
      where: { id },
      data: {
        sealedSecret: vault.seal({ kind: 'integration', ...place }, secret),
        ...(row.sealedSecret && {
          sealedOldSecret: vault.seal(
            { kind: 'old-integration', ...place },
            vault.open({ kind: 'integration', ...place }, row.sealedSecret),
          ),
          oldSecretUntil: new Date(Date.now() + ROTATION_MS),
        }),
      },
    })
    return secret
  })
