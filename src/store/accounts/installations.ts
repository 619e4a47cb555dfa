/** Installations of integrations: start, complete, activate, deactivate, upgrade and delete. */
import { Prisma } from '@prisma/client'
import type { Json } from '../../definition/connector.ts'
import { isUuid } from '../../definition/identity.ts'
import type { Database, Transaction } from '../database/database.ts'
import { choose, fillChoice, listOwn, NO_CHOICE } from './credential-choice.ts'
import {
  type InstallationOwner,
  isOwned,
  readLockedInstallation,
  type StoredInstallation,
} from './listed-installations.ts'
import { lockUser } from './lock-user.ts'

const { sql } = Prisma

export interface NewInstallation {
  readonly userId: string
  readonly integrationId: string
  /** Undefined: the credentials of an earlier start, or the newest credential of the integration's app. */
  readonly credentialIds: readonly string[] | undefined
}

/**
 * Starts or resumes an installation. An end user has one installation per integration.
 * @returns the installation, or what does not exist
 */
export const startInstallation = async (
  database: Database,
  environmentId: string,
  { userId, integrationId, credentialIds }: NewInstallation,
): Promise<StoredInstallation | 'no user' | 'no integration' | 'no credential'> =>
  database.transaction(async (transaction) => {
    // Locked, so that no credential is deleted in between.
    if (!(await lockUser(transaction, environmentId, userId))) return 'no user'
    const id = integrationId.toLowerCase()
    if (!isUuid(id)) return 'no integration'
    const [integration] = await transaction.prisma.$queryRaw<{ app: string }[]>(sql`
      SELECT app FROM integrations WHERE id = ${id}::uuid AND environment_id = ${environmentId}::uuid
      FOR KEY SHARE`)
    if (integration === undefined) return 'no integration'
    const own = await listOwn(transaction, userId)
    const chosen = credentialIds && [...new Set(credentialIds.map((one) => one.toLowerCase()))]
    if (chosen?.some((one) => own.every((credential) => credential.id !== one)))
      return 'no credential'
    const key = { integrationId_userId: { integrationId: id, userId } }
    const before = await transaction.prisma.installation.findUnique({ where: key })
    const earlier = before ?? NO_CHOICE
    const hasNoChoice = chosen === undefined && earlier.credentialIds.length === 0
    const choice = hasNoChoice
      ? fillChoice(own, earlier, integration.app)
      : choose(own, earlier, chosen ?? earlier.credentialIds)
    const started = await transaction.prisma.installation.upsert({
      where: key,
      create: { ...key.integrationId_userId, ...choice },
      update: choice,
    })
    return readLockedInstallation(transaction, started.id)
  })

/**
 * Locks an installation until the transaction ends. It first locks the end user, so that credentials do not
 * change, and the integration, so that workflows do not change.
 */
const lock = async (
  transaction: Transaction,
  owner: InstallationOwner,
  installationId: string,
): Promise<{ id: string; isComplete: boolean } | undefined> => {
  const id = installationId.toLowerCase()
  if (!isUuid(id)) return
  await transaction.prisma.$queryRaw(sql`
    SELECT FROM end_users u JOIN installations n ON n.user_id = u.id
    WHERE n.id = ${id}::uuid AND ${isOwned(owner)} FOR UPDATE OF u`)
  await transaction.prisma.$queryRaw(sql`
    SELECT FROM integrations g JOIN installations n ON n.integration_id = g.id
    WHERE n.id = ${id}::uuid AND ${isOwned(owner)} FOR SHARE OF g`)
  const [locked] = await transaction.prisma.$queryRaw<{ id: string; isComplete: boolean }[]>(sql`
    SELECT n.id::text, n.installed_at IS NOT NULL AS "isComplete" FROM installations n
    WHERE n.id = ${id}::uuid AND ${isOwned(owner)} FOR UPDATE OF n`)
  return locked
}

/** Installs the latest version of every workflow. */
const installWorkflows = async (transaction: Transaction, id: string): Promise<void> => {
  await transaction.prisma.$executeRaw(sql`
    INSERT INTO installed_workflows AS iw (installation_id, workflow_id, installed_version, active_since)
    SELECT n.id, w.id, w.version, clock_timestamp() FROM installations n
    JOIN workflows w ON w.integration_id = n.integration_id WHERE n.id = ${id}::uuid
    ON CONFLICT (installation_id, workflow_id) DO UPDATE
      SET installed_version = excluded.installed_version
      WHERE iw.installed_version <> excluded.installed_version`)
}

