/** End users' use of integrations: begun, completed, switched off and on, upgraded and ended. */
import { Prisma } from '@prisma/client'
import type { Json } from '../definition/connector.ts'
import { isUuid } from '../definition/identity.ts'
import { choose, fillChoice, listOwn, NO_CHOICE } from './credential-choice.ts'
import type { Database, Transaction } from './database.ts'
import { holdUser } from './hold-user.ts'
import type { UserPage } from './users.ts'

const { sql } = Prisma

export interface Installation {
  readonly installationId: string
  readonly integrationId: string
  readonly userId: string
  readonly credentialIds: readonly string[]
  readonly workflowIds: readonly string[]
  /** ISO 8601; null: begun, not completed. */
  readonly installedAt: string | null
  readonly enabled: boolean
}

/** Whose installations: those of an environment, or of one end user of it. */
export interface InstallationOwner {
  readonly environmentId: string
  readonly userId: string | undefined
}

interface InstallationRow extends Omit<Installation, 'installedAt'> {
  readonly installedAt: Date | null
}

const isOwned = ({ environmentId, userId }: InstallationOwner): Prisma.Sql => sql`
  n.integration_id IN (SELECT id FROM integrations WHERE environment_id = ${environmentId}::uuid)
  ${userId === undefined ? Prisma.empty : sql`AND n.user_id = ${userId}::uuid`}`

const read = async (
  prisma: Transaction,
  where: Prisma.Sql,
  page = Prisma.empty,
): Promise<Installation[]> => {
  const rows = await prisma.$queryRaw<InstallationRow[]>(sql`
    SELECT n.id::text AS "installationId", n.integration_id::text AS "integrationId",
      n.user_id::text AS "userId", n.credential_ids::text[] AS "credentialIds",
      ARRAY(SELECT iw.workflow_id::text FROM installed_workflows iw JOIN workflows w
        ON w.id = iw.workflow_id WHERE iw.installation_id = n.id ORDER BY w.slug) AS "workflowIds",
      n.installed_at AS "installedAt", n.enabled
    FROM installations n WHERE ${where} ORDER BY n.created_at, n.id ${page}`)
  return rows.map((row) => ({ ...row, installedAt: row.installedAt?.toISOString() ?? null }))
}

const readOne = async (prisma: Transaction, id: string): Promise<Installation> => {
  const [found] = await read(prisma, sql`n.id = ${id}::uuid`)
  if (found === undefined) throw new Error('An installation is gone while it is held.')
  return found
}

/** Oldest first, those begun among them. One statement. */
export const listInstallations = (
  { prisma }: Database,
  owner: InstallationOwner,
  { size, number }: UserPage,
): Promise<Installation[]> =>
  read(
    prisma,
    isOwned(owner),
    size === undefined ? Prisma.empty : sql`LIMIT ${size} OFFSET ${size * (number - 1)}`,
  )

/** Undefined if the owner has no such installation. One statement. */
export const findInstallation = async (
  { prisma }: Database,
  owner: InstallationOwner,
  installationId: string,
): Promise<Installation | undefined> => {
  const id = installationId.toLowerCase()
  if (!isUuid(id)) return
  const [found] = await read(prisma, sql`n.id = ${id}::uuid AND ${isOwned(owner)}`)
  return found
}

export interface NewInstallation {
  readonly userId: string
  readonly integrationId: string
  /** Undefined: those of an earlier beginning, or the newest of the integration's app. */
  readonly credentialIds: readonly string[] | undefined
}

/**
 * Begins an installation, or takes it up again: an end user has one of each integration.
 * @returns what is not there, if not the installation
 */
export const startInstallation = async (
  { prisma }: Database,
  environmentId: string,
  { userId, integrationId, credentialIds }: NewInstallation,
): Promise<Installation | 'no user' | 'no integration' | 'no credential'> =>
  prisma.$transaction(async (transaction) => {
    // Held, so that no credential goes in between.
    if (!(await holdUser(transaction, environmentId, userId))) return 'no user'
    const id = integrationId.toLowerCase()
    if (!isUuid(id)) return 'no integration'
    const [integration] = await transaction.$queryRaw<{ app: string }[]>(sql`
      SELECT app FROM integrations WHERE id = ${id}::uuid AND environment_id = ${environmentId}::uuid
      FOR KEY SHARE`)
    if (integration === undefined) return 'no integration'
    const own = await listOwn(transaction, userId)
    const given = credentialIds && [...new Set(credentialIds.map((one) => one.toLowerCase()))]
    if (given?.some((one) => own.every((credential) => credential.id !== one)))
      return 'no credential'
    const key = { integrationId_userId: { integrationId: id, userId } }
    const before = await transaction.installation.findUnique({ where: key })
    const known = before ?? NO_CHOICE
    const isOpen = given === undefined && known.credentialIds.length === 0
    const choice = isOpen
      ? fillChoice(own, known, integration.app)
      : choose(own, known, given ?? known.credentialIds)
    const begun = await transaction.installation.upsert({
      where: key,
      create: { ...key.integrationId_userId, ...choice },
      update: choice,
    })
    return readOne(transaction, begun.id)
  })

/**
 * Holds an installation until the transaction ends, and before it its end user, so that no credential comes
 * or goes, and its integration, so that no workflow does.
 */
