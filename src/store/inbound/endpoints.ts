/** The addresses that apps deliver webhooks to. */
import { Prisma } from '@prisma/client'
import { isUuid } from '../../definition/identity.ts'
import type { Database, Transaction } from '../database/database.ts'

const { sql } = Prisma

/** An address, with what the verification of its deliveries needs. */
export interface InboundEndpoint {
  readonly id: string
  readonly environmentId: string
  readonly app: string
  readonly sealedSecret: Uint8Array | null
  /** Null: all credentials of the environment share the address. */
  readonly credential: {
    readonly id: string
    readonly environmentId: string
    readonly sealedValues: Uint8Array | null
    readonly values: unknown
  } | null
}

/** Reads an address of an app; undefined: there is none with this id. One statement. */
export const readEndpoint = async (
  { prisma }: Database,
  app: string,
  id: string,
): Promise<InboundEndpoint | undefined> => {
  if (!isUuid(id)) return
  const endpoint = await prisma.inboundSubscription.findFirst({
    where: { id, app },
    select: {
      id: true,
      environmentId: true,
      app: true,
      sealedSecret: true,
      credential: { select: { id: true, environmentId: true, sealedValues: true, values: true } },
    },
  })
  return endpoint ?? undefined
}

/** Adds the missing addresses of credentials that were created before their connector had webhooks. */
export const addMissingEndpoints = async (
  { prisma }: Database,
  apps: readonly string[],
): Promise<void> => {
  if (apps.length === 0) return
  await prisma.$executeRaw(sql`
    INSERT INTO inbound_subscriptions (id, environment_id, app, credential_id)
    SELECT gen_random_uuid(), c.environment_id, c.app, c.id FROM credentials c
    WHERE c.app = ANY (${apps}::text[])
      AND NOT EXISTS (SELECT FROM inbound_subscriptions s WHERE s.credential_id = c.id)
    ON CONFLICT DO NOTHING`)
}

/** Adds the address that all credentials of an environment share, unless it exists. */
export const addSharedEndpoint = async (
  { prisma }: Database,
  environmentId: string,
  app: string,
): Promise<void> => {
  await prisma.$executeRaw(sql`
    INSERT INTO inbound_subscriptions (id, environment_id, app, due_at, check_at)
    SELECT gen_random_uuid(), ${environmentId}::uuid, ${app}, 'infinity', 'infinity'
    WHERE NOT EXISTS (SELECT FROM inbound_subscriptions s
      WHERE s.environment_id = ${environmentId}::uuid AND s.app = ${app} AND s.credential_id IS NULL)
    ON CONFLICT DO NOTHING`)
}

/** Deletes the addresses of credentials that will be deleted. */
export const deleteEndpoints = async (
  { prisma }: Transaction,
  credentialIds: readonly string[],
): Promise<void> => {
  await prisma.$executeRaw(sql`
    WITH locked AS MATERIALIZED (
      SELECT s.id FROM inbound_subscriptions s
      WHERE s.credential_id = ANY (${credentialIds}::uuid[])
      -- The lock order of renewals: prevents deadlocks.
      ORDER BY s.id FOR UPDATE OF s
    )
    DELETE FROM inbound_subscriptions s USING locked l WHERE s.id = l.id`)
}
