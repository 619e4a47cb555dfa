/** The end users of an environment. */
import { Prisma } from '@prisma/client'
import { isUuid } from '../../definition/identity.ts'
import { type Database, isUniqueViolation } from '../database/database.ts'
import { ALL, type CreatedList, readNumbered } from './created-list.ts'
import { removeCredentials } from './credentials.ts'
import { lockUser } from './lock-user.ts'

const { sql } = Prisma

export interface EndUser {
  readonly userId: string
  readonly username: string
  /** Empty if not set. */
  readonly fullName: string
}

export interface NewUser {
  readonly username: string
  readonly fullName: string | null
}

interface UserRow {
  readonly id: string
  readonly username: string
  readonly fullName: string | null
}

const columns = { id: true, username: true, fullName: true } as const

const fromRow = ({ id, username, fullName }: UserRow): EndUser => ({
  userId: id,
  username,
  fullName: fullName ?? '',
})

/** Creates an end user. @returns 'taken' if another end user of the environment has the username */
export const createUser = async (
  { prisma }: Database,
  environmentId: string,
  user: NewUser,
): Promise<EndUser | 'taken'> => {
  try {
    const row = await prisma.endUser.create({ data: { environmentId, ...user }, select: columns })
    return fromRow(row)
  } catch (error) {
    if (isUniqueViolation(error)) return 'taken'
    throw error
  }
}

/** Finds or creates the end user with a name. @returns the user's id */
export const ensureUser = async (
  { prisma }: Database,
  environmentId: string,
  username: string,
  fullName: string,
): Promise<string> => {
  const { id } = await prisma.endUser.upsert({
    where: { environmentId_username: { environmentId, username } },
    create: { environmentId, username, fullName },
    update: {},
  })
  return id
}

/** The end users to list. */
export interface UserFilter {
  readonly environmentId: string
  /** Only the end user with exactly this username; undefined: all. */
  readonly username: string | undefined
  /** Only those with these ids. */
  readonly ids?: readonly string[]
}

/** The end users of an environment. */
export const usersOf = ({
  environmentId,
  username,
  ids,
}: UserFilter): CreatedList<EndUser, EndUser> => ({
  alias: 'u',
  columns: sql`u.id::text AS "userId", u.username, coalesce(u.full_name, '') AS "fullName"`,
  from: sql`end_users u`,
  where: sql`u.environment_id = ${environmentId}::uuid
    ${username === undefined ? Prisma.empty : sql`AND u.username = ${username}`}
    ${ids === undefined ? Prisma.empty : sql`AND u.id = ANY(${ids}::uuid[])`}`,
  toEntry: (user) => user,
})

/** The end users with these ids that the environment has, in any order. One statement. */
export const findUsers = (
  database: Database,
  environmentId: string,
  ids: readonly string[],
): Promise<EndUser[]> =>
  readNumbered(database, usersOf({ environmentId, username: undefined, ids }), ALL)

/** Reads an end user; undefined if the environment does not have it. One statement. */
export const findUser = async (
  { prisma }: Database,
  environmentId: string,
  userId: string,
): Promise<EndUser | undefined> => {
  const id = userId.toLowerCase()
  if (!isUuid(id)) return
  const row = await prisma.endUser.findFirst({ where: { id, environmentId }, select: columns })
  return row ? fromRow(row) : undefined
}

/**
 * Deletes an end user with credentials, sync states and installations, in one transaction of few rows. The
 * records of the credentials become inaccessible immediately and are purged in batches (purges.ts).
 * @returns whether the environment had the user
 */
export const deleteUser = async (
  database: Database,
  environmentId: string,
  userId: string,
): Promise<boolean> => {
  const id = userId.toLowerCase()
  if (!isUuid(id)) return false
  return database.transaction(async (transaction) => {
    if (!(await lockUser(transaction, environmentId, id))) return false
    await removeCredentials(transaction, environmentId, { userId: id })
    await transaction.prisma.endUser.delete({ where: { id } })
    return true
  })
}
