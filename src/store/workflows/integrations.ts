/** Integrations and their versioned workflows, which the integrator defines. */
import { isDeepStrictEqual } from 'node:util'
import { Prisma } from '@prisma/client'
import type { Json } from '../../definition/connector.ts'
import { isUuid } from '../../definition/identity.ts'
import type { CreatedList } from '../accounts/created-list.ts'
import type { Database, Queryable, Transaction } from '../database/database.ts'
import { ensureIntegrationSecret } from '../secrets/integration-secrets.ts'
import type { Vault } from '../secrets/vault.ts'

const { sql } = Prisma

export interface WorkflowInput {
  /** The integrator's identifier, which matches the workflow with later definitions. */
  readonly slug: string
  readonly name: string
  readonly definition: Json
}

export interface IntegrationDefinition {
  readonly slug: string
  readonly name: string
  readonly app: string
  readonly icon: string | null
  readonly workflows: readonly WorkflowInput[]
}

/** An integration, with its installation state for an end user if one is specified. */
export interface IntegrationView {
  readonly integrationId: string
  readonly name: string
  readonly app: string
  readonly icon: string | null
  readonly installed: boolean
  readonly workflows: readonly {
    readonly workflowId: string
    readonly name: string
    readonly installed: boolean
    readonly version: number
    /** Null: not installed. */
    readonly installedVersion: number | null
    readonly active: boolean
  }[]
}

/** The environment of integrations, and the end user whose installation state is included. */
export interface IntegrationScope {
  readonly environmentId: string
  /** Undefined: no installation state. */
  readonly userId: string | undefined
}

/** SQL for integrations `i`, with their installation state for an end user. `tail`: what follows FROM and its joins. */
const views = (from: Prisma.Sql, userId: Prisma.Sql, tail: Prisma.Sql): Prisma.Sql => sql`
  SELECT i.id::text AS "integrationId", i.name, i.app, i.icon, n.installed_at IS NOT NULL AS installed,
    coalesce((
      SELECT json_agg(json_build_object('workflowId', w.id, 'name', w.name,
        'installed', iw.workflow_id IS NOT NULL, 'version', w.version,
        'installedVersion', iw.installed_version,
        'active', coalesce(iw.active AND n.enabled, false)) ORDER BY w.slug)
      FROM workflows w
      LEFT JOIN installed_workflows iw ON iw.workflow_id = w.id AND iw.installation_id = n.id
      WHERE w.integration_id = i.id), '[]') AS workflows
  FROM ${from}
  LEFT JOIN installations n ON n.integration_id = i.id AND n.user_id = ${userId} ${tail}`

/** Lists integrations, oldest first. One statement. */
export const listIntegrations = (
  { prisma }: Database,
  { environmentId, userId }: IntegrationScope,
): Promise<IntegrationView[]> =>
  prisma.$queryRaw<IntegrationView[]>(
    views(
      sql`integrations i`,
      sql`${userId ?? null}::uuid`,
      sql`WHERE i.environment_id = ${environmentId}::uuid ORDER BY i.created_at, i.id`,
    ),
  )

/** An integration, and the end user whose installation state is included. */
export interface IntegrationKey {
  readonly integrationId: string
  /** Undefined: no installation state. */
  readonly userId: string | undefined
}

/** Reads integrations by their keys, in their order; undefined if the environment does not have one. One statement. */
export const findIntegrations = async (
  { prisma }: Queryable,
  environmentId: string,
  keys: readonly IntegrationKey[],
): Promise<(IntegrationView | undefined)[]> => {
  const ids = keys.map(({ integrationId }) => integrationId)
  const userIds = keys.map(({ userId }) => userId ?? null)
  const from = sql`unnest(${ids}::uuid[], ${userIds}::uuid[]) WITH ORDINALITY AS k(id, user_id, place)
    LEFT JOIN integrations i ON i.id = k.id AND i.environment_id = ${environmentId}::uuid`
  const rows = await prisma.$queryRaw<(IntegrationView & { integrationId: string | null })[]>(
    views(from, sql`k.user_id`, sql`ORDER BY k.place`),
  )
  return rows.map((row) => (row.integrationId === null ? undefined : row))
}

/** Reads an integration; undefined if the environment does not have it. One statement. */
export const findIntegration = async (
  database: Queryable,
  { environmentId, userId }: IntegrationScope,
  integrationId: string,
): Promise<IntegrationView | undefined> => {
  const id = integrationId.toLowerCase()
  if (!isUuid(id)) return
  const [found] = await findIntegrations(database, environmentId, [{ integrationId: id, userId }])
  return found
}

interface StoredWorkflow {
  readonly id: string
  readonly slug: string
  readonly version: number
  readonly definition: Json
}

