/** Custom fields: the mappings from fields of an app to custom fields of a resource. */
import { randomUUID } from 'node:crypto'
import { Prisma } from '@prisma/client'
import type { CustomField } from '../../definition/custom-field.ts'
import { isUuid } from '../../definition/identity.ts'
import type { CustomTypes } from '../../query/custom-filter.ts'
import { lockName } from '../database/advisory-lock.ts'
import type { Queryable, Transaction } from '../database/database.ts'
import { resyncResource } from '../sync/sync-control.ts'

const { sql } = Prisma

/** The most custom fields of one resource of an app, in one environment. */
export const MAX_CUSTOM_FIELDS = 100

/** What a custom field belongs to. */
export interface CustomFieldOwner {
  readonly environmentId: string
  readonly app: string
  readonly topic: string
  /** Null: every credential of the app in the environment. */
  readonly credentialId: string | null
}

/** A custom field as it is stored. */
export interface StoredCustomField extends CustomField, Omit<CustomFieldOwner, 'environmentId'> {
  readonly id: string
  readonly createdAt: Date
  readonly updatedAt: Date
}

const COLUMNS = sql`f.id::text, f.app, f.topic, f.credential_id::text AS "credentialId", f.name, f.type,
  f.remote_field AS "remoteField", f.created_at AS "createdAt", f.updated_at AS "updatedAt"`

/**
 * The condition that the field `f` applies to the credential `c`. A field of the credential takes precedence over
 * one of the environment with the same name.
 */
const APPLIES = sql`f.environment_id = c.environment_id AND f.app = c.app
  AND (f.credential_id = c.id OR f.credential_id IS NULL AND NOT EXISTS (
    SELECT FROM custom_fields own
    WHERE own.credential_id = c.id AND own.topic = f.topic AND own.name = f.name))`

/** The custom fields of the credential `c` as JSON, for a statement that reads it; null: it has none. */
export const CUSTOM_FIELDS_OF_CREDENTIAL = sql`(
  SELECT jsonb_agg(jsonb_build_object('topic', f.topic, 'name', f.name, 'type', f.type,
    'remoteField', f.remote_field) ORDER BY f.topic, f.name)
  FROM custom_fields f WHERE ${APPLIES})`

/** The custom fields of a credential by topic. */
export type CustomFieldsByTopic = ReadonlyMap<string, readonly CustomField[]>

/** Groups the fields that `CUSTOM_FIELDS_OF_CREDENTIAL` reads. */
export const customFieldsByTopic = (
  fields: readonly (CustomField & { readonly topic: string })[],
): CustomFieldsByTopic => Map.groupBy(fields, ({ topic }) => topic)

/** The custom fields of a resource in these credentials, with their types. One statement. */
export const readCustomTypes = async (
  { prisma }: Queryable,
  topic: string,
  credentialIds: readonly string[],
): Promise<CustomTypes> => {
  const rows = await prisma.$queryRaw<Pick<CustomField, 'name' | 'type'>[]>(sql`
    SELECT DISTINCT f.name, f.type FROM credentials c JOIN custom_fields f ON ${APPLIES}
    WHERE c.id = ANY(${credentialIds}::uuid[]) AND f.topic = ${topic} ORDER BY f.name, f.type`)
  const byName = Map.groupBy(rows, ({ name }) => name)
  return new Map([...byName].map(([name, same]) => [name, new Set(same.map(({ type }) => type))]))
}

/** Which custom fields to list; undefined: any. */
export interface CustomFieldFilter {
  readonly app?: string | undefined
  readonly topic?: string | undefined
}

/** Lists the custom fields of an environment, by app, resource and name. */
export const listCustomFields = (
  { prisma }: Queryable,
  environmentId: string,
  { app, topic }: CustomFieldFilter,
): Promise<StoredCustomField[]> =>
  prisma.$queryRaw<StoredCustomField[]>(sql`
    SELECT ${COLUMNS} FROM custom_fields f
    WHERE f.environment_id = ${environmentId}::uuid
      AND (${app ?? null}::text IS NULL OR f.app = ${app ?? null})
      AND (${topic ?? null}::text IS NULL OR f.topic = ${topic ?? null})
    ORDER BY f.app, f.topic, f.name, f.created_at, f.id`)

