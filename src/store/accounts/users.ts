/** The end users of an environment. */
import { isUuid } from '../../definition/identity.ts'
import { type Database, isUniqueViolation } from '../database/database.ts'
import { removeCredentials } from './credentials.ts'
import { lockUser } from './lock-user.ts'
import { type NumberedPage, rowsOf } from './numbered-page.ts'

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
}

/** Lists the end users of an environment, oldest first. One statement. */
export const listUsers = async (
  { prisma }: Database,
  { environmentId, username }: UserFilter,
  page: NumberedPage,
): Promise<EndUser[]> => {
  const rows = await prisma.endUser.findMany({
    where: { environmentId, ...(username !== undefined && { username }) },
    select: columns,
    orderBy: [{ createdAt: 'asc' }, { id: 'asc' }],
    ...rowsOf(page),
  })
  return rows.map(fromRow)
}

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
