/** OAuth clients: the integrator's registration with each app, one per environment and app. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import type { Queryable } from '../database/database.ts'
import type { Vault } from '../secrets/vault.ts'

const { sql } = Prisma

/** An OAuth client belongs to an environment and an app. */
export interface OAuthClientKey {
  readonly environmentId: string
  readonly app: string
}

/** An OAuth client without its secret. */
export interface OAuthClientSummary {
  readonly app: string
  readonly clientId: string
  /** The scopes to request; null: those that the connector declares. */
  readonly scopes: readonly string[] | null
  /** Whether the app signs its webhooks with another secret than that of the client. */
  readonly hasWebhookSecret: boolean
  readonly createdAt: Date
  readonly updatedAt: Date
}

/** An OAuth client, as the authorization server knows it. */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: string
  /** The app's signing secret of webhooks; null or undefined: the client secret. */
  readonly webhookSecret?: string | null
  /** Null: those that the connector declares. */
  readonly scopes: readonly string[] | null
}

/** Sets the OAuth client of an app, in place of an earlier one. */
export const setOAuthClient = async (
  { prisma }: Queryable,
  vault: Vault,
  { environmentId, app }: OAuthClientKey,
  { clientId, clientSecret, webhookSecret = null, scopes }: OAuthClient,
): Promise<void> => {
  // A new id, because the secrets are encrypted with it before the row is known.
  const id = randomUUID()
  const sealed = vault.seal({ kind: 'oauth-client', environmentId, id }, clientSecret)
  const sealedWebhook =
    webhookSecret === null
      ? null
      : vault.seal({ kind: 'oauth-webhook', environmentId, id }, webhookSecret)
  await prisma.$executeRaw(sql`
    INSERT INTO oauth_clients (id, environment_id, app, client_id, sealed_secret, sealed_webhook_secret, scopes)
    VALUES (${id}::uuid, ${environmentId}::uuid, ${app}, ${clientId}, ${sealed}, ${sealedWebhook}, ${scopes}::text[])
    ON CONFLICT (environment_id, app) DO UPDATE SET id = excluded.id, client_id = excluded.client_id,
      sealed_secret = excluded.sealed_secret, sealed_webhook_secret = excluded.sealed_webhook_secret,
      scopes = excluded.scopes, updated_at = clock_timestamp()`)
}

/** Reads the OAuth client of an app with its secrets; undefined if none is set. @throws VaultError */
export const readOAuthClient = async (
  { prisma }: Queryable,
  vault: Vault,
  { environmentId, app }: OAuthClientKey,
): Promise<OAuthClient | undefined> => {
  const [row] = await prisma.$queryRaw<
    {
      id: string
      clientId: string
      sealedSecret: Uint8Array
      sealedWebhook: Uint8Array | null
      scopes: string[] | null
    }[]
  >(sql`
    SELECT id::text, client_id AS "clientId", sealed_secret AS "sealedSecret",
      sealed_webhook_secret AS "sealedWebhook", scopes
    FROM oauth_clients WHERE environment_id = ${environmentId}::uuid AND app = ${app}`)
  if (!row) return
  const { id, clientId, sealedSecret, sealedWebhook, scopes } = row
  const clientSecret = vault.open({ kind: 'oauth-client', environmentId, id }, sealedSecret)
  const webhookSecret =
    sealedWebhook && vault.open({ kind: 'oauth-webhook', environmentId, id }, sealedWebhook)
  return { clientId, clientSecret, webhookSecret, scopes }
}

/** Lists the OAuth clients of an environment without their secrets, by app. */
export const listOAuthClients = (
  { prisma }: Queryable,
  environmentId: string,
): Promise<OAuthClientSummary[]> =>
  prisma.$queryRaw<OAuthClientSummary[]>(sql`
    SELECT app, client_id AS "clientId", scopes, sealed_webhook_secret IS NOT NULL AS "hasWebhookSecret",
      created_at AS "createdAt", updated_at AS "updatedAt"
    FROM oauth_clients WHERE environment_id = ${environmentId}::uuid ORDER BY app`)

/** Deletes the OAuth client of an app. @returns whether there was one */
export const deleteOAuthClient = async (
  { prisma }: Queryable,
  { environmentId, app }: OAuthClientKey,
): Promise<boolean> => {
  const count = await prisma.$executeRaw(
    sql`DELETE FROM oauth_clients WHERE environment_id = ${environmentId}::uuid AND app = ${app}`,
  )
  return count > 0
}