const hold = async (
  transaction: Transaction,
  owner: InstallationOwner,
  installationId: string,
): Promise<{ id: string; isComplete: boolean } | undefined> => {
  const id = installationId.toLowerCase()
  if (!isUuid(id)) return
  await transaction.$queryRaw(sql`
    SELECT FROM end_users u JOIN installations n ON n.user_id = u.id
    WHERE n.id = ${id}::uuid AND ${isOwned(owner)} FOR UPDATE OF u`)
  await transaction.$queryRaw(sql`
    SELECT FROM integrations g JOIN installations n ON n.integration_id = g.id
    WHERE n.id = ${id}::uuid AND ${isOwned(owner)} FOR SHARE OF g`)
  const [held] = await transaction.$queryRaw<{ id: string; isComplete: boolean }[]>(sql`
    SELECT n.id::text, n.installed_at IS NOT NULL AS "isComplete" FROM installations n
    WHERE n.id = ${id}::uuid AND ${isOwned(owner)} FOR UPDATE OF n`)
  return held
}

/** Installs the newest version of every workflow. */
const installWorkflows = async (transaction: Transaction, id: string): Promise<void> => {
  await transaction.$executeRaw(sql`
    INSERT INTO installed_workflows AS iw (installation_id, workflow_id, installed_version, active_since)
    SELECT n.id, w.id, w.version, clock_timestamp() FROM installations n
    JOIN workflows w ON w.integration_id = n.integration_id WHERE n.id = ${id}::uuid
    ON CONFLICT (installation_id, workflow_id) DO UPDATE
      SET installed_version = excluded.installed_version
      WHERE iw.installed_version <> excluded.installed_version`)
}

/** Switches an installation, and with it those of its workflows that are not off by themselves. */
const switchInstallation = async (
  transaction: Transaction,
  id: string,
  enabled: boolean,
): Promise<void> => {
  await transaction.$executeRaw(sql`
    UPDATE installed_workflows iw SET active_since = clock_timestamp() FROM installations n
    WHERE n.id = ${id}::uuid AND NOT n.enabled AND iw.installation_id = n.id`)
  await transaction.installation.update({ where: { id }, data: { enabled } })
}

/**
 * Completes an installation with what the end user chose: its workflows are installed as they now are. One
 * that is complete keeps its versions, and is switched on. @returns the app that is missing, if the end user
 * has no credential of the integration's
 */
export const completeInstallation = async (
  { prisma }: Database,
  owner: InstallationOwner,
  installationId: string,
  data: Json,
): Promise<Installation | 'no installation' | { readonly missing: string }> =>
  prisma.$transaction(async (transaction) => {
    const held = await hold(transaction, owner, installationId)
    if (held === undefined) return 'no installation'
    const { id } = held
    const { userId, integration, ...before } = await transaction.installation.findUniqueOrThrow({
      where: { id },
      select: {
        ...{ userId: true, credentialIds: true, chosenApps: true },
        integration: { select: { app: true } },
      },
    })
    const { app } = integration
    const own = await listOwn(transaction, userId)
    const { credentialIds, chosenApps } = fillChoice(own, before, app)
    if (!own.some((one) => one.app === app && credentialIds.includes(one.id)))
      return { missing: app }
    await transaction.$executeRaw(sql`
      UPDATE installations SET data = ${JSON.stringify(data)}::jsonb,
        installed_at = coalesce(installed_at, now()),
        credential_ids = ${credentialIds}::uuid[], chosen_apps = ${chosenApps}
      WHERE id = ${id}::uuid`)
    if (!held.isComplete) await installWorkflows(transaction, id)
    await switchInstallation(transaction, id, true)
    return readOne(transaction, id)
  })

/** What can be done to an installation that is complete. */
export type InstallationChange =
  | { readonly enabled: boolean }
  | { readonly workflowId: string; readonly active: boolean }
  | 'upgrade'

/** Switches a workflow on or off. What changed while it was off never sets it off. @returns whether it is there */
const switchWorkflow = async (
  transaction: Transaction,
  id: string,
  workflowId: string,
  active: boolean,
): Promise<boolean> => {
  const written = await transaction.$executeRaw(sql`
    UPDATE installed_workflows SET active = ${active},
      active_since = CASE WHEN active THEN active_since ELSE clock_timestamp() END
    WHERE installation_id = ${id}::uuid AND workflow_id = ${workflowId}::uuid`)
  return written > 0
}

const change = async (
  transaction: Transaction,
  id: string,
  what: InstallationChange,
): Promise<boolean> => {
  if (what === 'upgrade') await installWorkflows(transaction, id)
  else if ('enabled' in what) await switchInstallation(transaction, id, what.enabled)
  else {
    const workflowId = what.workflowId.toLowerCase()
    return isUuid(workflowId) && switchWorkflow(transaction, id, workflowId, what.active)
  }
  return true
}

/** @returns what is not there, or not yet complete, if not the installation as it now is */
export const changeInstallation = async (
  { prisma }: Database,
  owner: InstallationOwner,
  installationId: string,
  what: InstallationChange,
): Promise<Installation | 'no installation' | 'not complete' | 'no workflow'> =>
  prisma.$transaction(async (transaction) => {
    const held = await hold(transaction, owner, installationId)
    if (held === undefined) return 'no installation'
    if (!held.isComplete) return 'not complete'
    return (await change(transaction, held.id, what))
      ? readOne(transaction, held.id)
      : 'no workflow'
  })

/** Ends an installation, complete or not. @returns whether the owner had it */
export const deleteInstallation = async (
  { prisma }: Database,
  owner: InstallationOwner,
  installationId: string,
): Promise<boolean> => {
  const id = installationId.toLowerCase()
  if (!isUuid(id)) return false
  const deleted = await prisma.$executeRaw(
    sql`DELETE FROM installations n WHERE n.id = ${id}::uuid AND ${isOwned(owner)}`,
  )
  return deleted > 0
}