const saveWorkflow = async (
  transaction: Transaction,
  integrationId: string,
  stored: StoredWorkflow | undefined,
  { slug, name, definition }: WorkflowInput,
): Promise<void> => {
  const isSame = stored !== undefined && isDeepStrictEqual(stored.definition, definition)
  const version = stored === undefined ? 1 : stored.version + (isSame ? 0 : 1)
  const { id } = stored
    ? await transaction.prisma.workflow.update({
        where: { id: stored.id },
        data: { name, version },
      })
    : await transaction.prisma.workflow.create({ data: { integrationId, slug, name, version } })
  if (!isSame)
    await transaction.prisma.$executeRaw(sql`
      INSERT INTO workflow_versions (workflow_id, version, definition)
      VALUES (${id}::uuid, ${version}, ${JSON.stringify(definition)}::jsonb)`)
}

/**
 * Creates or updates an integration in one transaction. A workflow whose definition changed gets a new version.
 * Workflows that are no longer defined are deleted, including installed ones.
 * @returns 'other app' if the integration exists and connects a different app
 */
export const defineIntegration = async (
  database: Database,
  vault: Vault,
  environmentId: string,
  { slug, name, app, icon, workflows }: IntegrationDefinition,
): Promise<IntegrationView | 'other app'> =>
  database.transaction(async (transaction) => {
    // The upsert locks the row, so concurrent definitions of one integration are serialized.
    const [row] = await transaction.prisma.$queryRaw<{ id: string }[]>(sql`
      INSERT INTO integrations AS i (id, environment_id, slug, name, app, icon)
      VALUES (gen_random_uuid(), ${environmentId}::uuid, ${slug}, ${name}, ${app}, ${icon})
      ON CONFLICT (environment_id, slug) DO UPDATE
        SET name = excluded.name, icon = excluded.icon, updated_at = now()
        WHERE i.app = excluded.app
      RETURNING id::text`)
    if (row === undefined) return 'other app'
    await ensureIntegrationSecret(transaction, vault, { environmentId, id: row.id })
    const stored = await transaction.prisma.$queryRaw<StoredWorkflow[]>(sql`
      SELECT w.id::text, w.slug, w.version, v.definition FROM workflows w
      JOIN workflow_versions v ON v.workflow_id = w.id AND v.version = w.version
      WHERE w.integration_id = ${row.id}::uuid`)
    const storedBySlug = new Map(stored.map((workflow) => [workflow.slug, workflow]))
    await transaction.prisma.workflow.deleteMany({
      where: { integrationId: row.id, slug: { notIn: workflows.map((workflow) => workflow.slug) } },
    })
    for (const workflow of workflows)
      await saveWorkflow(transaction, row.id, storedBySlug.get(workflow.slug), workflow)
    const scope = { environmentId, userId: undefined }
    const view = await findIntegration(transaction, scope, row.id)
    if (view === undefined)
      throw new Error(`The integration ${row.id} disappeared while it was locked.`)
    return view
  })

/** Deletes an integration and its installations. @returns whether the environment had it */
export const deleteIntegration = async (
  database: Database,
  environmentId: string,
  integrationId: string,
): Promise<boolean> => {
  const id = integrationId.toLowerCase()
  if (!isUuid(id)) return false
  return database.transaction(async (transaction) => {
    // Locked, so that it cannot be installed in between.
    const locked = await transaction.prisma.$queryRaw<unknown[]>(sql`
      SELECT FROM integrations WHERE id = ${id}::uuid AND environment_id = ${environmentId}::uuid
      FOR UPDATE`)
    if (locked.length === 0) return false
    await transaction.prisma.installation.deleteMany({ where: { integrationId: id } })
    await transaction.prisma.integration.delete({ where: { id } })
    return true
  })
}

export interface WorkflowUser {
  readonly userId: string
  readonly username: string
  readonly fullName: string
  readonly workflowActive: boolean
  readonly installedVersion: number
}

/** Whether the environment has a workflow with this id. */
export const hasWorkflow = async (
  { prisma }: Queryable,
  environmentId: string,
  workflowId: string,
): Promise<boolean> => {
  const id = workflowId.toLowerCase()
  if (!isUuid(id)) return false
  return (await prisma.workflow.count({ where: { id, integration: { environmentId } } })) > 0
}

/** The end users of a workflow; with `userId`, only that one. */
export interface WorkflowUserFilter {
  readonly workflowId: string
  readonly userId: string | undefined
}

/** The end users who have an existing workflow installed. */
export const workflowUsersOf = ({
  workflowId,
  userId,
}: WorkflowUserFilter): CreatedList<WorkflowUser, WorkflowUser> => ({
  alias: 'u',
  columns: sql`u.id::text AS "userId", u.username, coalesce(u.full_name, '') AS "fullName",
    iw.active AND n.enabled AS "workflowActive", iw.installed_version AS "installedVersion"`,
  from: sql`installed_workflows iw
    JOIN installations n ON n.id = iw.installation_id
    JOIN end_users u ON u.id = n.user_id`,
  where: sql`iw.workflow_id = ${workflowId}::uuid
    ${userId === undefined ? Prisma.empty : sql`AND u.id = ${userId}::uuid`}`,
  toEntry: (user) => user,
})
