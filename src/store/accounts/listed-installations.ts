/** Installations of integrations, for lists and reads. */
import { Prisma } from '@prisma/client'
import { isUuid } from '../../definition/identity.ts'
import type { ForwardPage, Listed } from '../../query/listed.ts'
import type { Database, Queryable, Transaction } from '../database/database.ts'
import { ALL, type CreatedList, readForwardOfEach, readNumbered } from './created-list.ts'

const { sql } = Prisma

export interface StoredInstallation {
  readonly installationId: string
  readonly integrationId: string
  readonly userId: string
  readonly credentialIds: readonly string[]
  readonly workflowIds: readonly string[]
  /** ISO 8601; null: not completed. */
  readonly installedAt: string | null
  readonly enabled: boolean
}

/** The owner of installations: an environment, or one of its end users. */
export interface InstallationOwner {
  readonly environmentId: string
  readonly userId: string | undefined
}

interface InstallationRow extends Omit<StoredInstallation, 'installedAt'> {
  readonly installedAt: Date | null
}

/** The condition that the installation `n` belongs to an owner. */
export const isOwned = ({ environmentId, userId }: InstallationOwner): Prisma.Sql => sql`
  n.integration_id IN (SELECT id FROM integrations WHERE environment_id = ${environmentId}::uuid)
  ${userId === undefined ? Prisma.empty : sql`AND n.user_id = ${userId}::uuid`}`

const installationsWhere = (
  where: Prisma.Sql,
): CreatedList<InstallationRow, StoredInstallation> => ({
  alias: 'n',
  columns: sql`n.id::text AS "installationId", n.integration_id::text AS "integrationId",
    n.user_id::text AS "userId", n.credential_ids::text[] AS "credentialIds",
    ARRAY(SELECT iw.workflow_id::text FROM installed_workflows iw JOIN workflows w
      ON w.id = iw.workflow_id WHERE iw.installation_id = n.id ORDER BY w.slug) AS "workflowIds",
    n.installed_at AS "installedAt", n.enabled`,
  from: sql`installations n`,
  where,
  toEntry: (row) => ({ ...row, installedAt: row.installedAt?.toISOString() ?? null }),
})

const read = (database: Queryable, where: Prisma.Sql): Promise<StoredInstallation[]> =>
  readNumbered(database, installationsWhere(where), ALL)

/** Reads an installation that is locked. */
export const readLockedInstallation = async (
  transaction: Transaction,
  id: string,
): Promise<StoredInstallation> => {
  const [installation] = await read(transaction, sql`n.id = ${id}::uuid`)
  if (installation === undefined)
    throw new Error(`The installation ${id} disappeared while it was locked.`)
  return installation
}

/** The installations of an owner, including incomplete ones. */
export const installationsOf = (
  owner: InstallationOwner,
): CreatedList<InstallationRow, StoredInstallation> => installationsWhere(isOwned(owner))

/** A page of the installations of each of these end users or integrations. @throws INVALID_CURSOR */
export const pageInstallationsOf = (
  database: Database,
  owner: InstallationOwner,
  { by, ids }: { readonly by: 'user' | 'integration'; readonly ids: readonly string[] },
  page: ForwardPage,
): Promise<readonly Listed<StoredInstallation>[]> => {
  const column = by === 'user' ? sql`n.user_id` : sql`n.integration_id`
  return readForwardOfEach(database, installationsOf(owner), { column, ids }, page)
}

/** The installations with these ids that the owner has, in any order. One statement. */
export const findInstallations = (
  database: Database,
  owner: InstallationOwner,
  ids: readonly string[],
): Promise<StoredInstallation[]> =>
  read(database, sql`n.id = ANY(${ids}::uuid[]) AND ${isOwned(owner)}`)

/** Reads an installation; undefined if the owner does not have it. One statement. */
export const findInstallation = async (
  database: Database,
  owner: InstallationOwner,
  installationId: string,
): Promise<StoredInstallation | undefined> => {
  const id = installationId.toLowerCase()
  if (!isUuid(id)) return
  const [installation] = await read(database, sql`n.id = ${id}::uuid AND ${isOwned(owner)}`)
  return installation
}