/** Reads a custom field; undefined if the environment does not have it. */
export const findCustomField = async (
  { prisma }: Queryable,
  environmentId: string,
  id: string,
): Promise<StoredCustomField | undefined> => {
  if (!isUuid(id.toLowerCase())) return
  const [found] = await prisma.$queryRaw<StoredCustomField[]>(sql`
    SELECT ${COLUMNS} FROM custom_fields f
    WHERE f.environment_id = ${environmentId}::uuid AND f.id = ${id}::uuid`)
  return found
}

/** Locks the custom fields of a resource of an app against other changes, until the transaction ends. */
const lockCustomFields = (
  transaction: Transaction,
  { environmentId, app, topic }: CustomFieldOwner,
): Promise<void> => lockName(transaction, `custom-fields/${environmentId}/${app}/${topic}`)

/** Why a custom field cannot be stored. */
export type CustomFieldProblem = 'name-taken' | 'too-many'

/** The problem of a name among the other custom fields of the same owner; undefined: none. */
const findProblem = async (
  { prisma }: Transaction,
  { environmentId, app, topic, credentialId }: CustomFieldOwner,
  name: string,
  exceptId: string | null,
): Promise<CustomFieldProblem | undefined> => {
  const [row] = await prisma.$queryRaw<{ count: number; taken: boolean }[]>(sql`
    SELECT count(*)::integer AS count,
      coalesce(bool_or(f.name = ${name} AND f.credential_id IS NOT DISTINCT FROM ${credentialId}::uuid), false)
        AS taken
    FROM custom_fields f
    WHERE f.environment_id = ${environmentId}::uuid AND f.app = ${app} AND f.topic = ${topic}
      AND (f.credential_id IS NULL OR f.credential_id = ${credentialId}::uuid)
      AND f.id IS DISTINCT FROM ${exceptId}::uuid`)
  if (row?.taken) return 'name-taken'
  return row && row.count >= MAX_CUSTOM_FIELDS ? 'too-many' : undefined
}

/** Stores a new custom field. @returns its id, or why it cannot be stored */
export const createCustomField = async (
  transaction: Transaction,
  owner: CustomFieldOwner,
  { name, type, remoteField }: CustomField,
): Promise<{ readonly id: string } | CustomFieldProblem> => {
  const { environmentId, app, topic, credentialId } = owner
  await lockCustomFields(transaction, owner)
  const problem = await findProblem(transaction, owner, name, null)
  if (problem) return problem
  const id = randomUUID()
  await transaction.prisma.$executeRaw(sql`
    INSERT INTO custom_fields (id, environment_id, app, topic, credential_id, name, type, remote_field)
    VALUES (${id}::uuid, ${environmentId}::uuid, ${app}, ${topic}, ${credentialId}::uuid, ${name}, ${type},
      ${remoteField})`)
  await resyncResource(transaction, owner)
  return { id }
}

/** Replaces name, type and remote field. @returns why it cannot be stored; undefined if it is */
export const updateCustomField = async (
  transaction: Transaction,
  owner: CustomFieldOwner & { readonly id: string },
  { name, type, remoteField }: CustomField,
): Promise<CustomFieldProblem | undefined> => {
  await lockCustomFields(transaction, owner)
  const problem = await findProblem(transaction, owner, name, owner.id)
  if (problem) return problem
  const changed = await transaction.prisma.$executeRaw(sql`
    UPDATE custom_fields SET name = ${name}, type = ${type}, remote_field = ${remoteField},
      updated_at = clock_timestamp()
    WHERE id = ${owner.id}::uuid
      AND (name, type, remote_field) IS DISTINCT FROM (${name}, ${type}, ${remoteField})`)
  if (changed > 0) await resyncResource(transaction, owner)
  return
}

/** Deletes a custom field. */
export const deleteCustomField = async (
  transaction: Transaction,
  owner: CustomFieldOwner & { readonly id: string },
): Promise<void> => {
  await lockCustomFields(transaction, owner)
  await transaction.prisma.$executeRaw(sql`DELETE FROM custom_fields WHERE id = ${owner.id}::uuid`)
  await resyncResource(transaction, owner)
}