/** Enables or disables an installation. Workflows that were deactivated individually stay inactive. */
const switchInstallation = async (
  transaction: Transaction,
  id: string,
  enabled: boolean,
): Promise<void> => {
  await transaction.prisma.$executeRaw(sql`
    UPDATE installed_workflows iw SET active_since = clock_timestamp() FROM installations n
    WHERE n.id = ${id}::uuid AND NOT n.enabled AND iw.installation_id = n.id`)
  await transaction.prisma.installation.update({ where: { id }, data: { enabled } })
}

/**
 * Completes an installation with the options of the end user, and installs the latest version of its workflows.
 * A complete installation keeps its versions and is enabled. @returns the installation, or the missing app if
 * the end user has no credential of the integration's app
 */
export const completeInstallation = async (
  database: Database,
  owner: InstallationOwner,
  installationId: string,
  data: Json,
): Promise<StoredInstallation | 'no installation' | { readonly missing: string }> =>
  database.transaction(async (transaction) => {
    const locked = await lock(transaction, owner, installationId)
    if (locked === undefined) return 'no installation'
    const { id } = locked
    const { userId, integration, ...before } =
      await transaction.prisma.installation.findUniqueOrThrow({
        where: { id },
        select: {
          userId: true,
          credentialIds: true,
          chosenApps: true,
          integration: { select: { app: true } },
        },
      })
    const { app } = integration
    const own = await listOwn(transaction, userId)
    const { credentialIds, chosenApps } = fillChoice(own, before, app)
    if (!own.some((one) => one.app === app && credentialIds.includes(one.id)))
      return { missing: app }
    await transaction.prisma.$executeRaw(sql`
      UPDATE installations SET data = ${JSON.stringify(data)}::jsonb,
        installed_at = coalesce(installed_at, now()),
        credential_ids = ${credentialIds}::uuid[], chosen_apps = ${chosenApps}
      WHERE id = ${id}::uuid`)
    if (!locked.isComplete) await installWorkflows(transaction, id)
    await switchInstallation(transaction, id, true)
    return readLockedInstallation(transaction, id)
  })

/** A change of a complete installation. */
export type InstallationChange =
  | { readonly enabled: boolean }
  | { readonly workflowId: string; readonly active: boolean }
  | 'upgrade'

/** Activates or deactivates a workflow. Changes made while it is inactive never trigger it. @returns whether it exists */
const switchWorkflow = async (
  transaction: Transaction,
  id: string,
  workflowId: string,
  active: boolean,
): Promise<boolean> => {
  const written = await transaction.prisma.$executeRaw(sql`
    UPDATE installed_workflows SET active = ${active},
      active_since = CASE WHEN active THEN active_since ELSE clock_timestamp() END
    WHERE installation_id = ${id}::uuid AND workflow_id = ${workflowId}::uuid`)
  return written > 0
}

const change = async (
  transaction: Transaction,
  id: string,
  requested: InstallationChange,
): Promise<boolean> => {
  if (requested === 'upgrade') await installWorkflows(transaction, id)
  else if ('enabled' in requested) await switchInstallation(transaction, id, requested.enabled)
  else {
    const workflowId = requested.workflowId.toLowerCase()
    return isUuid(workflowId) && switchWorkflow(transaction, id, workflowId, requested.active)
  }
  return true
}

/** Changes a complete installation. @returns the changed installation, or why it was not changed */
export const changeInstallation = async (
  database: Database,
  owner: InstallationOwner,
  installationId: string,
  requested: InstallationChange,
): Promise<StoredInstallation | 'no installation' | 'not complete' | 'no workflow'> =>
  database.transaction(async (transaction) => {
    const locked = await lock(transaction, owner, installationId)
    if (locked === undefined) return 'no installation'
    if (!locked.isComplete) return 'not complete'
    return (await change(transaction, locked.id, requested))
      ? readLockedInstallation(transaction, locked.id)
      : 'no workflow'
  })

/** Deletes an installation, complete or not. @returns whether the owner had it */
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
